//! Counts of numbers in fixed logarithmic buckets, from which percentiles are estimated.
//!
//! Numbers below 32 have a bucket each. Above, each doubling is divided into 16 buckets: the middle of a bucket is less than
//! 3.2 % from every number in it. Counts can be added and subtracted, so they are kept for hours and added up for any range.

use std::collections::BTreeMap;

use crate::store::varint::{read_number, read_signed, write_number, write_signed};

/// Numbers below this one have a bucket each.
const EXACT: u64 = 32;
/// Buckets of each doubling.
const PER_DOUBLING: u64 = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buckets(BTreeMap<u16, i64>);

/// The bucket of a number.
pub fn bucket_of(number: u64) -> u16 {
    if number < EXACT {
        return number as u16;
    }
    let exponent = u64::from(number.ilog2());
    let within = (number >> (exponent - 4)) & (PER_DOUBLING - 1);
    (EXACT + (exponent - 5) * PER_DOUBLING + within) as u16
}

/// The middle of a bucket.
fn middle_of(bucket: u16) -> u64 {
    let bucket = u64::from(bucket);
    if bucket < EXACT {
        return bucket;
    }
    let (exponent, within) = ((bucket - EXACT) / PER_DOUBLING + 5, (bucket - EXACT) % PER_DOUBLING);
    let width = 1_u64 << (exponent - 4);
    (PER_DOUBLING + within) * width + width / 2
}

impl Buckets {
    pub fn add_one(&mut self, bucket: u16, sign: i64) {
        let count = self.0.entry(bucket).or_default();
        *count += sign;
        if *count == 0 {
            self.0.remove(&bucket);
        }
    }

    /// Adds other counts, or subtracts them if `sign` is -1.
    pub fn add(&mut self, other: &Self, sign: i64) {
        for (bucket, count) in &other.0 {
            self.add_one(*bucket, sign * count);
        }
    }

    /// How many numbers were counted.
    pub fn count(&self) -> i64 {
        self.0.values().sum()
    }

    /// The number below or at which this share of all numbers is, in hundredths.
    pub fn percentile(&self, percent: i64) -> Option<u64> {
        let total = self.count();
        let rank = (total * percent + 99) / 100;
        let mut seen = 0;
        self.0.iter().find_map(|(bucket, count)| {
            seen += count;
            (seen >= rank && total > 0).then(|| middle_of(*bucket))
        })
    }

    pub fn write(&self, bytes: &mut Vec<u8>) {
        write_number(bytes, self.0.len() as u64);
        let mut next = 0;
        for (bucket, count) in &self.0 {
            write_number(bytes, u64::from(*bucket - next));
            write_signed(bytes, *count);
            next = *bucket;
        }
    }

    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut buckets = BTreeMap::new();
        let mut bucket = 0_u16;
        for _ in 0..read_number(bytes)? {
            bucket = bucket.checked_add(u16::try_from(read_number(bytes)?).ok()?)?;
            buckets.insert(bucket, read_signed(bytes)?);
        }
        Some(Self(buckets))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn percentiles_are_within_5_percent(mut numbers in prop::collection::vec(0_u64..1 << 40, 1..200), shift in 0_u32..30) {
            numbers.iter_mut().for_each(|number| *number >>= shift);
            let mut buckets = Buckets::default();
            numbers.iter().for_each(|number| buckets.add_one(bucket_of(*number), 1));
            numbers.sort_unstable();
            for percent in [1, 50, 95, 100] {
                let exact = numbers[(numbers.len() * percent).div_ceil(100).max(1) - 1];
                let found = buckets.percentile(percent as i64).expect("numbers");
                prop_assert!(found.abs_diff(exact) * 20 <= exact, "p{percent}: {found}, exactly {exact}");
            }
        }

        #[test]
        fn counts_survive_a_round_trip_and_subtract_to_nothing(numbers in prop::collection::vec(any::<u64>(), 0..100)) {
            let mut buckets = Buckets::default();
            numbers.iter().for_each(|number| buckets.add_one(bucket_of(*number), 1));
            let mut bytes = Vec::new();
            buckets.write(&mut bytes);
            prop_assert_eq!(Buckets::read(&mut bytes.as_slice()), Some(buckets.clone()));
            let same = buckets.clone();
            buckets.add(&same, -1);
            prop_assert_eq!((buckets.percentile(50), buckets), (None, Buckets::default()));
        }
    }
}
