//! The tools of a spec whose calls this server or a person answers.

use serde_json::Value;

/// Returns the name of each local tool, as the model sees it, with its JSON Pointer.
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
    fn every_kind_of_local_tool_is_found() {
        let spec = json!({ "tools": [
            { "kind": "mantyx", "id": "t" }, { "kind": "local", "name": "a" }, { "kind": "a2a_local", "name": "b" },
            { "kind": "mcp_local", "name": "server", "tools": [{ "name": "c" }, { "name": "d" }] },
        ] });
        let names: Vec<(String, String)> = local_tools(&spec);
        let expected = [("a", "/tools/1"), ("b", "/tools/2"), ("c", "/tools/3/tools/0"), ("d", "/tools/3/tools/1")];
        assert_eq!(names, expected.map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
}
