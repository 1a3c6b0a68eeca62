//! Prints the size of the first visit to each page and checks it against the limits.

use super::assets::{Hashed, Site};

/// HTML, styles, script and wasm together, compressed.
const FIRST_LOAD_LIMIT_BYTES: usize = 400_000;
/// The stylesheet alone, compressed.
const STYLES_LIMIT_BYTES: usize = 12_000;
/// Code that is loaded after a page, with that page: not part of a first load.
const LOADED_LATER: [(&str, &str); 1] = [("launch_check", "more")];
/// Reserved for the HTML of a page. `end2end/tests/page-code.spec.ts` checks that pages of the demonstration stay below.
const LIST_HTML_BYTES: usize = 20_000;
/// The launch form is in the HTML and in the page's data.
const FORM_HTML_BYTES: usize = 17_000;
const OTHER_HTML_BYTES: usize = 14_000;

/// Prints the table. Returns a sentence when a page's files are over their share of the limit.
pub fn print(site: &Site) -> Option<String> {
    println!("\nfirst load              raw    brotli");
    for file in &site.hashed {
        println!("{}", line(file.kind, file.raw_bytes, file.brotli_bytes));
    }
    let (raw_bytes, brotli_bytes) = sums(&site.hashed);
    println!("{}", line("every page", raw_bytes, brotli_bytes));
    let mut over = styles_over_limit(&site.hashed).or_else(|| over_limit("every page", brotli_bytes));
    let is_later = |name: &str| LOADED_LATER.iter().any(|(later, _)| *later == name);
    for (page, chunks) in site.pages.iter().filter(|(page, _)| !is_later(page)) {
        let (raw_chunks, brotli_chunks) = sums(chunks);
        println!("{}", line(&format!("{page} adds"), raw_chunks, brotli_chunks));
        over = over.or_else(|| over_limit(&format!("the page {page}"), brotli_bytes + brotli_chunks));
    }
    let limits = (kilobytes(FIRST_LOAD_LIMIT_BYTES), kilobytes(STYLES_LIMIT_BYTES));
    println!("limits, compressed: {} with HTML, {} of styles\n", limits.0, limits.1);
    for (later, page) in LOADED_LATER {
        let (raw_bytes, brotli_bytes) = sums(&loaded_later(site, later, page));
        println!("{}\n", line(&format!("{later}, after {page}"), raw_bytes, brotli_bytes));
    }
    over
}

/// The files of a later part that its page has not loaded already.
fn loaded_later(site: &Site, later: &str, page: &str) -> Vec<Hashed> {
    let files = |name: &str| site.pages.get(name).cloned().unwrap_or_default();
    let loaded = files(page);
    files(later).into_iter().filter(|file| loaded.iter().all(|known| known.url != file.url)).collect()
}

fn sums(files: &[Hashed]) -> (usize, usize) {
    (files.iter().map(|file| file.raw_bytes).sum(), files.iter().map(|file| file.brotli_bytes).sum())
}

fn line(what: &str, raw_bytes: usize, brotli_bytes: usize) -> String {
    format!("{what:<16} {:>10} {:>9}", kilobytes(raw_bytes), kilobytes(brotli_bytes))
}

fn over_limit(page: &str, brotli_bytes: usize) -> Option<String> {
    let html_bytes = match page {
        "the page runs" => LIST_HTML_BYTES,
        "the page more" => FORM_HTML_BYTES,
        _ => OTHER_HTML_BYTES,
    };
    let limit_bytes = FIRST_LOAD_LIMIT_BYTES - html_bytes;
    (brotli_bytes > limit_bytes).then(|| {
        format!(
            "script, wasm and styles of {page} are {}, over their limit of {}",
            kilobytes(brotli_bytes),
            kilobytes(limit_bytes)
        )
    })
}

fn styles_over_limit(files: &[Hashed]) -> Option<String> {
    let styles = files.iter().find(|file| file.kind == "css" && file.brotli_bytes > STYLES_LIMIT_BYTES)?;
    let sizes = (kilobytes(styles.brotli_bytes), kilobytes(STYLES_LIMIT_BYTES));
    Some(format!("the styles are {}, over their limit of {}: remove rules that no page uses", sizes.0, sizes.1))
}

fn kilobytes(bytes: usize) -> String {
    format!("{:.1} KB", bytes as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Mode;

    fn file(brotli_bytes: usize) -> Hashed {
        Hashed { kind: "wasm", url: brotli_bytes.to_string(), raw_bytes: 3 * brotli_bytes, brotli_bytes }
    }

    #[test]
    fn a_page_is_measured_with_the_files_of_every_page() {
        let mut site = Site::new(Mode::Debug);
        site.hashed = vec![file(200_000), file(60_000)];
        site.pages.insert("launch".to_owned(), vec![file(120_000)]);
        assert_eq!(print(&site), None);
        site.pages.insert("run".to_owned(), vec![file(100_000), file(26_100)]);
        assert_eq!(
            print(&site).as_deref(),
            Some("script, wasm and styles of the page run are 386.1 KB, over their limit of 386.0 KB")
        );
        site.hashed.push(file(126_100));
        assert!(print(&site).is_some_and(|over| over.contains("of every page are 386.1 KB")));
    }

    #[test]
    fn styles_have_a_limit_of_their_own() {
        let mut site = Site::new(Mode::Debug);
        site.hashed = vec![file(100_000), Hashed { kind: "css", ..file(12_000) }];
        assert_eq!(print(&site), None);
        site.hashed[1].brotli_bytes += 100;
        assert!(
            print(&site).is_some_and(|over| over.starts_with("the styles are 12.1 KB, over their limit of 12.0 KB"))
        );
    }

    #[test]
    fn code_that_is_loaded_later_does_not_count() {
        let mut site = Site::new(Mode::Debug);
        site.hashed = vec![file(300_000)];
        site.pages.insert("more".to_owned(), vec![file(60_000)]);
        site.pages.insert("launch_check".to_owned(), vec![file(60_000), file(90_000)]);
        assert_eq!(print(&site), None);
        assert_eq!(sums(&loaded_later(&site, "launch_check", "more")).1, 90_000);
    }
}
