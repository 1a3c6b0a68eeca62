//! Renders Markdown as safe HTML.
//!
//! pulldown-cmark parses; this module writes the HTML itself, because the input comes from models and tools: raw HTML is
//! shown as text, images are not loaded, and a link needs a safe scheme. Nesting is limited, so that hostile input
//! can't build a document that browsers fail on.

use crate::masking::{is_redacted, masked, shown};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};

use crate::html::{escape, escape_text};

/// Longer texts are shown as plain text.
const MAX_MARKDOWN_BYTES: usize = 100_000;
/// Nested quotes, lists and emphasis beyond this depth are flattened.
const MAX_DEPTH: usize = 8;

pub fn render(text: &str) -> String {
    let text = shown(text);
    if text.len() > MAX_MARKDOWN_BYTES {
        return format!("<pre class=\"prose raw\">{}</pre>", escape_text(&text));
    }
    let mut writer = Writer::default();
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut inline = Vec::new();
    for event in TextMergeStream::new(Parser::new_ext(&text, options)) {
        if is_inline(&event) {
            inline.push(event);
        } else {
            writer.write_inline(std::mem::take(&mut inline));
            writer.write(event);
        }
    }
    writer.write_inline(inline);
    format!("<div class=\"prose markdown\">{}</div>", writer.html)
}

/// Returns true for URLs that open a page or an e-mail, and can't run code.
pub fn is_safe_url(url: &str) -> bool {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    let safe = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    safe && !url.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Returns true for texts and marks in a block.
fn is_inline(event: &Event<'_>) -> bool {
    use Tag::{Emphasis, Image, Link, Strikethrough, Strong};
    match event {
        Event::Start(tag) => matches!(tag, Emphasis | Strong | Strikethrough | Link { .. } | Image { .. }),
        Event::End(tag) => {
            use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
            matches!(tag, Emphasis | Strong | Strikethrough | Link | Image)
        }
        event => !matches!(event, Event::Rule),
    }
}

/// The text of a part of a block, as a page shows it.
fn plain_text(events: &[Event<'_>]) -> String {
    let text = |event: &Event<'_>| match event {
        Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => text.to_string(),
        Event::SoftBreak | Event::HardBreak => "\n".to_owned(),
        _ => String::new(),
    };
    events.iter().map(text).collect()
}

#[derive(Default)]
struct Writer {
    html: String,
    /// Open quotes, lists and emphasis, and for each whether its tags are written.
    containers: Vec<bool>,
    /// The closing text of each open link or image.
    links: Vec<String>,
    in_table_head: bool,
    in_code: bool,
}

impl Writer {
    /// Writes a part of a block. If Markdown has split or encoded what must be masked, only its masked text is written.
    fn write_inline(&mut self, events: Vec<Event<'_>>) {
        let text = plain_text(&events);
        let masked = masked(&text);
        if masked == text {
            events.into_iter().for_each(|event| self.write(event));
        } else if self.in_code {
            self.push_text(&masked);
        } else {
            let lines: Vec<String> = masked.split('\n').map(escape_text).collect();
            self.html.push_str(&lines.join("<br>"));
        }
    }

    fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code || !self.links.is_empty() => self.push_text(&text),
            Event::Text(text) => self.push_linkified(&text),
            Event::Html(text) | Event::InlineHtml(text) => self.push_text(&text),
            Event::Code(code) => {
                self.html.push_str("<code>");
                self.push_text(&code);
                self.html.push_str("</code>");
            }
            // Models mean their line breaks.
            Event::SoftBreak | Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            // Extensions that are not enabled.
            Event::FootnoteReference(_) | Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.html.push_str("<p>"),
            Tag::Heading { level, .. } => self.html.push_str(&format!("<{}>", heading(level))),
            Tag::BlockQuote(_) => self.open("<blockquote>"),
            Tag::List(None) => self.open("<ul>"),
            Tag::List(Some(start)) => self.open(&format!("<ol start=\"{start}\">")),
            Tag::Item if self.is_written() => self.html.push_str("<li>"),
            Tag::Item => {}
            Tag::CodeBlock(kind) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(language) if !language.is_empty() => {
                        format!(" data-language=\"{}\"", escape(&masked(language)))
                    }
                    _ => String::new(),
                };
                self.html.push_str(&format!("<pre class=\"code\"{language} tabindex=\"0\"><code>"));
                self.in_code = true;
            }
            Tag::Table(_) => self.html.push_str("<div class=\"table-scroll\" tabindex=\"0\"><table>"),
            Tag::TableHead => {
                self.in_table_head = true;
                self.html.push_str("<thead><tr>");
            }
            Tag::TableRow => self.html.push_str("<tr>"),
            Tag::TableCell if self.in_table_head => self.html.push_str("<th scope=\"col\">"),
            Tag::TableCell => self.html.push_str("<td>"),
            Tag::Strong => self.open("<strong>"),
            Tag::Emphasis => self.open("<em>"),
            Tag::Strikethrough => self.open("<s>"),
            Tag::Link { dest_url, .. } => self.open_link("", &dest_url),
            Tag::Image { dest_url, .. } => self.open_link("!", &dest_url),
            // Extensions that are not enabled.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.html.push_str("</p>"),
            TagEnd::Heading(level) => self.html.push_str(&format!("</{}>", heading(level))),
            TagEnd::BlockQuote(_) => self.close("</blockquote>"),
            TagEnd::List(false) => self.close("</ul>"),
            TagEnd::List(true) => self.close("</ol>"),
            TagEnd::Item if self.is_written() => self.html.push_str("</li>"),
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.html.push_str("</code></pre>");
            }
            TagEnd::Table => self.html.push_str("</tbody></table></div>"),
            TagEnd::TableHead => {
                self.in_table_head = false;
                self.html.push_str("</tr></thead><tbody>");
            }
            TagEnd::TableRow => self.html.push_str("</tr>"),
            TagEnd::TableCell => self.html.push_str(if self.in_table_head { "</th>" } else { "</td>" }),
            TagEnd::Strong => self.close("</strong>"),
            TagEnd::Emphasis => self.close("</em>"),
            TagEnd::Strikethrough => self.close("</s>"),
            TagEnd::Link | TagEnd::Image => {
                let closing = self.links.pop().unwrap_or_default();
                self.html.push_str(&closing);
            }
            _ => {}
        }
    }

    fn open(&mut self, tag: &str) {
        let written = self.containers.len() < MAX_DEPTH;
        self.containers.push(written);
        if written {
            self.html.push_str(tag);
        }
    }

    fn close(&mut self, tag: &str) {
        if self.containers.pop() == Some(true) {
            self.html.push_str(tag);
        }
    }

    fn is_written(&self) -> bool {
        self.containers.last() == Some(&true)
    }

    /// A link with an unsafe URL stays the text that it was.
    fn open_link(&mut self, mark: &str, url: &CowStr<'_>) {
        if is_safe_url(url) && self.links.is_empty() && !is_redacted(url) {
            self.html.push_str(mark);
            self.html.push_str(&open_anchor(url));
            self.links.push("</a>".to_owned());
        } else {
            self.html.push_str(mark);
            self.html.push('[');
            self.links.push(format!("]({})", escape_text(&masked(url))));
        }
    }

    fn push_text(&mut self, text: &str) {
        self.html.push_str(&escape_text(text));
    }

    /// Writes text in which bare URLs become links.
    fn push_linkified(&mut self, text: &str) {
        let mut done = 0;
        for (at, _) in text.match_indices("http") {
            let follows_word = text[..at].ends_with(char::is_alphanumeric);
            let rest = &text[at..];
            if at < done || follows_word || !(rest.starts_with("https://") || rest.starts_with("http://")) {
                continue;
            }
            let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|');
            let url = rest[..rest.find(ends).unwrap_or(rest.len())]
                .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*', '_', '\'']);
            if url.ends_with('/') && url.ends_with("//") || !is_safe_url(url) {
                continue;
            }
            self.push_text(&text[done..at]);
            self.html.push_str(&open_anchor(url));
            self.push_text(url);
            self.html.push_str("</a>");
            done = at + url.len();
        }
        self.push_text(&text[done..]);
    }
}

fn open_anchor(url: &str) -> String {
    format!("<a href=\"{}\" rel=\"noopener noreferrer nofollow external\" target=\"_blank\">", escape(url))
}

/// The page's own headings use the levels above.
fn heading(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => "h4",
        HeadingLevel::H3 => "h5",
        _ => "h6",
    }
}

#[cfg(test)]
mod fuzz;

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares without the wrapper and with short link and code tags, so that a test fits on a line.
    fn check(markdown: &str, expected: &str) {
        let html = render(markdown);
        let html = html.strip_prefix("<div class=\"prose markdown\">").and_then(|html| html.strip_suffix("</div>"));
        let html =
            html.expect("the wrapper").replace(" rel=\"noopener noreferrer nofollow external\" target=\"_blank\"", "");
        let html = html.replace("<div class=\"table-scroll\" tabindex=\"0\">", "<div>").replace(" tabindex=\"0\"", "");
        assert_eq!(html.replace('\n', "⏎"), expected, "{markdown:?}");
    }

    #[test]
    fn blocks_are_recognised() {
        check("# Title\n\nText\nmore", "<h4>Title</h4><p>Text<br>more</p>");
        check("a\n\n---\nb", "<p>a</p><hr><p>b</p>");
        check("> said\n> twice", "<blockquote><p>said<br>twice</p></blockquote>");
        check("####### seven", "<p>####### seven</p>");
        check("#hashtag", "<p>#hashtag</p>");
        check("#### deep", "<h6>deep</h6>");
    }

    #[test]
    fn lists_nest_and_keep_their_numbers() {
        check("- a\n- b\n  - c\n- d", "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>");
        check("3. x\n4. y", "<ol start=\"3\"><li>x</li><li>y</li></ol>");
        check("1. a\n\n   more\n2. b", "<ol start=\"1\"><li><p>a</p><p>more</p></li><li><p>b</p></li></ol>");
        check("text\n- a", "<p>text</p><ul><li>a</li></ul>");
    }

    #[test]
    fn code_stays_as_it_is_even_if_it_never_ends() {
        check(
            "```rust\nlet x = \"**\";\n```\nafter",
            "<pre class=\"code\" data-language=\"rust\"><code>let x = \"**\";⏎</code></pre><p>after</p>",
        );
        check("```\ncut off", "<pre class=\"code\"><code>cut off</code></pre>");
        check("`**x**` and `open", "<p><code>**x**</code> and `open</p>");
    }

    #[test]
    fn tables_have_equal_rows() {
        check(
            "| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 |",
            "<div><table><thead><tr><th scope=\"col\">a</th><th scope=\"col\">b</th></tr></thead><tbody>\
             <tr><td>1</td><td><strong>2</strong></td></tr><tr><td>3</td><td></td></tr></tbody></table></div>",
        );
        check("a | b\nno rule", "<p>a | b<br>no rule</p>");
    }

    #[test]
    fn emphasis_pairs_its_marks() {
        check("**bold** *soft* ~~gone~~", "<p><strong>bold</strong> <em>soft</em> <s>gone</s></p>");
        check("2 * 3 * 4", "<p>2 * 3 * 4</p>");
        check("snake_case_name and _soft_", "<p>snake_case_name and <em>soft</em></p>");
        check("**never closed", "<p>**never closed</p>");
        check(r"\*not\*", "<p>*not*</p>");
    }

    #[test]
    fn only_safe_urls_become_links() {
        check("[docs](https://example.com/a)", "<p><a href=\"https://example.com/a\">docs</a></p>");
        check("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>");
        check("[x](JaVaScRiPt:alert)", "<p>[x](JaVaScRiPt:alert)</p>");
        check("[x](data:text/html,hi)", "<p>[x](data:text/html,hi)</p>");
        check("[x](/relative)", "<p>[x](/relative)</p>");
        check("![pic](https://example.com/p.png)", "<p>!<a href=\"https://example.com/p.png\">pic</a></p>");
        check(
            "see https://example.com/a_b?c=1&d=2.",
            "<p>see <a href=\"https://example.com/a_b?c=1&amp;d=2\">https://example.com/a_b?c=1&amp;d=2</a>.</p>",
        );
        check("[a \" b](https://example.com/\"x)", "<p><a href=\"https://example.com/&quot;x\">a \" b</a></p>");
    }

    #[test]
    fn html_is_text() {
        check("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>");
        check("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
        check(
            "```\"><script>\nx\n```",
            "<pre class=\"code\" data-language=\"&quot;&gt;&lt;script&gt;\"><code>x⏎</code></pre>",
        );
    }

    #[test]
    fn hostile_text_stays_shallow() {
        for text in ["*", "**", "`", "[", "[a](", "> ", "- ", "_a", "| ", "~~~", "https://", "# ", "1. "] {
            assert!(!render(&text.repeat(20_000)).is_empty(), "{text:?}");
            assert!(!render(&format!("{text}\n").repeat(20_000)).is_empty(), "{text:?}");
        }
        let deep = render(&format!("{}x", "> ".repeat(1_000)));
        assert_eq!(deep.matches("<blockquote>").count(), MAX_DEPTH);
        assert_eq!(deep.matches("</blockquote>").count(), MAX_DEPTH);
        let deep = render(&format!("{}x{}", "*a ".repeat(1_000), " a*".repeat(1_000)));
        assert!(deep.matches("<em>").count() <= MAX_DEPTH, "{}", deep.matches("<em>").count());
    }
}
