//! Commands that may be started as MCP servers: only the exact lines that the operator lists.

use std::str::FromStr;

use remote_tools::RemoteError;
use tokio::process::Command;

use crate::outbound::is_slug;

/// Environment variables that a started server inherits. All others are withheld, since they include this server's secrets.
const INHERITED: [&str; 4] = ["HOME", "LANG", "PATH", "TMPDIR"];

/// The value of `RUNLENS_MCP_COMMANDS`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedCommands {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// The slug of the only workspace that may start it.
    workspace: Option<String>,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a command line: it is empty, or a quote is not closed")]
pub struct BadCommand(String);

impl AllowedCommands {
    pub fn lines(&self) -> Vec<String> {
        self.lines.iter().map(|line| line.text.clone()).collect()
    }

    /// Returns the lines for all workspaces and for this one.
    pub fn for_workspace(&self, slug: &str) -> Self {
        let is_for = |line: &&Line| line.workspace.as_deref().is_none_or(|workspace| workspace == slug);
        Self { lines: self.lines.iter().filter(is_for).cloned().collect() }
    }

    /// The slugs that the lines name.
    pub fn workspaces(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| line.workspace.as_deref())
    }

    /// Returns the command of an allowed line, not yet started.
    pub fn command(&self, line: &str) -> Result<Command, RemoteError> {
        let line = line.trim();
        let allowed = self.lines.iter().find(|allowed| allowed.text == line);
        let words = allowed.and_then(|line| shlex::split(&line.text));
        let Some((program, args)) = words.as_deref().and_then(<[String]>::split_first) else {
            return Err(RemoteError::unusable(
                "This command is not allowed. Your operator can add it to RUNLENS_MCP_COMMANDS.",
            ));
        };
        let mut command = Command::new(program);
        command.args(args).env_clear().kill_on_drop(true);
        command.envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        Ok(command)
    }
}

impl FromStr for AllowedCommands {
    type Err = BadCommand;

    /// Parses lines separated by semicolons.
    fn from_str(text: &str) -> Result<Self, BadCommand> {
        let lines = text.split(';').map(str::trim).filter(|line| !line.is_empty());
        let check = |line: &str| {
            let (workspace, text) = match line.split_once('=') {
                Some((slug, text)) if is_slug(slug.trim()) => (Some(slug.trim().to_owned()), text.trim()),
                _ => (None, line),
            };
            match shlex::split(text) {
                Some(words) if !words.is_empty() => Ok(Line { workspace, text: text.to_owned() }),
                _ => Err(BadCommand(line.to_owned())),
            }
        };
        Ok(Self { lines: lines.map(check).collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_line_is_allowed() {
        let allowed: AllowedCommands = "mcp-files '/data/my files' ; mcp-clock".parse().expect("fine");
        let command = allowed.command(" mcp-files '/data/my files' ").expect("allowed");
        let args: Vec<_> = command.as_std().get_args().collect();
        assert_eq!(
            (command.as_std().get_program().to_str(), args),
            (Some("mcp-files"), vec!["/data/my files".as_ref()])
        );
        for line in ["mcp-files /", "mcp-clock --unsafe", "mcp-clock; rm x", "mcp-clock mcp-clock", ""] {
            assert!(allowed.command(line).is_err(), "{line}");
        }
        assert!("a 'b".parse::<AllowedCommands>().is_err());
    }

    #[test]
    fn a_command_can_be_for_one_workspace() {
        let all: AllowedCommands = "mcp-clock; acme=mcp-files --root=/data; env KEY=x mcp".parse().expect("fine");
        let (acme, other) = (all.for_workspace("acme"), all.for_workspace("other"));
        assert_eq!(acme.lines(), ["mcp-clock", "mcp-files --root=/data", "env KEY=x mcp"]);
        assert_eq!(other.lines(), ["mcp-clock", "env KEY=x mcp"]);
        assert!(acme.command("mcp-files --root=/data").is_ok() && other.command("mcp-files --root=/data").is_err());
    }

    #[test]
    fn secrets_of_the_environment_are_not_inherited() {
        let allowed: AllowedCommands = "mcp-clock".parse().expect("fine");
        let command = allowed.command("mcp-clock").expect("allowed");
        let inherited: Vec<_> = command.as_std().get_envs().map(|(name, _)| name.to_str().expect("text")).collect();
        assert!(inherited.contains(&"PATH") && inherited.iter().all(|name| INHERITED.contains(name)), "{inherited:?}");
    }
}
