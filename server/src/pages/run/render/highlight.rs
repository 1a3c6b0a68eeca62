//! Marks the matches of a search in rendered HTML.

/// Wraps matches in `<mark>`, ignoring case. `html` was rendered by this server: every `<` starts a tag, and every `&` in
/// text an entity.
pub fn highlighted(html: String, needle: &str) -> String {
    // Escaped like the text.
    let needle = needle.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").to_lowercase();
    if needle.is_empty() {
        return html;
    }
    let mut marked = String::with_capacity(html.len() + 64);
    let mut rest = html.as_str();
    while !rest.is_empty() {
        let (text, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        mark(text, &needle, &mut marked);
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        marked.push_str(&tag[..end]);
        rest = &tag[end..];
    }
    marked
}

fn mark(text: &str, needle: &str, out: &mut String) {
    let lower = Lowered::new(text);
    let mut done = 0;
    for (start, _) in lower.text.match_indices(needle) {
        let (start, end) = (lower.origin(start), lower.origin(start + needle.len()));
        if start < done || cuts_entity(text, start) || cuts_entity(text, end) {
            continue;
        }
        out.push_str(&text[done..start]);
        out.push_str("<mark>");
        out.push_str(&text[start..end]);
        out.push_str("</mark>");
        done = end;
    }
    out.push_str(&text[done..]);
}

/// A text in lower case, with offsets into the original: some letters change their length.
struct Lowered {
    text: String,
    /// The original offset of each byte; `None` if all offsets are the same.
    origins: Option<Vec<usize>>,
    length: usize,
}

impl Lowered {
    fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self { text: text.to_ascii_lowercase(), origins: None, length: text.len() };
        }
        let mut lowered = String::with_capacity(text.len());
        let mut origins = Vec::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            lowered.extend(c.to_lowercase());
            origins.resize(lowered.len(), at);
        }
        Self { text: lowered, origins: Some(origins), length: text.len() }
    }

    /// The original offset of the character at an offset of the lower-case text.
    fn origin(&self, at: usize) -> usize {
        match &self.origins {
            None => at,
            Some(origins) => origins.get(at).copied().unwrap_or(self.length),
        }
    }
}

/// Returns true if the offset is inside an entity, such as between `&am` and `p;`.
fn cuts_entity(text: &str, at: usize) -> bool {
    let Some(begin) = text[..at].rfind('&') else { return false };
    !text[begin..at].contains(';')
}

#[cfg(test)]
mod tests {
    use super::highlighted;

    fn check(html: &str, needle: &str, expected: &str) {
        assert_eq!(highlighted(html.to_owned(), needle), expected);
    }

    #[test]
    fn text_is_marked_and_tags_are_not() {
        check(r#"<a class="a">A cat</a>"#, "a", r#"<a class="a"><mark>A</mark> c<mark>a</mark>t</a>"#);
        check("<p>Refund</p>", "", "<p>Refund</p>");
        check("<p>ПРИВЕТ, Größe İx</p>", "привет", "<p><mark>ПРИВЕТ</mark>, Größe İx</p>");
        check("<p>İstanbul GRÖSSE</p>", "größ", "<p>İstanbul GRÖSSE</p>");
        check("<p>İ İ x</p>", "X", "<p>İ İ <mark>x</mark></p>");
    }

    #[test]
    fn entities_stay_whole() {
        check("a &amp; b", "amp", "a &amp; b");
        check("a &amp; b &lt;i&gt;", "& b <", "a <mark>&amp; b &lt;</mark>i&gt;");
        check("x &lt; y", "t; y", "x &lt; y");
    }

    #[test]
    fn a_needle_with_markup_stays_text() {
        check("&lt;script&gt;", "<script>", "<mark>&lt;script&gt;</mark>");
    }
}
