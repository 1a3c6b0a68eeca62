//! The words of enums, as the store, the JSON API and forms write them: those of serde.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Returns the word of a variant without data.
pub fn word(variant: impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns the variant with this word.
pub fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(word.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnswerState, BatchItemState, Via};

    #[test]
    fn the_words_of_stored_states_stay_as_they_are() {
        let states = [AnswerState::Working, AnswerState::Ready, AnswerState::Sent, AnswerState::NotNeeded];
        assert_eq!(states.map(word), ["working", "ready", "sent", "not_needed"]);
        assert_eq!(word(AnswerState::Failed), "failed");
        assert_eq!([Via::Hand, Via::Canned, Via::Mcp, Via::A2a].map(word), ["hand", "canned", "mcp", "a2a"]);
        let items = [BatchItemState::Waiting, BatchItemState::Launched, BatchItemState::Failed];
        assert_eq!(items.map(word), ["waiting", "launched", "failed"]);
        assert_eq!(from_word("not_needed"), Some(AnswerState::NotNeeded));
        assert_eq!(from_word::<Via>("later"), None);
    }
}
