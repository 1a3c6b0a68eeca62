//! Markdown in, a short form of the blocks out.

use super::{Block, Inline, parse};

fn check(markdown: &str, expected: &str) {
    assert_eq!(show(&parse(markdown)), expected, "{markdown:?}");
}

/// Blocks as nested parentheses, so that a test reads on one line.
fn show(blocks: &[Block]) -> String {
    let lists = |items: &[Vec<Inline>]| items.iter().map(|cell| show_inlines(cell)).collect::<Vec<_>>().join(" | ");
    let shown: Vec<String> = blocks
        .iter()
        .map(|block| match block {
            Block::Heading { level, text } => format!("h{level}({})", show_inlines(text)),
            Block::Paragraph(text) => format!("p({})", show_inlines(text)),
            Block::Code { language, text } => format!("code[{language}]({text})"),
            Block::Quote(inner) => format!("quote({})", show(inner)),
            Block::List { start, items } => {
                let name = start.map_or("ul".to_owned(), |start| format!("ol{start}"));
                format!("{name}({})", items.iter().map(|item| show(item)).collect::<Vec<_>>().join("; "))
            }
            Block::Table { head, rows } => {
                let rows: Vec<String> = rows.iter().map(|row| lists(row)).collect();
                format!("table({} / {})", lists(head), rows.join(" / "))
            }
            Block::Rule => "rule".to_owned(),
        })
        .collect();
    shown.join(" ")
}

fn show_inlines(inlines: &[Inline]) -> String {
    inlines
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) => text.clone(),
            Inline::Code(code) => format!("<code {code}>"),
            Inline::Strong(inner) => format!("<b {}>", show_inlines(inner)),
            Inline::Emphasis(inner) => format!("<i {}>", show_inlines(inner)),
            Inline::Strike(inner) => format!("<s {}>", show_inlines(inner)),
            Inline::Link { href, text } => format!("<a {href} {}>", show_inlines(text)),
            Inline::Break => "⏎".to_owned(),
        })
        .collect()
}

#[test]
fn blocks_are_told_apart() {
    check("# Title\n\nText\nmore", "h1(Title) p(Text⏎more)");
    check("a\n\n---\nb", "p(a) rule p(b)");
    check("> said\n> twice", "quote(p(said⏎twice))");
    check("####### seven", "p(####### seven)");
    check("#hashtag", "p(#hashtag)");
}

#[test]
fn lists_nest_and_keep_their_numbers() {
    check("- a\n- b\n  - c\n- d", "ul(p(a); p(b) ul(p(c)); p(d))");
    check("3. x\n4. y", "ol3(p(x); p(y))");
    check("1. a\n\n   more\n2. b", "ol1(p(a) p(more); p(b))");
    check("- a\n\ntext", "ul(p(a)) p(text)");
    check("- a\n1. b", "ul(p(a)) ol1(p(b))");
    check("text\n- a", "p(text) ul(p(a))");
}

#[test]
fn code_is_kept_as_it_is_even_when_it_never_ends() {
    check("```rust\nlet x = \"**\";\n```\nafter", "code[rust](let x = \"**\";) p(after)");
    check("```\ncut off", "code[](cut off)");
    check("~~~\n```\n~~~", "code[](```)");
    check("```", "code[]()");
}

#[test]
fn tables_have_equal_rows() {
    check("| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 |", "table(a | b / 1 | <b 2> / 3 | )");
    check("a | b\nno rule", "p(a | b⏎no rule)");
}

#[test]
fn emphasis_pairs_its_marks_and_leaves_lone_ones() {
    check("**bold** and *soft* and ~~gone~~", "p(<b bold> and <i soft> and <s gone>)");
    check("**a *b* c**", "p(<b a <i b> c>)");
    check("2 * 3 * 4", "p(2 * 3 * 4)");
    check("snake_case_name and _soft_", "p(snake_case_name and <i soft>)");
    check("**never closed", "p(**never closed)");
    check("*a **b*", "p(<i a **b>)");
    check(r"\*not\*", "p(*not*)");
}

#[test]
fn code_spans_hold_marks() {
    check("`**x**` and ``a ` b``", "p(<code **x**> and <code a ` b>)");
    check("`open", "p(`open)");
}

#[test]
fn links_are_links_only_where_they_are_safe_to_open() {
    check("[docs](https://example.com/a)", "p(<a https://example.com/a docs>)");
    check("[x](javascript:alert(1))", "p([x](javascript:alert(1)))");
    check("[x](JaVaScRiPt:alert(1))", "p([x](JaVaScRiPt:alert(1)))");
    check("[x](data:text/html,hi)", "p([x](data:text/html,hi))");
    check("[x](/relative)", "p([x](/relative))");
    check("![pic](https://example.com/p.png)", "p(!<a https://example.com/p.png pic>)");
    check("see https://example.com/x.", "p(see <a https://example.com/x https://example.com/x>.)");
    check("<script>alert(1)</script>", "p(<script>alert(1)</script>)");
}

#[test]
fn hostile_text_is_read_in_one_go() {
    for text in ["*", "**", "`", "[", "[a](", "> ", "- ", "_a", "| ", "~~~", "https://", "# ", "1. "] {
        let blocks = parse(&text.repeat(50_000));
        assert!(!blocks.is_empty(), "{text:?}");
        assert!(!parse(&format!("{text}\n").repeat(20_000)).is_empty(), "{text:?}");
    }
    let deep: String = (0..1_000).map(|level| format!("{}- a\n", " ".repeat(level * 2))).collect();
    assert!(!parse(&deep).is_empty());
}
