//! Describes error classes in plain words.

pub(super) const MAX_TOOL_TURNS: &str = "max_tool_turns";

/// Returns a phrase that follows «Failed: ».
pub(super) fn describe(class: &str) -> String {
    match class {
        "rate_limit" => "the provider rate-limited the request",
        "overloaded" => "the provider was overloaded",
        "server" => "the provider had a server error",
        "context_window" => "the input exceeds the model's context window",
        "truncation" => "the model reached its output limit",
        "invalid_request" => "the provider rejected the request",
        "auth" => "the provider rejected the credentials",
        "timeout" => "the model took too long to answer",
        "upstream_deadline" => "the model took too long to answer",
        "local_timeout" => "a local tool call timed out",
        "structured_output_schema_rejected" => "the provider rejected the output schema",
        "structured_output_not_supported" => "this model does not support output schemas",
        "structured_output_not_enforced" => "the output does not match the output schema",
        "refusal" => "the model declined to answer",
        MAX_TOOL_TURNS => "the turn limit was reached",
        "unknown" | "" | "error" => "the cause is unknown",
        other => return super::format::plain(other, 64).replace('_', " "),
    }
    .to_owned()
}

/// Returns the description as a sentence of its own.
pub(super) fn sentence(class: &str) -> String {
    let words = describe(class);
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns whether the description of the class alone explains the failure.
pub(super) fn is_documented(class: &str) -> bool {
    describe(class) != class.replace('_', " ") && !matches!(class, "unknown" | "" | "error")
}
