//! The name and the metadata by which a run is found.

use crate::fields::{Control, Field, MapControl, Rule, Section, Suggestions};
use crate::validate::settings;

static ENTRIES: MapControl = MapControl { suggestions: Suggestions::Metadata, ..MapControl::of("Key", "Value") };

pub const FIELDS: &[Field] = &[
    Field::new("/name", Section::Metadata, "Name", Control::Line).help("The name of the run in lists."),
    Field::new("/metadata", Section::Metadata, "Metadata", Control::Map(&ENTRIES))
        .rule(Rule::Check(settings::check_metadata)),
];
