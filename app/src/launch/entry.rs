//! The content that the launch form opens with.

use serde::{Deserialize, Serialize};

use crate::query_string::QueryString;

/// A run, a template, a session or a draft to start from.
///
/// In the page's address: `/launch?like=RUN`, `?template=ID`, `?session=ID`, `?draft=new`, `?draft=earlier`. `&set=POINTER=VALUE`
/// changes the spec before it is shown, any number of times: `POINTER` is a JSON Pointer, `VALUE` is JSON or, if it isn't
/// valid JSON, text. An empty value removes the field. `/launch?like=run_1&set=/budgets/maxToolTurns=20` relaunches a run
/// with more turns; `set=/modelId=?larger` lets the server choose the next larger model of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LaunchEntry {
    pub like: Option<String>,
    pub template: Option<String>,
    pub session: Option<String>,
    /// `new` is an empty form, `earlier` the draft that was replaced when another one was started. Otherwise the saved draft
    /// is opened.
    pub draft: Option<String>,
    pub set: Vec<String>,
}

impl LaunchEntry {
    pub fn from_query(query: &QueryString) -> Self {
        let one = |name: &str| query.get(name);
        Self {
            like: one("like"),
            template: one("template"),
            session: one("session"),
            draft: one("draft"),
            set: query.get_all("set"),
        }
    }
}
