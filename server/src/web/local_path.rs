//! Validates redirect targets: only pages of this dashboard are allowed.

/// Returns `path` if it is a path on this host, otherwise the list of runs.
pub fn local_path(path: Option<&str>) -> String {
    let fallback = "/runs";
    let Some(path) = path else { return fallback.to_owned() };
    // Browsers treat `//host` and `/\host` as other hosts.
    let local = path.starts_with('/') && !path.starts_with("//") && !path.contains('\\');
    let clean = path.len() <= 4_000 && path.chars().all(|c| !c.is_control());
    let not_auth = !path.starts_with("/auth/");
    if local && clean && not_auth { path.to_owned() } else { fallback.to_owned() }
}

#[cfg(test)]
mod tests {
    use domain::url::encode;

    use super::*;

    #[test]
    fn other_hosts_are_rejected() {
        assert_eq!(local_path(Some("/runs/x?q=status:failed")), "/runs/x?q=status:failed");
        for bad in ["https://evil.test", "//evil.test", "/\\evil.test", "runs", "", "/a\r\nb", "/auth/sign-out"] {
            assert_eq!(local_path(Some(bad)), "/runs", "{bad:?}");
        }
        assert_eq!(local_path(None), "/runs");
    }

    #[test]
    fn an_encoded_path_survives_a_query_string() {
        for path in ["/runs?q=status:failed+env:prod&tab=spec#e5", "/runs?q=%22a+b%22", "/launch?a=ä ö/ü+1 100%"] {
            let query = format!("return_to={}", encode(path));
            let decoded = url::form_urlencoded::parse(query.as_bytes()).next().map(|(_, value)| value.into_owned());
            assert_eq!(decoded.as_deref(), Some(path));
        }
    }
}
