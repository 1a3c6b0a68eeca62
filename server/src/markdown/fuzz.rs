//! Fuzz tests: any Markdown becomes HTML with only the tags and attributes of this module, each closed in order.

use proptest::prelude::*;
use proptest::sample::select;

use super::{is_safe_url, render};

/// Marks of Markdown, HTML and URLs.
const FRAGMENTS: [&str; 44] = [
    "*",
    "**",
    "_",
    "~~",
    "`",
    "```",
    "```\"><script>\n",
    "~~~",
    "> ",
    "- ",
    "1. ",
    "# ",
    "\n",
    "\n\n",
    "    ",
    "\t",
    "|",
    "|--|--|\n",
    "[",
    "](",
    ")",
    "![",
    "<",
    ">",
    "<!--",
    "-->",
    "<script>",
    "</p>",
    "<b onclick=x>",
    "&lt;",
    "&#x6a;",
    "javascript:",
    "data:text/html,",
    "https://a.b/",
    "http://",
    "mailto:",
    "[x]: javascript:a\n",
    "\"",
    "'",
    "\\",
    "\0",
    "\u{202e}",
    "é",
    "text ",
];
const VOID: [&str; 2] = ["br", "hr"];
/// Tags with the attributes that they may have.
const TAGS: [(&str, &[&str]); 23] = [
    ("div", &["class", "tabindex"]),
    ("pre", &["class", "data-language", "tabindex"]),
    ("code", &[]),
    ("p", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("blockquote", &[]),
    ("ul", &[]),
    ("ol", &["start"]),
    ("li", &[]),
    ("table", &[]),
    ("thead", &[]),
    ("tbody", &[]),
    ("tr", &[]),
    ("th", &["scope"]),
    ("td", &[]),
    ("strong", &[]),
    ("em", &[]),
    ("s", &[]),
    ("a", &["href", "rel", "target"]),
    ("br", &[]),
    ("hr", &[]),
];

/// Reads HTML strictly. Returns the first thing that is wrong.
fn fault(html: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') {
            return Some(format!("a bare > in {:?}", &rest[..at]));
        }
        let Some(end) = rest[at..].find('>') else { return Some("a tag without an end".to_owned()) };
        let tag = &rest[at + 1..at + end];
        rest = &rest[at + end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(expected) if expected == name => continue,
                other => return Some(format!("</{name}> closes {other:?}")),
            }
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let Some((_, allowed)) = TAGS.iter().find(|(known, _)| *known == name) else {
            return Some(format!("the tag {tag:?}"));
        };
        if let Some(wrong) = wrong_attribute(attributes, allowed) {
            return Some(format!("{wrong} in {tag:?}"));
        }
        if !VOID.contains(&name) {
            open.push(name);
        }
    }
    if rest.contains('>') {
        return Some(format!("a bare > in {rest:?}"));
    }
    (!open.is_empty()).then(|| format!("{open:?} stay open"))
}

/// Attributes are `name="value"`, separated by spaces, with no quote or bracket inside.
fn wrong_attribute(text: &str, allowed: &[&str]) -> Option<String> {
    let mut rest = text;
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once("=\"") else { return Some(format!("{rest:?}")) };
        let Some((value, after)) = after.split_once('"') else { return Some(format!("an open value of {name}")) };
        if !allowed.contains(&name) {
            return Some(format!("the attribute {name}"));
        }
        let url = value.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">");
        if name == "href" && !is_safe_url(&url.replace("&amp;", "&")) {
            return Some(format!("the address {value}"));
        }
        rest = after.trim_start_matches(' ');
    }
    None
}

#[test]
fn the_strict_reader_finds_what_is_wrong() {
    for good in ["a<br>b", "<p>a <strong>b</strong></p>", "<a href=\"https://a.b/?c&amp;d\" rel=\"x\">c</a>"] {
        assert_eq!(fault(good), None, "{good}");
    }
    for bad in
        ["<script>", "<p>", "<p><em></p></em>", "<p onclick=\"x\"></p>", "<a href=\"javascript:x\"></a>", "a > b", "<p"]
    {
        assert!(fault(bad).is_some(), "{bad}");
    }
}

proptest! {
    #[test]
    fn any_markdown_becomes_harmless_html(parts in prop::collection::vec(select(&FRAGMENTS[..]), 0..60)) {
        let text = parts.concat();
        let html = render(&text);
        prop_assert_eq!(fault(&html), None, "{:?} became {:?}", text, html);
    }

    #[test]
    fn any_text_becomes_harmless_html(text in any::<String>()) {
        let html = render(&text);
        prop_assert_eq!(fault(&html), None, "{:?} became {:?}", text, html);
    }
}
