//! Checks for names, ids and addresses. Written without a regex engine, which is too large for the browser.

/// Tool, MCP tool and A2A names: `^[a-zA-Z0-9_]{1,64}$`.
pub fn is_tool_name(name: &str) -> bool {
    is_made_of(name, 64, |c| c.is_ascii_alphanumeric() || c == '_')
}

/// Plugin tools: a plain tool name, or in the live protocol `^@[a-z][a-z0-9_-]*/[a-z][a-z0-9_-]*$`.
pub(crate) fn is_plugin_tool_name(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && is_made_of(part, 64, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
    };
    match name.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
        Some((plugin, tool)) => is_part(plugin) && is_part(tool),
        None => is_tool_name(name),
    }
}

/// `outputSchema.name`: `^[a-zA-Z0-9_-]{1,64}$`.
pub(crate) fn is_schema_name(name: &str) -> bool {
    is_made_of(name, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// Metadata keys: `^[A-Za-z0-9._-]{1,64}$`.
pub fn is_metadata_key(key: &str) -> bool {
    is_made_of(key, 64, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// Run and session ids in the path of a URL. MANTYX publishes no pattern; everything that could change the meaning of a
/// URL is refused.
pub fn is_path_id(id: &str) -> bool {
    is_made_of(id, 128, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.'))
        && !id.chars().all(|c| c == '.')
}

/// Web addresses.
pub(crate) fn is_web_url(text: &str) -> bool {
    has_host_after(text, "http://") || is_https_url(text)
}

/// Web addresses that use TLS.
pub(crate) fn is_https_url(text: &str) -> bool {
    has_host_after(text, "https://")
}

/// Names of HTTP headers.
pub(crate) fn is_header_name(name: &str) -> bool {
    is_made_of(name, usize::MAX, |c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
}

/// Not a URL parser: checks that there is a host, and no white space.
fn has_host_after(text: &str, scheme: &str) -> bool {
    let Some((start, rest)) = text.split_at_checked(scheme.len()) else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or("");
    start.eq_ignore_ascii_case(scheme)
        && host.contains(|c: char| c.is_ascii_alphanumeric() || !c.is_ascii())
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn is_made_of(text: &str, max_chars: usize, allowed: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.len() <= max_chars && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_at_most_sixty_four_characters() {
        assert!(is_tool_name(&"a".repeat(64)));
        assert!(!is_tool_name(&"a".repeat(65)));
        assert!(!is_tool_name(""));
        assert!(!is_tool_name("read-file"));
        assert!(is_schema_name("read-file"));
        assert!(is_plugin_tool_name("@search/web-search") && is_plugin_tool_name("web_search"));
        assert!(!is_plugin_tool_name("@search") && !is_plugin_tool_name("@/x") && !is_plugin_tool_name("@A/b/c"));
        assert!(is_metadata_key("trace.id-1_x"));
        assert!(!is_metadata_key("trace id"));
    }

    #[test]
    fn addresses_need_a_host_and_no_spaces() {
        for good in ["https://example.com", "HTTPS://a", "https://[::1]:8080/x?y#z", "https://user@a.b/ü"] {
            assert!(is_https_url(good) && is_web_url(good), "{good:?}");
        }
        for bad in
            ["", "https://", "https:///x", "https://?", "example.com", "https://a b", "javascript:x", "httpß://a"]
        {
            assert!(!is_https_url(bad) && !is_web_url(bad), "{bad:?}");
        }
        assert!(is_web_url("http://localhost:3000/mcp") && !is_https_url("http://localhost"));
    }

    #[test]
    fn header_names_are_tokens() {
        assert!(is_header_name("X-Api-Key") && is_header_name("a_b.c"));
        for bad in ["", "a b", "a:b", "a\nb", "ä"] {
            assert!(!is_header_name(bad), "{bad:?}");
        }
    }

    #[test]
    fn ids_cannot_leave_their_path_segment() {
        assert!(is_path_id("run_abc-123"));
        for bad in ["", ".", "..", "a/b", "a?b", "a#b", "a%2fb", "a b"] {
            assert!(!is_path_id(bad), "{bad:?}");
        }
    }
}
