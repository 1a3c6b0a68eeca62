//! Describes error classes in plain words.

pub(super) const MAX_TOOL_TURNS: &str = "max_tool_turns";

/// Returns a phrase that follows «Failed: ».
pub(super) fn describe(class: &str) -> String {
    match class {
        "rate_limit" => "the model's provider got too many requests",
        "overloaded" => "the model's provider was overloaded",
        "server" => "there was a fault on the server's side",
        "context_window" => "the input is larger than the model can read",
        "truncation" => "the model reached its output limit",
        "invalid_request" => "the model's provider did not accept the request",
        "auth" => "the model's provider did not accept the credentials",
        "timeout" => "the model took too long to answer",
        "upstream_deadline" => "the model took too long to answer",
        "local_timeout" => "a local tool was not answered in time",
        "structured_output_schema_rejected" => "the model's provider did not accept the output schema",
        "structured_output_not_supported" => "this model cannot keep to an output schema",
        "structured_output_not_enforced" => "the answer does not fit the output schema",
        "refusal" => "the model declined to answer",
        MAX_TOOL_TURNS => "too many rounds of tool calls",
        "unknown" | "" | "error" => "the cause is not known",
        other => return super::format::plain(other, 64).replace('_', " "),
    }
    .to_owned()
}

/// Returns whether the description of the class alone explains the failure.
pub(super) fn is_documented(class: &str) -> bool {
    describe(class) != class.replace('_', " ") && !matches!(class, "unknown" | "" | "error")
}
