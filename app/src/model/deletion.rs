//! The page that asks for confirmation before a run or a session is deleted.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletionModel {
    /// The title of the run or session.
    pub title: String,
    /// What is deleted with it.
    pub consequences: String,
    /// The page of the run or session.
    pub href: String,
}
