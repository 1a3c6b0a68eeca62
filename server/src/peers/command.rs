//! MCP servers that are started here: only command lines that the operator wrote down.

use std::str::FromStr;

use tokio::process::Command;

use super::PeerError;

/// What a started server needs of the environment. Nothing else is handed on: this server's own has secrets.
const PASSED_ON: [&str; 4] = ["HOME", "LANG", "PATH", "TMPDIR"];

/// `RUNLENS_MCP_COMMANDS`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedCommands {
    lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a command line: a quote is not closed")]
pub struct BadCommand(String);

impl AllowedCommands {
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The command of an allowed line, not yet started.
    pub fn command(&self, line: &str) -> Result<Command, PeerError> {
        let line = line.trim();
        let words = self.lines.iter().find(|allowed| *allowed == line).and_then(|line| shlex::split(line));
        let Some((program, args)) = words.as_deref().and_then(<[String]>::split_first) else {
            return Err(PeerError::unusable(
                "This server's operator does not allow that command. RUNLENS_MCP_COMMANDS lists those that are.",
            ));
        };
        let mut command = Command::new(program);
        command.args(args).env_clear().kill_on_drop(true);
        command.envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        Ok(command)
    }
}

impl FromStr for AllowedCommands {
    type Err = BadCommand;

    /// Lines are separated by semicolons.
    fn from_str(text: &str) -> Result<Self, BadCommand> {
        let lines = text.split(';').map(str::trim).filter(|line| !line.is_empty());
        let check = |line: &str| match shlex::split(line) {
            Some(_) => Ok(line.to_owned()),
            None => Err(BadCommand(line.to_owned())),
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
    fn secrets_of_the_environment_are_not_handed_on() {
        let allowed: AllowedCommands = "mcp-clock".parse().expect("fine");
        let command = allowed.command("mcp-clock").expect("allowed");
        let passed: Vec<_> = command.as_std().get_envs().map(|(name, _)| name.to_str().expect("text")).collect();
        assert!(passed.contains(&"PATH") && passed.iter().all(|name| PASSED_ON.contains(name)), "{passed:?}");
    }
}
