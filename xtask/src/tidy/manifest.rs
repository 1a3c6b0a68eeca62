//! Parses the dependencies of a crate's manifest.

use super::SourceFile;

/// One dependency of a crate.
#[derive(Debug, PartialEq)]
pub struct Dependency<'a> {
    pub name: &'a str,
    pub line: usize,
    /// Version and source come from the workspace.
    pub inherited: bool,
}

/// The crate whose manifest this is: the folder's name. None for the workspace's own manifest and all other files.
pub fn crate_name(file: &SourceFile) -> Option<&str> {
    file.path.strip_suffix("/Cargo.toml")
}

/// All dependencies, of tests and build scripts too.
pub fn dependencies(text: &str) -> Vec<Dependency<'_>> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut section = Section::Other;
    for (index, line) in text.lines().enumerate() {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = Section::of(header);
            if let Section::One(name) = section {
                found.push(Dependency { name, line: index + 1, inherited: false });
            }
            continue;
        }
        let starts_entry = line.starts_with(|first: char| first.is_alphanumeric() || first == '_');
        let says_workspace = line.replace(' ', "").contains("workspace=true");
        match section {
            Section::All if starts_entry => {
                let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
                found.push(Dependency { name, line: index + 1, inherited: says_workspace });
            }
            Section::All | Section::One(_) => {
                if let Some(last) = found.last_mut() {
                    last.inherited |= says_workspace;
                }
            }
            Section::Other => {}
        }
    }
    found
}

#[derive(Clone, Copy)]
enum Section<'a> {
    /// `[dependencies]` and its kin
    All,
    /// `[dependencies.name]`
    One(&'a str),
    Other,
}

impl<'a> Section<'a> {
    fn of(header: &'a str) -> Self {
        if header.ends_with("dependencies") {
            return Self::All;
        }
        match header.rsplit_once("dependencies.") {
            Some((_, name)) => Self::One(name),
            None => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_syntax_of_a_dependency_is_parsed() {
        let text = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = { workspace = true, features = [\n    \"c\",\n] }\nd = \"1\"\n\
                    [target.'cfg(unix)'.dependencies.e]\nworkspace = true\n[dev-dependencies]\nf = { version = \"2\" }\n[lints]\nworkspace = true\n";
        let read: Vec<_> = dependencies(text).iter().map(|found| (found.name, found.line, found.inherited)).collect();
        assert_eq!(read, [("a", 4, true), ("b", 5, true), ("d", 8, false), ("e", 9, true), ("f", 12, false)]);
    }
}
