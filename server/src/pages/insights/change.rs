//! Shares, and changes against the previous period, in words.

use app::format::decimal;
use leptos::prelude::*;

/// `3.1 %` of a whole.
pub fn percent(part: u64, whole: u64) -> String {
    match tenths(part, whole) {
        0 if part > 0 => "<0.1 %".to_owned(),
        0 => "0 %".to_owned(),
        tenths => format!("{} %", decimal(tenths, 10, 1)),
    }
}

/// Tenths of a percent, rounded.
fn tenths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    u64::try_from((part * 2_000 + whole) / (whole * 2)).unwrap_or(0)
}

/// Whether more is worse.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Neutral,
    MoreIsWorse,
}

/// The change of a rate, in percentage points.
pub fn of_rate(now: (u64, u64), before: Option<(u64, u64)>) -> Option<AnyView> {
    let before = before.filter(|(_, runs)| *runs > 0)?;
    let (is, was) = (tenths(now.0, now.1), tenths(before.0, before.1));
    let words = format!("{} pts", decimal(is.abs_diff(was), 10, 1));
    let title = format!("{} in the previous period", percent(before.0, before.1));
    Some(badge(is, was, words, title, Meaning::MoreIsWorse))
}

/// The change of a number, in percent. `text` formats the number.
pub fn of_number(now: u64, before: Option<u64>, meaning: Meaning, text: fn(u64) -> String) -> Option<AnyView> {
    let before = before.filter(|before| *before > 0)?;
    let tenths = tenths(now.abs_diff(before), before);
    let words = match tenths {
        10_000.. => format!("×{}", decimal(now * 10 / before, 10, 1)),
        1_000.. => format!("{} %", tenths / 10),
        _ => format!("{} %", decimal(tenths, 10, 1)),
    };
    Some(badge(now, before, words, format!("{} in the previous period", text(before)), meaning))
}

fn badge(now: u64, before: u64, words: String, title: String, meaning: Meaning) -> AnyView {
    let (arrow, direction) = match now.cmp(&before) {
        std::cmp::Ordering::Greater => ("▲", "up"),
        std::cmp::Ordering::Less => ("▼", "down"),
        std::cmp::Ordering::Equal => ("", "unchanged"),
    };
    let tone = match (meaning, direction) {
        (Meaning::Neutral, _) | (_, "unchanged") => "neutral",
        (Meaning::MoreIsWorse, "up") => "worse",
        _ => "better",
    };
    let text = if direction == "unchanged" { "no change".to_owned() } else { words };
    view! {
        <span class="change hint" data-tone=tone title=title>
            <span aria-hidden="true">{arrow}</span>
            <span class="visually-hidden">{direction}</span>
            " "
            {text}
        </span>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_to_tenths_of_a_percent() {
        assert_eq!(
            [(0, 9), (1, 3), (1, 100_000), (9, 9)].map(|(part, whole)| percent(part, whole)),
            ["0 %", "33.3 %", "<0.1 %", "100.0 %"]
        );
        assert_eq!(percent(0, 0), "0 %");
    }

    #[test]
    fn changes_say_their_direction_and_the_previous_value() {
        let html = |view: Option<AnyView>| view.map(|view| view.to_html()).unwrap_or_default();
        let worse = html(of_rate((12, 100), Some((3, 100))));
        assert!(worse.contains("data-tone=\"worse\"") && worse.contains("9.0 pts"), "{worse}");
        assert!(worse.contains("3.0 % in the previous period"), "{worse}");
        assert!(html(of_number(50, Some(100), Meaning::MoreIsWorse, |n| n.to_string())).contains("50.0 %"));
        assert!(html(of_number(5_000, Some(100), Meaning::Neutral, |n| n.to_string())).contains("×50.0"));
        assert_eq!((html(of_rate((1, 2), None)), html(of_rate((1, 2), Some((0, 0))))), (String::new(), String::new()));
    }
}
