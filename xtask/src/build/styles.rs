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
    Ok(printed.map_err(|error| anyhow!("{error}"))?.code)
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
}
