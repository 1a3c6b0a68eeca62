//! Numbers of variable length: small ones take one byte.

pub(super) fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(super) fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

pub(super) fn write_signed(bytes: &mut Vec<u8>, number: i64) {
    write_number(bytes, zigzag(number));
}

pub(super) fn read_signed(bytes: &mut &[u8]) -> Option<i64> {
    read_number(bytes).map(unzigzag)
}

/// Small numbers of either sign become small positive ones.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
