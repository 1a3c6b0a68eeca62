//! The table itself, one file per section.

mod input;
mod limits;
mod metadata;
mod model;
mod output;
mod tools;

use super::{Field, FieldTable};

pub use tools::{TOOL_KINDS, ToolKind};

/// The table's files, in the order of the form.
pub const GROUPS: [&[Field]; 6] =
    [input::FIELDS, model::FIELDS, tools::FIELDS, limits::FIELDS, output::FIELDS, metadata::FIELDS];

pub static SPEC_FIELDS: FieldTable = FieldTable(&GROUPS);
