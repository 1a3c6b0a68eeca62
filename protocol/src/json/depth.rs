//! Makes deeply nested JSON readable for a parser with a depth limit.

/// Containers that begin this deep become text. Parsers stop at 128, and an event may be inside other JSON.
const MAX_DEPTH: usize = 100;

/// Returns the same JSON with deep containers replaced by their text. `None` if there are none, or if it is not JSON.
pub(super) fn deep_parts_as_text(json: &str) -> Option<String> {
    let mut shallow = String::new();
    let (mut copied, mut depth, mut deep_from) = (0, 0_usize, None);
    let (mut in_text, mut escaped) = (false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                if depth == MAX_DEPTH {
                    deep_from = Some(at);
                }
                depth += 1;
            }
            b'}' | b']' if !in_text => {
                depth = depth.checked_sub(1)?;
                if let Some(from) = deep_from.take_if(|_| depth == MAX_DEPTH) {
                    shallow.push_str(&json[copied..from]);
                    shallow.push_str(&serde_json::Value::from(&json[from..=at]).to_string());
                    copied = at + 1;
                }
            }
            _ => {}
        }
    }
    (copied > 0).then(|| shallow + &json[copied..])
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}\"a[\\\"\"{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn deep_containers_become_text() -> serde_json::Result<()> {
        assert_eq!(deep_parts_as_text(&nested(MAX_DEPTH)), None);
        let shallow = deep_parts_as_text(&nested(5_000)).unwrap_or_default();
        let mut value: Value = serde_json::from_str(&shallow)?;
        for _ in 0..MAX_DEPTH {
            value = value[0].take();
        }
        assert_eq!(value, nested(5_000 - MAX_DEPTH));
        Ok(())
    }

    #[test]
    fn text_that_is_not_json_is_left_alone() {
        let open = "[".repeat(200);
        for text in ["", "]", "[\"", open.as_str()] {
            assert_eq!(deep_parts_as_text(text), None, "{text}");
        }
    }
}
