//! Makes invisible characters visible in text from models and tools.
//!
//! Terminal codes, other control characters and direction marks could hide or disguise text, so each is replaced by a
//! visible symbol.

use std::borrow::Cow;

/// Returns text that is safe to show. Line breaks and tabs are unchanged.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\r' | '\n' | '\t' => out.push(c),
            // Unicode has a symbol for each ASCII control character.
            '\0'..='\x1f' => out.extend(char::from_u32(0x2400 + c as u32)),
            '\x7f' => out.push('\u{2421}'),
            c if is_hidden(c) => out.push_str(&format!("⟨U+{:04X}⟩", c as u32)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Returns the same text as HTML, for `inner_html`.
///
/// Browsers split a text node of a parsed document after 65,536 characters. Hydration expects one node, so text that may be
/// longer must not be a text node of a view.
pub fn visible_html(text: &str) -> String {
    escape_html(&visible(text))
}

/// Escapes text for use between tags.
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::{visible, visible_html};

    #[test]
    fn ordinary_text_in_any_script_is_untouched() {
        for text in ["a\tb\nc", "Zoë 東京 שלום 👩‍🚀", ""] {
            assert!(matches!(visible(text), std::borrow::Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn html_is_escaped() {
        assert_eq!(visible_html("<b>&\0</b>"), "&lt;b&gt;&amp;␀&lt;/b&gt;");
    }

    #[test]
    fn terminal_codes_and_direction_marks_are_shown() {
        assert_eq!(visible("\x1b[31mred\0"), "␛[31mred␀");
        assert_eq!(visible("user\u{202e}txt.exe"), "user⟨U+202E⟩txt.exe");
    }
}
