//! Finished logs and specs, compressed.
//!
//! A log is cut into parts of about 64 KB of JSON; nearly every log is one part. A body says in its first byte how it is
//! written, so that a better way can be added without rewriting what is stored.

use std::sync::LazyLock;

use protocol::Event;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

/// Text before compression; a slice costs at most the reading of one part.
const PART_BYTES: usize = 64 * 1024;
/// Measured on generated logs of 13 steps: level 3 leaves 2 % more than 6 and takes half the time.
const LEVEL: i32 = 3;
/// More than a part can hold: an event is at most as large as the answers that MANTYX's client reads.
const MAX_PLAIN_BYTES: usize = 64 * 1024 * 1024;

/// JSON as it is: how the first tables had it.
const PLAIN: u8 = b'{';
/// zstd with the first dictionary.
const ZSTD_1: u8 = 1;

/// Shapes of events and specs. A log of some kilobytes is too short to learn them from itself: without the dictionary
/// the generated logs are a quarter larger.
static DICTIONARY_1: &[u8] = include_bytes!("pack_dictionary_1.ndjson");
static ENCODER: LazyLock<EncoderDictionary<'static>> = LazyLock::new(|| EncoderDictionary::copy(DICTIONARY_1, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> = LazyLock::new(|| DecoderDictionary::copy(DICTIONARY_1));

/// A compressed part of a log.
#[derive(Clone, Debug)]
pub struct Part {
    pub first_seq: i64,
    pub last_seq: i64,
    pub events: i64,
    pub body: Vec<u8>,
}

/// Packs a log whose events are in order.
pub fn pack_log(events: &[Event]) -> std::io::Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut lines = String::new();
    let mut first = 0;
    for (i, event) in events.iter().enumerate() {
        lines.push_str(&serde_json::to_string(event)?);
        lines.push('\n');
        if lines.len() >= PART_BYTES || i + 1 == events.len() {
            parts.push(Part {
                first_seq: seq(&events[first]),
                last_seq: seq(event),
                events: i64::try_from(i + 1 - first).unwrap_or(i64::MAX),
                body: compress(lines.as_bytes())?,
            });
            lines.clear();
            first = i + 1;
        }
    }
    Ok(parts)
}

/// The events of a part that come after `seq`.
pub fn unpack_events(body: &[u8], after: u64) -> std::io::Result<Vec<Event>> {
    let text = decompress(body)?;
    let events = text.lines().map(|line| Event::parse(line).map_err(std::io::Error::from));
    events.filter(|event| event.as_ref().map_or(true, |event| event.seq > after)).collect()
}

pub fn compress(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressor = Compressor::with_prepared_dictionary(&ENCODER)?;
    compressor.include_checksum(false)?;
    let mut body = vec![ZSTD_1];
    body.extend(compressor.compress(plain)?);
    Ok(body)
}

pub fn decompress(body: &[u8]) -> std::io::Result<String> {
    let bytes = match body.split_first() {
        Some((&ZSTD_1, rest)) => {
            let size = zstd::zstd_safe::get_frame_content_size(rest).ok().flatten().unwrap_or(0);
            let size = usize::try_from(size).unwrap_or(usize::MAX).min(MAX_PLAIN_BYTES);
            Decompressor::with_prepared_dictionary(&DECODER)?.decompress(rest, size)?
        }
        Some((&PLAIN, _)) => body.to_vec(),
        _ => return Err(std::io::Error::other("a stored body is written in a way that this version does not know")),
    };
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

fn seq(event: &Event) -> i64 {
    i64::try_from(event.seq).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_log_is_packed_in_parts_that_read_back_whole_and_from_any_seq() {
        let text = |i: u64| format!("{i} ").repeat(40);
        let events: Vec<Event> =
            (1..=2_000).map(|i| Event::new(i * 2, "assistant_delta", json!({ "text": text(i) }))).collect();
        let parts = pack_log(&events).expect("packs");
        assert!(parts.len() > 2);
        assert!(parts.windows(2).all(|pair| pair[0].last_seq < pair[1].first_seq));
        let read = |after| -> Vec<Event> {
            parts.iter().flat_map(|part| unpack_events(&part.body, after).expect("reads")).collect()
        };
        assert_eq!(read(0), events);
        assert_eq!(read(3_999).len(), 1);
    }

    #[test]
    fn what_the_first_tables_held_is_still_read() {
        assert_eq!(decompress(b"{\"a\":1}").expect("reads"), "{\"a\":1}");
        assert!(decompress(&[9, 1]).is_err() && decompress(&[]).is_err());
    }
}
