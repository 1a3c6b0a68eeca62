//! A run's number: the order of numbers is the order of the list.

use std::collections::HashSet;

use sqlx::{AnyConnection, Row};

use super::Result;
use super::sql::{Arg, fetch};

/// Places within a millisecond. Where all are taken, a run goes into the next one; its creation time is kept apart.
const PLACES: i64 = 1024;

/// The smallest number of runs created at this time or later.
pub(super) fn first_at(created_at_ms: i64) -> i64 {
    created_at_ms.clamp(i64::MIN / PLACES, i64::MAX / PLACES) * PLACES
}

/// When a run with this number was created, to some milliseconds.
pub(super) fn time_of(n: i64) -> i64 {
    n.div_euclid(PLACES)
}

/// Free numbers for new runs, given as creation time and id, in their order.
pub(super) async fn allocate(connection: &mut AnyConnection, runs: &[(i64, &str)]) -> Result<Vec<i64>> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let mut numbers: Vec<i64> = runs.iter().map(|(at, id)| first_at(*at) + place(id)).collect();
    loop {
        let list: Vec<String> = (1..=numbers.len()).map(|i| format!("${i}")).collect();
        let sql = format!("SELECT n FROM run WHERE n IN ({})", list.join(", "));
        let rows = fetch(&mut *connection, sql, numbers.iter().map(|n| Arg::from(*n)).collect()).await?;
        let mut taken: HashSet<i64> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?;
        let mut moved = false;
        for number in &mut numbers {
            while !taken.insert(*number) {
                *number += 1;
                moved = true;
            }
        }
        if !moved {
            return Ok(numbers);
        }
    }
}

/// Runs of one millisecond are spread by their id, so that two processes seldom want the same place.
fn place(id: &str) -> i64 {
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    i64::try_from(hash >> 54).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_within_their_millisecond() {
        for id in ["", "run_1", "run_2", "a much longer id"] {
            assert!((0..PLACES).contains(&place(id)));
        }
        assert!(first_at(2) > first_at(1) + place("x"));
        assert_eq!((time_of(first_at(-7) + place("x")), time_of(first_at(7) + place("x"))), (-7, 7));
        assert!(first_at(i64::MAX) > 0 && first_at(i64::MIN) < 0);
    }
}
