//! The order of the runs list: a column and a direction, as text `duration` or, for the largest first, `-duration`.

use std::fmt;
use std::str::FromStr;

/// The default is newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunSort {
    pub column: SortColumn,
    pub ascending: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortColumn {
    #[default]
    Created,
    Duration,
    Tokens,
    Cost,
}

impl SortColumn {
    pub const ALL: [Self; 4] = [Self::Created, Self::Duration, Self::Tokens, Self::Cost];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Duration => "duration",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
        }
    }
}

impl RunSort {
    /// All orders in their textual form, for the documentation of the API.
    pub const NAMES: [&str; 8] = ["created", "-created", "duration", "-duration", "tokens", "-tokens", "cost", "-cost"];

    pub fn is_default(self) -> bool {
        self == Self::default()
    }

    pub fn reversed(self) -> Self {
        Self { ascending: !self.ascending, ..self }
    }
}

impl fmt::Display for RunSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.ascending { "" } else { "-" };
        write!(f, "{sign}{}", self.column.as_str())
    }
}

/// There is no such order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSort;

impl FromStr for RunSort {
    type Err = UnknownSort;

    fn from_str(text: &str) -> Result<Self, UnknownSort> {
        let name = text.strip_prefix('-').unwrap_or(text);
        let column = SortColumn::ALL.into_iter().find(|column| column.as_str() == name).ok_or(UnknownSort)?;
        Ok(Self { column, ascending: name.len() == text.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_survives_a_round_trip() {
        for name in RunSort::NAMES {
            assert_eq!(name.parse::<RunSort>().map(|sort| sort.to_string()).as_deref(), Ok(name));
        }
        assert_eq!(RunSort::default().to_string(), "-created");
        assert_eq!("-cost".parse::<RunSort>().map(|sort| sort.reversed().to_string()).as_deref(), Ok("cost"));
        assert_eq!("status".parse::<RunSort>(), Err(UnknownSort));
    }
}
