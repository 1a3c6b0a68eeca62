//! Pairs two sequences in order, so that as many similar items as possible are partners.

/// The similarity of two items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Similarity {
    /// Different, but acceptable as partners.
    None,
    /// Of the same kind.
    Kind,
    /// The same action with another result.
    Action,
    Same,
}

pub type Pair = (Option<usize>, Option<usize>);

/// The most cells of the table. Longer sequences are paired by position.
const MAX_CELLS: usize = 400_000;
/// The score of an item without a partner.
const UNPAIRED: i32 = -1;

impl Similarity {
    fn score(self) -> i32 {
        match self {
            Self::None => 0,
            Self::Kind => 2,
            Self::Action => 5,
            Self::Same => 6,
        }
    }
}

pub fn pair_up(left: usize, right: usize, similarity: impl Fn(usize, usize) -> Similarity) -> Vec<Pair> {
    let shorter = left.min(right);
    let head = (0..shorter).take_while(|at| similarity(*at, *at) == Similarity::Same).count();
    let tail = (0..shorter - head)
        .take_while(|back| similarity(left - 1 - back, right - 1 - back) == Similarity::Same)
        .count();
    let (middle_left, middle_right) = (left - head - tail, right - head - tail);
    let mut pairs: Vec<Pair> = (0..head).map(|at| (Some(at), Some(at))).collect();
    let middle = match (middle_left + 1).saturating_mul(middle_right + 1) <= MAX_CELLS {
        true => best(middle_left, middle_right, |one, other| similarity(head + one, head + other)),
        false => by_order(middle_left, middle_right),
    };
    let moved = |at: Option<usize>| at.map(|at| at + head);
    pairs.extend(middle.into_iter().map(|(one, other)| (moved(one), moved(other))));
    pairs.extend((0..tail).rev().map(|back| (Some(left - 1 - back), Some(right - 1 - back))));
    pairs
}

fn by_order(left: usize, right: usize) -> Vec<Pair> {
    let of = |length: usize, at: usize| (at < length).then_some(at);
    (0..left.max(right)).map(|at| (of(left, at), of(right, at))).collect()
}

/// Returns the pairing with the highest score, found by dynamic programming over the remainders of both sequences.
fn best(left: usize, right: usize, similarity: impl Fn(usize, usize) -> Similarity) -> Vec<Pair> {
    let width = right + 1;
    let mut score = vec![0_i32; (left + 1) * width];
    let together =
        |score: &[i32], one: usize, other: usize| score[(one + 1) * width + other + 1] + similarity(one, other).score();
    for one in (0..=left).rev() {
        for other in (0..=right).rev() {
            let without_left = (one < left).then(|| score[(one + 1) * width + other] + UNPAIRED);
            let without_right = (other < right).then(|| score[one * width + other + 1] + UNPAIRED);
            let both = (one < left && other < right).then(|| together(&score, one, other));
            score[one * width + other] = both.max(without_left).max(without_right).unwrap_or(0);
        }
    }
    let (mut one, mut other) = (0, 0);
    let mut pairs = Vec::with_capacity(left.max(right));
    while one < left || other < right {
        let here = score[one * width + other];
        if one < left && other < right && together(&score, one, other) == here {
            pairs.push((Some(one), Some(other)));
            (one, other) = (one + 1, other + 1);
        } else if one < left && score[(one + 1) * width + other] + UNPAIRED == here {
            pairs.push((Some(one), None));
            one += 1;
        } else {
            pairs.push((None, Some(other)));
            other += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pairs letters: the same letter in another case is the same action.
    fn paired(left: &str, right: &str) -> String {
        let (one, other) = (left.as_bytes(), right.as_bytes());
        let similarity = |i: usize, j: usize| match (one[i], other[j]) {
            (a, b) if a == b => Similarity::Same,
            (a, b) if a.eq_ignore_ascii_case(&b) => Similarity::Action,
            (a, b) if a.is_ascii_digit() && b.is_ascii_digit() => Similarity::Kind,
            _ => Similarity::None,
        };
        let letter = |text: &[u8], at: Option<usize>| at.map_or('-', |at| char::from(text[at]));
        let pairs = pair_up(one.len(), other.len(), similarity);
        pairs.iter().map(|(i, j)| format!("{}{}", letter(one, *i), letter(other, *j))).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn extra_items_have_no_partner_and_the_rest_is_paired_with_its_equals() {
        assert_eq!(paired("abc", "abc"), "aa bb cc");
        assert_eq!(paired("abcd", "axbcd"), "aa -x bb cc dd");
        assert_eq!(paired("axxbc", "abc"), "aa x- x- bb cc");
        assert_eq!(paired("abc", "axc"), "aa bx cc");
        assert_eq!(paired("abc", "aBxc"), "aa bB -x cc");
        assert_eq!(paired("a1c", "ax2c"), "aa -x 12 cc");
        assert_eq!(paired("", "ab"), "-a -b");
    }

    proptest! {
        #[test]
        fn every_item_is_there_once_and_in_order(left in "[abAB1]{0,12}", right in "[abAB1]{0,12}") {
            let pairs = pair_up(left.len(), right.len(), |i, j| match left.as_bytes()[i] == right.as_bytes()[j] {
                true => Similarity::Same,
                false => Similarity::None,
            });
            prop_assert!(pairs.iter().all(|pair| *pair != (None, None)));
            prop_assert!(pairs.iter().filter_map(|pair| pair.0).eq(0..left.len()));
            prop_assert!(pairs.iter().filter_map(|pair| pair.1).eq(0..right.len()));
        }
    }

    #[test]
    fn long_sequences_are_paired_by_position() {
        let pairs = pair_up(5_000, 5_001, |_, _| Similarity::None);
        assert_eq!((pairs.len(), pairs[4_999], pairs[5_000]), (5_001, (Some(4_999), Some(4_999)), (None, Some(5_000))));
    }
}
