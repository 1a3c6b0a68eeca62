//! Bundles the stylesheets into one minified file, without converting newer syntax to older.

use std::path::Path;

use anyhow::{Result, anyhow};
use lightningcss::bundler::{Bundler, FileProvider};
use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions};

/// Bundles a stylesheet with everything that it imports.
pub fn bundle(entry: &Path) -> Result<String> {
    let files = FileProvider::new();
    let mut bundler = Bundler::new(&files, None, ParserOptions::default());
    let mut sheet = bundler.bundle(entry).map_err(|error| anyhow!("{error} (while bundling {})", entry.display()))?;
    sheet.minify(MinifyOptions::default()).map_err(|error| anyhow!("{error}"))?;
    let printed = sheet.to_css(PrinterOptions { minify: true, ..PrinterOptions::default() });
    Ok(group_declarations(&printed.map_err(|error| anyhow!("{error}"))?.code))
}

/// Writes the declarations of every rule in the same order, so that rules compress better. Declarations that may override
/// each other keep their order.
fn group_declarations(css: &str) -> String {
    let mut grouped = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(open) = rest.find('{') {
        let (before, block) = rest.split_at(open + 1);
        grouped.push_str(before);
        let end = block.find(['{', '}']).unwrap_or(block.len());
        let is_declarations = block[end..].starts_with('}') && !block[..end].contains(['"', '\'']);
        if is_declarations {
            let mut declarations: Vec<&str> = block[..end].split(';').collect();
            declarations.sort_by_key(|declaration| family(declaration));
            grouped.push_str(&declarations.join(";"));
            rest = &block[end..];
        } else {
            rest = block;
        }
    }
    grouped.push_str(rest);
    grouped
}

/// Properties of one family may override each other: `border` and `border-left`, `inset` and `top`, `font` and `line-height`.
fn family(declaration: &str) -> &str {
    let name = declaration.split(':').next().unwrap_or_default();
    if name.starts_with('-') {
        return name;
    }
    match name.split('-').next().unwrap_or_default() {
        "top" | "right" | "bottom" | "left" => "inset",
        "align" | "justify" => "place",
        "row" | "column" => "gap",
        "line" => "font",
        "min" | "max" => name,
        first => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn imports_are_inlined_and_current_syntax_survives() -> Result<()> {
        let dir = tempfile::tempdir()?;
        fs::write(dir.path().join("main.css"), "@layer base, parts;\n@import 'parts.css' layer(parts);\n")?;
        fs::write(
            dir.path().join("parts.css"),
            ".run { --ink: light-dark(#111111, #eeeeee); & > .mark { color: color-mix(in oklab, var(--ink) 50%, red) } }",
        )?;
        let css = bundle(&dir.path().join("main.css"))?;
        for expected in ["@layer base;@layer parts{", "light-dark(", "&>.mark", "color-mix(in oklab"] {
            assert!(css.contains(expected), "{expected} is missing in {css}");
        }
        assert!(!css.contains("@import"));
        Ok(())
    }

    #[test]
    fn an_error_names_its_file() -> Result<()> {
        let dir = tempfile::tempdir()?;
        let entry = dir.path().join("main.css");
        fs::write(&entry, "@import 'missing.css';")?;
        let error = bundle(&entry).expect_err("the import does not exist");
        assert!(error.to_string().contains("main.css"), "{error}");
        Ok(())
    }

    #[test]
    fn declarations_have_one_order_and_overrides_keep_theirs() {
        let css = "a{color:red;border-left:0;align-items:end;border:1px solid;--x:1}@media print{b{top:0;inset:0;display:grid}}i:before{content:\";\";all:unset}";
        let grouped = "a{--x:1;border-left:0;border:1px solid;color:red;align-items:end}@media print{b{display:grid;top:0;inset:0}}i:before{content:\";\";all:unset}";
        assert_eq!(group_declarations(css), grouped);
    }
}
