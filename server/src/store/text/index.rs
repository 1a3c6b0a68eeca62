//! Writing the words of runs.

use std::collections::BTreeSet;

use protocol::query::words;
use sqlx::AnyConnection;

use super::{AGENT, BEGINNING, LAST_CHARS, NAME, scope, scope_word};
use crate::store::log_summary::truncate;
use crate::store::sql::{Arg, execute, rows};
use crate::store::{Engine, Result, WorkspaceId};

/// Indexed of each of prompt, answer, error and calls. The log has the rest.
const MAX_PART_BYTES: usize = 32 * 1024;
/// PostgreSQL's limit of positions in a text.
const MAX_WORDS: usize = 16_383;
const CHUNK: usize = 200;

/// The text of a run.
#[derive(Default)]
pub(in crate::store) struct TextParts<'a> {
    pub name: &'a str,
    pub agent: &'a str,
    /// Everything else that phrases are searched in. No phrase spans two parts.
    pub parts: Vec<&'a str>,
    /// The beginnings of tool results.
    pub results: &'a str,
}

/// The indexed words of a run.
#[derive(Clone, Debug)]
pub(in crate::store) struct RunText {
    list_key: i64,
    /// Words in order. Parts are separated by a gap.
    phrases: Vec<String>,
    /// Every word, and the words of name and agent once more with their marks.
    words: BTreeSet<String>,
}

impl RunText {
    pub fn new(list_key: i64, text: &TextParts<'_>) -> Self {
        let mut phrases = Vec::new();
        for part in [text.name, text.agent].iter().chain(&text.parts).filter(|part| !part.is_empty()) {
            if !phrases.is_empty() {
                phrases.push(SEPARATOR.to_owned());
            }
            phrases.extend(words(truncate(part, MAX_PART_BYTES)));
        }
        phrases.truncate(MAX_WORDS);
        let mut all: BTreeSet<String> = phrases.iter().filter(|word| *word != SEPARATOR).cloned().collect();
        all.extend(words(text.results));
        all.extend(words(text.name).map(|word| format!("{NAME}{word}")));
        all.extend(words(text.agent).map(|word| format!("{AGENT}{word}")));
        Self { list_key, phrases, words: all }
    }
}

/// Words contain a letter or a digit, so this is none.
const SEPARATOR: &str = "";

pub(in crate::store) async fn write(
    connection: &mut AnyConnection,
    engine: Engine,
    workspace: WorkspaceId,
    texts: &[RunText],
) -> Result<()> {
    for chunk in texts.chunks(CHUNK) {
        match engine {
            Engine::Sqlite => {
                let sql = format!(
                    "INSERT OR REPLACE INTO run_text (rowid, scope, words) VALUES {}",
                    rows(engine, chunk.len(), "(?, ?, ?)")
                );
                let scope = Arg::from(scope(workspace));
                let args = chunk.iter().flat_map(|run| [run.list_key.into(), scope.clone(), run.to_phrases().into()]);
                execute(connection, sql, args.collect()).await?;
                let sql = format!(
                    "INSERT OR REPLACE INTO run_word (rowid, words) VALUES {}",
                    rows(engine, chunk.len(), "(?, ?)")
                );
                let args = chunk.iter().flat_map(|run| [Arg::from(run.list_key), run.to_words(workspace).into()]);
                execute(connection, sql, args.collect()).await?;
            }
            Engine::Postgres => {
                let sql = format!(
                    "INSERT INTO run_text (n, workspace_id, words) VALUES {} \
                     ON CONFLICT (n) DO UPDATE SET words = excluded.words",
                    rows(engine, chunk.len(), "(?, ?, CAST(? AS tsvector))")
                );
                let args = chunk
                    .iter()
                    .flat_map(|run| [Arg::from(run.list_key), Arg::from(workspace.0), Arg::from(run.to_tsvector())]);
                execute(connection, sql, args.collect()).await?;
            }
        }
    }
    Ok(())
}

pub(in crate::store) async fn delete(connection: &mut AnyConnection, engine: Engine, list_keys: &str) -> Result<()> {
    let statements = match engine {
        Engine::Sqlite => {
            ["run_text", "run_word"].map(|table| format!("DELETE FROM {table} WHERE rowid IN ({list_keys})"))
        }
        Engine::Postgres => return delete_from_postgres(connection, list_keys).await,
    };
    for sql in statements {
        execute(connection, sql, Vec::new()).await?;
    }
    Ok(())
}

async fn delete_from_postgres(connection: &mut AnyConnection, list_keys: &str) -> Result<()> {
    execute(connection, format!("DELETE FROM run_text WHERE n IN ({list_keys})"), Vec::new()).await.map(drop)
}

impl RunText {
    fn to_phrases(&self) -> String {
        // FTS5 has no gaps: use a word that no query can contain.
        let words: Vec<&str> = self.phrases.iter().map(|word| if word == SEPARATOR { "¦" } else { word }).collect();
        words.join(" ")
    }

    fn to_words(&self, workspace: WorkspaceId) -> String {
        let beginnings: BTreeSet<&str> = self.words.iter().flat_map(|word| beginnings(word)).collect();
        let mut text = scope_word(workspace);
        for word in &self.words {
            text.push(' ');
            text.push_str(word);
        }
        for beginning in beginnings {
            text.push(' ');
            text.push(BEGINNING);
            text.push_str(beginning);
        }
        text
    }

    fn to_tsvector(&self) -> String {
        let mut text = String::new();
        for (i, word) in self.phrases.iter().enumerate().filter(|(_, word)| *word != SEPARATOR) {
            text.push_str(&format!("'{word}':{} ", i + 1));
        }
        let with_position: BTreeSet<&String> = self.phrases.iter().collect();
        for word in self.words.iter().filter(|word| !with_position.contains(word)) {
            text.push_str(&format!("'{word}' "));
        }
        text
    }
}

/// The indexed beginnings of a word, of one and of three characters. A short word is its own beginning, to save space. Words
/// with a mark are found without.
fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    let has_mark = word.starts_with(NAME) || word.starts_with(AGENT);
    let mut ends = word.char_indices().map(|(at, c)| (at + c.len_utf8(), c));
    let one = ends.next().filter(|(end, _)| *end < word.len());
    let three = ends.nth(1).filter(|(end, c)| *end < word.len() || !LAST_CHARS.contains(*c));
    [one, three].into_iter().flatten().filter(move |_| !has_mark).map(|(end, _)| &word[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_index_the_same_words() {
        let text =
            TextParts { name: "Bill-run", agent: "", parts: vec!["Invoice #12", "", "paid"], results: "12 paid 345" };
        let run = RunText::new(1, &text);
        assert_eq!(run.to_tsvector(), "'bill':1 'run':2 'invoice':4 '12':5 'paid':7 '345' 'n§bill' 'n§run' ");
        assert_eq!(run.to_phrases(), "bill run ¦ invoice 12 ¦ paid");
        assert_eq!(
            run.to_words(WorkspaceId(7)),
            "§7 12 345 bill invoice n§bill n§run paid run ¶1 ¶3 ¶b ¶bil ¶i ¶inv ¶p ¶pai ¶r"
        );
    }

    #[test]
    fn a_beginning_has_whole_characters() {
        let of = |word| beginnings(word).collect::<Vec<_>>();
        assert_eq!((of("überzug"), of("ab"), of("東")), (vec!["ü", "übe"], vec!["a"], vec![]));
        assert_eq!((of("abc"), of("abß"), of("abcd")), (vec!["a"], vec!["a", "abß"], vec!["a", "abc"]));
    }
}
