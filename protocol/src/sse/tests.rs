//! Frames from bytes, split at any place.

use proptest::prelude::*;

use super::*;

fn all(bytes: &[u8]) -> Vec<Frame> {
    Frames::default().push(bytes).expect("short enough")
}

/// The same bytes in pieces of `size`.
fn in_pieces(bytes: &[u8], size: usize) -> Vec<Frame> {
    let mut frames = Frames::default();
    bytes.chunks(size).flat_map(|piece| frames.push(piece).expect("short enough")).collect()
}

fn frame(id: Option<&str>, event: Option<&str>, data: &str) -> Frame {
    Frame { id: id.map(Into::into), event: event.map(Into::into), data: data.into() }
}

#[test]
fn written_frames_are_parsed_again() {
    let mut stream = String::new();
    write_frame(&mut stream, 7, "result", "{}");
    assert_eq!(all(stream.as_bytes()), [frame(Some("7"), Some("result"), "{}")]);
}

#[test]
fn each_line_of_a_frame_is_parsed() {
    for (stream, expected) in [
        ("data: a\n\n", frame(None, None, "a")),
        ("data:a\n\n", frame(None, None, "a")),
        ("data:  a\n\n", frame(None, None, " a")),
        ("data\n\n", frame(None, None, "")),
        ("data: a\ndata:\ndata: b\n\n", frame(None, None, "a\n\nb")),
        ("id: 1\nevent: x\ndata: a\n\n", frame(Some("1"), Some("x"), "a")),
        ("data: a\nid: 1\n\n", frame(Some("1"), None, "a")),
        ("id: 1\nid: 2\ndata: a\n\n", frame(Some("2"), None, "a")),
        ("id: 1\0\ndata: a\n\n", frame(None, None, "a")),
        (": ping\ndata: a\n: pong\n\n", frame(None, None, "a")),
        ("retry: 5\nlater: x\nlater\ndata: a\n\n", frame(None, None, "a")),
        ("data: {\"a\": \"b: c\"}\n\n", frame(None, None, "{\"a\": \"b: c\"}")),
        ("\u{feff}data: a\n\n", frame(None, None, "a")),
        ("data: \u{feff}a\n\n", frame(None, None, "\u{feff}a")),
    ] {
        for ending in ["\n", "\r", "\r\n"] {
            let stream = stream.replace('\n', ending);
            let expected = [expected.clone()];
            assert_eq!(all(stream.as_bytes()), expected, "{stream:?}");
            assert_eq!(in_pieces(stream.as_bytes(), 1), expected, "{stream:?} byte by byte");
        }
    }
}

#[test]
fn a_frame_without_data_or_without_an_end_is_none() {
    for stream in ["", "\n\n", ": ping\n\n", "event: x\n\n", "data: a\n", "data: a"] {
        assert_eq!(all(stream.as_bytes()), [], "{stream:?}");
    }
    // The event belonged to the frame that had no data.
    assert_eq!(all(b"event: x\n\ndata: a\n\n"), [frame(None, None, "a")]);
}

#[test]
fn a_crlf_and_a_character_may_be_split() {
    let stream = "data: é€𝄞\r\n\r\ndata: b\r\n\r\n".as_bytes();
    let expected = [frame(None, None, "é€𝄞"), frame(None, None, "b")];
    for cut in 0..=stream.len() {
        let mut frames = Frames::default();
        let mut read = frames.push(&stream[..cut]).expect("short enough");
        read.extend(frames.push(&stream[cut..]).expect("short enough"));
        assert_eq!(read, expected, "cut at {cut}");
    }
}

#[test]
fn invalid_utf8_does_not_stop_the_stream() {
    assert_eq!(all(b"data: a\xffb\n\ndata: c\n\n"), [frame(None, None, "a\u{fffd}b"), frame(None, None, "c")]);
}

#[test]
fn a_frame_of_two_megabytes_is_parsed_in_pieces_of_any_size() {
    let big = "x".repeat(2 * 1024 * 1024);
    let stream = format!("data: {big}\n\n");
    for size in [7, 1400, 1 << 20, stream.len()] {
        assert_eq!(in_pieces(stream.as_bytes(), size), [frame(None, None, &big)]);
    }
}

#[test]
fn a_frame_has_a_largest_size() {
    let fits = format!("data:{}\n\n", "x".repeat(MAX_FRAME_BYTES - "data:".len()));
    assert_eq!(all(fits.as_bytes()).len(), 1);
    let too_long = format!("data:{}\n\n", "x".repeat(MAX_FRAME_BYTES - "data:".len() + 1));
    assert_eq!(Frames::default().push(too_long.as_bytes()), Err(FrameTooLong));
}

#[test]
fn an_endless_line_or_frame_is_an_error() {
    for piece in ["x".repeat(1 << 20), format!("data: {}\n", "x".repeat(1000)).repeat(1 << 10)] {
        let mut frames = Frames::default();
        let failed = (0..9).position(|_| frames.push(piece.as_bytes()).is_err());
        assert!(failed.is_some(), "{:?}…", &piece[..8]);
        assert_eq!(frames.push(b"\n\ndata: a\n\n"), Err(FrameTooLong), "there is no way to go on");
    }
}

#[test]
fn frames_before_one_that_is_too_long_are_not_lost() {
    let stream = [b"data: a\n\ndata: ".as_slice(), &vec![b'x'; MAX_FRAME_BYTES]].concat();
    let mut frames = Frames::default();
    assert_eq!(frames.push(&stream), Ok(vec![frame(None, None, "a")]));
    assert_eq!(frames.push(b"x"), Err(FrameTooLong));
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        lines in prop::collection::vec("(data|id|event|)(: ?)?[a-zé€𝄞:]{0,6}(\n|\r|\r\n)(\n|\r\n)?", 0..30),
        noise in prop::collection::vec(any::<u8>(), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = [lines.concat().into_bytes(), noise, lines.concat().into_bytes()].concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let mut frames = Frames::default();
        let mut split = Vec::new();
        let mut from = 0;
        for cut in cuts.into_iter().chain([bytes.len()]) {
            split.extend(frames.push(&bytes[from..cut]).expect("short enough"));
            from = cut;
        }
        prop_assert_eq!(&split, &all(&bytes));
        prop_assert_eq!(split, in_pieces(&bytes, 1));
    }
}
