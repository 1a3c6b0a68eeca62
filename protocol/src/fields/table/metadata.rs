//! The name and the metadata by which a run is found.

use crate::fields::{Control, Field, MapControl, Rule, Section, Suggestions};
use crate::validate::settings;

static ENTRIES: MapControl = MapControl {
    key_label: "Key",
    value_label: "Value",
    secret: false,
    inner: "",
    keeps_empty: false,
    suggestions: Suggestions::Metadata,
};

pub static FIELDS: [Field; 2] = [
    Field::new("/name", Section::Metadata, "Name", Control::Line)
        .help("The name of the run in lists.")
        .rule(Rule::TEXT),
    Field::new("/metadata", Section::Metadata, "Metadata", Control::Map(&ENTRIES))
        .rule(Rule::Check(settings::check_metadata)),
];
