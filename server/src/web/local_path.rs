//! Where a redirect may go: to a page of this dashboard, nowhere else.

/// `path` if it is a path on this host, else the list of runs.
pub fn local_path(path: Option<&str>) -> String {
    let fallback = "/runs";
    let Some(path) = path else { return fallback.to_owned() };
    // `//host` and `/\host` are other hosts to a browser.
    let local = path.starts_with('/') && !path.starts_with("//") && !path.contains('\\');
    let clean = path.len() <= 4_000 && path.chars().all(|c| !c.is_control());
    let not_auth = !path.starts_with("/auth/");
    if local && clean && not_auth { path.to_owned() } else { fallback.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_hosts_are_never_returned_to() {
        assert_eq!(local_path(Some("/runs/x?q=status:failed")), "/runs/x?q=status:failed");
        for bad in ["https://evil.test", "//evil.test", "/\\evil.test", "runs", "", "/a\r\nb", "/auth/sign-out"] {
            assert_eq!(local_path(Some(bad)), "/runs", "{bad:?}");
        }
        assert_eq!(local_path(None), "/runs");
    }
}
