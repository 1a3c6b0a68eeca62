//! Compression of finished logs and specs.
//!
//! A log is split into parts of about 64 KB of JSON; nearly every log is one part. The first byte of a body is its format,
//! so that a better format can be added without rewriting stored bodies.
//!
//! A log of some kilobytes is too short to compress well on its own. Logs of one database resemble each other, so a
//! dictionary is trained on the first hundreds. Measured on generated logs (10.5 KB, level 3): 25 % of the JSON without a
//! dictionary, 23 % with the built-in one, which only has the fields of events, 18 % with a trained one of 64 KB.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, RwLock};

use domain::{LockExt, RwLockExt};
use protocol::Event;
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{self, CCtx, CParameter, DCtx, ResetDirective};

use super::event_times::{self, StepTime};

/// The size of a part before compression. Reading a slice decompresses at least one part.
const PART_BYTES: usize = 64 * 1024;
/// Measured with a trained dictionary: level 6 saves 1 % and takes three times as long.
const LEVEL: i32 = 3;
/// Larger than any part: an event cannot exceed the limit of a response from MANTYX.
const MAX_PLAIN_BYTES: usize = 64 * 1024 * 1024;
const TRAINED_BYTES: usize = 64 * 1024;
/// Contexts that are kept for the next log: some hundred kilobytes each.
const MAX_CONTEXTS: usize = 4;
/// Samples that must have a word before a dictionary may contain it.
const MIN_SAMPLES_OF_WORD: usize = 20;

/// Uncompressed JSON, from early versions.
const PLAIN: u8 = b'{';
/// zstd with the built-in dictionary.
const BUILT_IN: u8 = 1;
/// zstd with a trained dictionary, whose id follows in four bytes.
const TRAINED: u8 = 2;

/// The beginning of a body that has the size of its content: format, dictionary id, and at most 18 bytes of zstd's header.
pub const HEAD_BYTES: i32 = 1 + 4 + 18;

static BUILT_IN_DICTIONARY: LazyLock<Dictionary> =
    LazyLock::new(|| Dictionary::new(include_bytes!("pack_dictionary_1.ndjson")));

struct Dictionary {
    encoder: EncoderDictionary<'static>,
    decoder: DecoderDictionary<'static>,
}

impl Dictionary {
    fn new(bytes: &[u8]) -> Self {
        Self { encoder: EncoderDictionary::copy(bytes, LEVEL), decoder: DecoderDictionary::copy(bytes) }
    }
}

/// Compresses with the newest dictionary, decompresses with any that was added.
#[derive(Clone, Default)]
pub struct Packer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    dictionaries: RwLock<HashMap<u32, Arc<Dictionary>>>,
    /// Used again, because a new context has to allocate and clear its tables.
    contexts: Mutex<Vec<CCtx<'static>>>,
}

/// A compressed part of a log.
#[derive(Clone, Debug)]
pub struct Part {
    pub first_seq: i64,
    pub last_seq: i64,
    pub events: i64,
    /// The size of its events as JSON.
    pub plain_bytes: usize,
    pub body: Vec<u8>,
    /// The arrival times of its events.
    pub times: Vec<u8>,
}

impl Packer {
    pub fn add(&self, id: u32, dictionary: &[u8]) {
        let mut known = self.0.dictionaries.write_locked();
        known.insert(id, Arc::new(Dictionary::new(dictionary)));
    }

    /// The id of a body's dictionary if it was not added yet.
    pub fn missing_dictionary(&self, body: &[u8]) -> Option<u32> {
        trained_id(body).map(|(id, _)| id).filter(|id| self.find(*id).is_none())
    }

    pub fn is_trained(&self) -> bool {
        self.newest().is_some()
    }

    /// Compresses a log whose events are in order.
    pub fn pack_log(&self, events: &[Event]) -> std::io::Result<Vec<Part>> {
        let mut log = PartWriter::new(self);
        for event in events {
            log.push(event)?;
        }
        log.finish()
    }

    /// Returns the events of a part, beginning with the seq `from`, and the size of the part as JSON.
    pub fn unpack_events(&self, body: &[u8], times: &[u8], from: u64) -> std::io::Result<(Vec<Event>, usize)> {
        let text = self.decompress(body)?;
        let events = text.lines().map(|line| Event::parse(line).map_err(std::io::Error::from));
        let mut events = events.collect::<std::io::Result<Vec<Event>>>()?;
        event_times::decode(times, &mut events);
        events.retain(|event| event.seq >= from);
        Ok((events, text.len()))
    }

    pub fn compress(&self, plain: &[u8]) -> std::io::Result<Vec<u8>> {
        Ok(self.compress_each([plain].into_iter())?.pop().unwrap_or_default())
    }

    /// Compresses many bodies; quicker than one by one.
    pub fn compress_each<'a>(&self, plain: impl Iterator<Item = &'a [u8]>) -> std::io::Result<Vec<Vec<u8>>> {
        let (head, dictionary) = match self.newest() {
            Some((id, dictionary)) => ([&[TRAINED], id.to_le_bytes().as_slice()].concat(), Some(dictionary)),
            None => (vec![BUILT_IN], None),
        };
        let encoder = dictionary.as_deref().map_or(&BUILT_IN_DICTIONARY.encoder, |dictionary| &dictionary.encoder);
        let mut context = self.0.contexts.locked().pop().unwrap_or_else(CCtx::create);
        context.set_parameter(CParameter::ChecksumFlag(false)).map_err(failure)?;
        context.set_parameter(CParameter::DictIdFlag(false)).map_err(failure)?;
        context.ref_cdict(encoder.as_cdict()).map_err(failure)?;
        let mut frame = Vec::new();
        let mut compress = |plain: &[u8]| -> std::io::Result<Vec<u8>> {
            frame.clear();
            frame.reserve(zstd_safe::compress_bound(plain.len()));
            context.compress2(&mut frame, plain).map_err(failure)?;
            Ok([head.as_slice(), &frame].concat())
        };
        let bodies = plain.map(&mut compress).collect::<std::io::Result<Vec<_>>>()?;
        // The context must not outlive the dictionary that it refers to.
        context.reset(ResetDirective::SessionAndParameters).map_err(failure)?;
        let mut contexts = self.0.contexts.locked();
        if contexts.len() < MAX_CONTEXTS {
            contexts.push(context);
        }
        Ok(bodies)
    }

    pub fn decompress(&self, body: &[u8]) -> std::io::Result<String> {
        Ok(self.unpacker().read(body)?.to_owned())
    }

    /// Decompresses many bodies; quicker than one by one.
    pub fn unpacker(&self) -> Unpacker<'_> {
        Unpacker { packer: self, context: DCtx::create(), dictionary: None, plain: Vec::new() }
    }

    fn find(&self, id: u32) -> Option<Arc<Dictionary>> {
        self.0.dictionaries.read_locked().get(&id).cloned()
    }

    fn newest(&self) -> Option<(u32, Arc<Dictionary>)> {
        let known = self.0.dictionaries.read_locked();
        known.iter().max_by_key(|(id, _)| **id).map(|(id, dictionary)| (*id, dictionary.clone()))
    }
}

/// Decompresses one body after the other.
pub struct Unpacker<'a> {
    packer: &'a Packer,
    context: DCtx<'static>,
    /// The trained dictionary that was used last.
    dictionary: Option<(u32, Arc<Dictionary>)>,
    plain: Vec<u8>,
}

impl Unpacker<'_> {
    pub fn read(&mut self, body: &[u8]) -> std::io::Result<&str> {
        let unknown = || std::io::Error::other("a stored body has a format that this version does not know");
        self.plain.clear();
        match (body.first(), trained_id(body)) {
            (_, Some((id, frame))) => {
                if self.dictionary.as_ref().is_none_or(|(last, _)| *last != id) {
                    self.dictionary = Some((id, self.packer.find(id).ok_or_else(unknown)?));
                }
                let (_, dictionary) = self.dictionary.as_ref().ok_or_else(unknown)?;
                expand(&mut self.context, &mut self.plain, frame, &dictionary.decoder)?;
            }
            (Some(&BUILT_IN), _) => {
                expand(&mut self.context, &mut self.plain, &body[1..], &BUILT_IN_DICTIONARY.decoder)?;
            }
            (Some(&PLAIN), _) => self.plain.extend(body),
            _ => return Err(unknown()),
        }
        std::str::from_utf8(&self.plain).map_err(std::io::Error::other)
    }
}

fn expand(
    context: &mut DCtx<'static>,
    plain: &mut Vec<u8>,
    frame: &[u8],
    dictionary: &DecoderDictionary<'static>,
) -> std::io::Result<()> {
    let size = zstd_safe::get_frame_content_size(frame).ok().flatten().unwrap_or(0);
    plain.reserve(usize::try_from(size).unwrap_or(usize::MAX).min(MAX_PLAIN_BYTES));
    let expanded = context.decompress_using_ddict(plain, frame, dictionary.as_ddict());
    expanded.map(drop).map_err(failure)
}

fn failure(code: usize) -> std::io::Error {
    std::io::Error::other(zstd_safe::get_error_name(code))
}

/// Compresses a log event by event, so that only one part is in memory as JSON.
pub struct PartWriter<'a> {
    packer: &'a Packer,
    lines: String,
    first_seq: i64,
    last_seq: i64,
    events: i64,
    times: Vec<StepTime>,
    parts: Vec<Part>,
}

impl<'a> PartWriter<'a> {
    pub fn new(packer: &'a Packer) -> Self {
        Self {
            packer,
            lines: String::new(),
            first_seq: 0,
            last_seq: 0,
            events: 0,
            times: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Adds the next event in order.
    pub fn push(&mut self, event: &Event) -> std::io::Result<()> {
        self.last_seq = seq(event);
        if self.events == 0 {
            self.first_seq = self.last_seq;
        }
        self.events += 1;
        self.times.push(StepTime::of(event));
        self.lines.push_str(&serde_json::to_string(event)?);
        self.lines.push('\n');
        if self.lines.len() >= PART_BYTES { self.end_part() } else { Ok(()) }
    }

    pub fn finish(mut self) -> std::io::Result<Vec<Part>> {
        if self.events > 0 {
            self.end_part()?;
        }
        Ok(self.parts)
    }

    fn end_part(&mut self) -> std::io::Result<()> {
        let (first_seq, last_seq) = (self.first_seq, self.last_seq);
        let body = self.packer.compress(self.lines.as_bytes())?;
        let times = event_times::encode(&self.times);
        self.parts.push(Part { first_seq, last_seq, events: self.events, plain_bytes: self.lines.len(), body, times });
        self.lines.clear();
        self.times.clear();
        self.events = 0;
        Ok(())
    }
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Packer")
    }
}

/// Trains a dictionary on samples. It contains parts of them as they are, so words that only a few samples have are left out:
/// a dictionary stays when a run is erased.
pub fn train(samples: &[String]) -> std::io::Result<Vec<u8>> {
    zstd::dict::from_samples(&without_rare_words(samples), TRAINED_BYTES)
}

fn without_rare_words(samples: &[String]) -> Vec<String> {
    let is_part_of_word = |c: char| c.is_alphanumeric();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for sample in samples {
        let words: HashSet<&str> = sample.split(|c| !is_part_of_word(c)).collect();
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
    }
    let common = |sample: &String| {
        let mut text = String::with_capacity(sample.len());
        let mut rest = sample.as_str();
        while let Some(first) = rest.chars().next() {
            let is_word = is_part_of_word(first);
            let end = rest.find(|c| is_part_of_word(c) != is_word).unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            if !is_word || counts.get(part).is_some_and(|count| *count >= MIN_SAMPLES_OF_WORD) {
                text.push_str(part);
            }
            rest = after;
        }
        text
    };
    samples.iter().map(common).collect()
}

/// The size of a body after decompression, from its beginning. That of the stored body if it does not say.
pub fn plain_bytes(head: &[u8], stored: u64) -> u64 {
    let frame = match (head.first(), trained_id(head)) {
        (_, Some((_, frame))) => frame,
        (Some(&BUILT_IN), _) => &head[1..],
        _ => return stored,
    };
    zstd_safe::get_frame_content_size(frame).ok().flatten().unwrap_or(stored)
}

fn trained_id(body: &[u8]) -> Option<(u32, &[u8])> {
    let (id, rest) = body.strip_prefix(&[TRAINED])?.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*id), rest))
}

fn seq(event: &Event) -> i64 {
    i64::try_from(event.seq).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn log(from: u64) -> Vec<Event> {
        let text = |i: u64| format!("{} ", from + i).repeat(40);
        (1..=2_000).map(|i| Event::new(i * 2, "assistant_delta", json!({ "text": text(i) }))).collect()
    }

    #[test]
    fn a_long_log_has_several_parts_that_can_be_read_from_any_seq() {
        let packer = Packer::default();
        let events = log(0);
        let parts = packer.pack_log(&events).expect("packs");
        assert!(parts.len() > 2);
        assert!(parts.windows(2).all(|pair| pair[0].last_seq < pair[1].first_seq));
        let read = |from| -> Vec<Event> {
            let unpack = |part: &Part| packer.unpack_events(&part.body, &part.times, from).expect("reads").0;
            parts.iter().flat_map(unpack).collect()
        };
        assert_eq!(read(0), events);
        assert_eq!(read(4_000).len(), 1);
    }

    #[test]
    fn bodies_from_before_a_dictionary_can_be_read() {
        let packer = Packer::default();
        let before = packer.compress(b"{\"a\":1}").expect("packs");
        let sample = |i: u64| {
            let line = |k: u64| {
                format!(
                    "{{\"id\":{},\"note\":\"customer {i} asked about the invoice and its delivery\"}}",
                    i * 31 + k * 7
                )
            };
            (0..8).map(line).collect::<Vec<_>>().join("\n")
        };
        let samples: Vec<String> = (0..400).map(sample).collect();
        packer.add(7, &train(&samples).expect("trains"));
        let after = packer.compress(samples[3].as_bytes()).expect("packs");
        assert_eq!(packer.decompress(&before).expect("reads"), "{\"a\":1}");
        assert_eq!(packer.decompress(&after).expect("reads"), samples[3]);
        assert!(after.len() < Packer::default().compress(samples[3].as_bytes()).expect("packs").len());
        // Another process does not have the dictionary yet, but knows its id.
        let other = Packer::default();
        assert_eq!((other.missing_dictionary(&after), other.missing_dictionary(&before)), (Some(7), None));
        assert!(other.decompress(&after).is_err());
    }

    #[test]
    fn a_dictionary_contains_no_word_that_few_samples_have() {
        let sample = |i: usize| {
            let rare = if i.is_multiple_of(40) { " zqrare" } else { "" };
            format!("{{\"type\":\"assistant_delta\",\"text\":\"customer zqunique{i} asked{rare} for the invoice\"}}\n")
                .repeat(8)
        };
        let samples: Vec<String> = (0..400).map(sample).collect();
        let dictionary = train(&samples).expect("trains");
        let contains = |word: &str| dictionary.windows(word.len()).any(|part| part == word.as_bytes());
        assert!(contains("customer") && contains("invoice"));
        assert!(!contains("zqrare") && !contains("zqunique"));
    }

    #[test]
    fn uncompressed_bodies_can_be_read() {
        let packer = Packer::default();
        assert_eq!(packer.decompress(b"{\"a\":1}").expect("reads"), "{\"a\":1}");
        assert!(packer.decompress(&[9, 1]).is_err() && packer.decompress(&[]).is_err());
    }
}
