//! What a first visit transfers, and whether that is within the limit.

use super::assets::Hashed;

/// HTML, styles, script and wasm together, compressed.
const FIRST_LOAD_LIMIT_BYTES: usize = 400_000;
/// Left for the HTML of the page itself.
const HTML_ALLOWANCE_BYTES: usize = 20_000;

/// Prints the table. Returns a sentence when the files are over their share of the limit.
pub fn print(files: &[Hashed]) -> Option<String> {
    println!("\nfirst load        raw    brotli");
    for file in files {
        println!("{:<10} {:>10} {:>9}", file.kind, kilobytes(file.raw_bytes), kilobytes(file.brotli_bytes));
    }
    let raw_bytes = files.iter().map(|file| file.raw_bytes).sum();
    let brotli_bytes = files.iter().map(|file| file.brotli_bytes).sum();
    println!("{:<10} {:>10} {:>9}", "sum", kilobytes(raw_bytes), kilobytes(brotli_bytes));
    println!("limit: {} compressed, HTML included\n", kilobytes(FIRST_LOAD_LIMIT_BYTES));
    over_limit(brotli_bytes)
}

fn over_limit(brotli_bytes: usize) -> Option<String> {
    let limit_bytes = FIRST_LOAD_LIMIT_BYTES - HTML_ALLOWANCE_BYTES;
    (brotli_bytes > limit_bytes).then(|| {
        format!(
            "script, wasm and styles are {}, over their limit of {}",
            kilobytes(brotli_bytes),
            kilobytes(limit_bytes)
        )
    })
}

fn kilobytes(bytes: usize) -> String {
    format!("{:.1} KB", bytes as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sum_over_the_share_is_reported() {
        assert_eq!(over_limit(380_000), None);
        assert_eq!(
            over_limit(380_100).as_deref(),
            Some("script, wasm and styles are 380.1 KB, over their limit of 380.0 KB")
        );
    }
}
