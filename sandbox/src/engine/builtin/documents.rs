//! A few bundled documents and memories, searched by word.

const DOCUMENTS: [(&str, &str); 6] = [
    (
        "Refund policy",
        "Customers may ask for a refund within 30 days of the invoice. Refunds above 200 EUR need the approval of a \
         team lead. Annual plans are refunded pro rata.",
    ),
    (
        "Support triage guide",
        "Severity 1 is an outage or data loss: page the on-call engineer. Severity 2 blocks a team: answer within two \
         hours. Severity 3 is everything else. Always name the affected workspace.",
    ),
    (
        "Release process",
        "Releases leave on Tuesdays. Notes list user-visible changes first, then fixes, then internal work, each in one \
         sentence. Breaking changes carry a migration step.",
    ),
    (
        "Invoice fields",
        "An invoice has a number, an issue date, a currency, lines with item, quantity and unit price, and a total. \
         The total includes tax unless the invoice says otherwise.",
    ),
    (
        "Data retention",
        "Run logs are kept for 90 days, exports for 7. Customers on the enterprise plan may ask for longer retention.",
    ),
    (
        "Rate limits",
        "Run starts are limited to 120 a minute for each workspace. Clients should wait as long as Retry-After says.",
    ),
];

/// Few entries, so that most queries find nothing.
const MEMORIES: [(&str, &str); 2] = [
    ("preferred language", "The team writes to customers in English, and in German on request."),
    ("escalation contact", "Escalations go to the duty lead, reachable through the support desk."),
];

/// Returns the best matching documents, or a sentence if there are none.
pub fn search(query: &str) -> String {
    let mut found: Vec<_> =
        DOCUMENTS.iter().map(|document| (score(query, document), document)).filter(|(score, _)| *score > 0).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    if found.is_empty() {
        return "No matches.".to_owned();
    }
    found.iter().take(2).map(|(_, (title, text))| format!("# {title}\n{text}")).collect::<Vec<_>>().join("\n\n")
}

pub fn recall(query: &str) -> String {
    let query = query.to_lowercase();
    let found = MEMORIES.iter().find(|(topic, _)| query.contains(topic));
    found.map_or("No matches.", |(_, memory)| memory).to_owned()
}

fn score(query: &str, (title, text): &(&str, &str)) -> usize {
    let (title, text) = (title.to_lowercase(), text.to_lowercase());
    let query = query.to_lowercase();
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
    words.map(|word| 3 * usize::from(title.contains(word)) + usize::from(text.contains(word))).sum()
}
