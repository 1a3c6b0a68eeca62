//! One launch, and what came of it.

use domain::Answers;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchRequest {
    /// Made by the form when it is opened: the same key is the same launch, however often it is sent.
    pub key: String,
    pub mode: LaunchMode,
    pub spec: Value,
    #[serde(default)]
    pub answers: Answers,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LaunchMode {
    #[default]
    OneShot,
    /// The prompt is the first message of a new session; everything else is the session's.
    NewSession,
    /// The prompt is the next message of a session; everything else is for this message only.
    Message { session_id: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Launched {
    pub run_id: String,
    pub session_id: Option<String>,
}

/// A run's spec and answers, to launch another like it. Header values are not told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchContent {
    pub spec: Value,
    #[serde(default)]
    pub answers: Answers,
}

/// The names of a spec's tools that somebody here has to answer, as the model sees them, with where each stands.
pub fn local_tools(spec: &Value) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for (i, tool) in spec["tools"].as_array().into_iter().flatten().enumerate() {
        let mut add = |name: &Value, path: String| names.extend(name.as_str().map(|name| (name.to_owned(), path)));
        match tool["kind"].as_str() {
            Some("local" | "a2a_local") => add(&tool["name"], format!("/tools/{i}")),
            Some("mcp_local") => {
                for (j, listed) in tool["tools"].as_array().into_iter().flatten().enumerate() {
                    add(&listed["name"], format!("/tools/{i}/tools/{j}"));
                }
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn local_tools_of_every_kind_are_named() {
        let spec = json!({ "tools": [
            { "kind": "mantyx", "id": "t" }, { "kind": "local", "name": "a" }, { "kind": "a2a_local", "name": "b" },
            { "kind": "mcp_local", "name": "server", "tools": [{ "name": "c" }, { "name": "d" }] },
        ] });
        let names: Vec<(String, String)> = local_tools(&spec);
        let expected = [("a", "/tools/1"), ("b", "/tools/2"), ("c", "/tools/3/tools/0"), ("d", "/tools/3/tools/1")];
        assert_eq!(names, expected.map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
}
