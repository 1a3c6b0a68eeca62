//! Memory and processor time of processes, from `/proc`.

use std::fs;

use anyhow::{Context, Result};

/// The unit of processor times in `/proc`, the same on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;
/// Positions of the user time after the program's name; the system time follows.
const OWN_TIMES: usize = 11;
const CHILDREN_TIMES: usize = 13;

/// The current memory of a process.
pub fn resident_bytes(process_id: u32) -> Result<u64> {
    from_status(process_id, "VmRSS:")
}

/// The peak memory of a process.
pub fn peak_resident_bytes(process_id: u32) -> Result<u64> {
    from_status(process_id, "VmHWM:")
}

/// Processor time of a process, user and system.
pub fn cpu_seconds(process_id: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process_id}/stat"))?;
    parse_cpu_seconds(&stat, OWN_TIMES).context("no processor time in /proc")
}

/// Processor time of all programs that this one started and that have ended.
pub fn children_cpu_seconds() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    parse_cpu_seconds(&stat, CHILDREN_TIMES).context("no processor time in /proc")
}

fn from_status(process_id: u32, name: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process_id}/status"))?;
    parse_bytes(&status, name).with_context(|| format!("no {name} in /proc"))
}

fn parse_bytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The program's name is in parentheses and may contain anything; fields follow.
fn parse_cpu_seconds(stat: &str, first_field: usize) -> Option<f64> {
    let mut words = stat.rsplit_once(')')?.1.split_whitespace().skip(first_field);
    let mut ticks = || words.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_status() {
        let status = "Name:\trunlens\nVmHWM:\t   60000 kB\nVmRSS:\t   51200 kB\n";
        assert_eq!(parse_bytes(status, "VmRSS:"), Some(52_428_800));
        assert_eq!(parse_bytes(status, "VmHWM:"), Some(61_440_000));
        assert_eq!(parse_bytes("Name:\trunlens\n", "VmRSS:"), None);
    }

    #[test]
    fn processor_time_is_user_and_system_time() {
        let stat = "42 (odd ) name) S 1 2 3 4 5 6 7 8 9 10 150 50 300 100 20 0";
        assert_eq!(parse_cpu_seconds(stat, OWN_TIMES), Some(2.0));
        assert_eq!(parse_cpu_seconds(stat, CHILDREN_TIMES), Some(4.0));
        assert_eq!(parse_cpu_seconds("42 (name) S 1", OWN_TIMES), None);
    }
}
