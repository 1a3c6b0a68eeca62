//! Texts with blanks, such as `{customer}`: filled in for the demonstration's prompts, and read back by its models.

use std::collections::BTreeMap;

/// A blank and the characters that its value may have.
type Blank = (&'static str, fn(char) -> bool);

const BLANKS: [Blank; 4] = [
    ("customer", |c| c.is_alphabetic() || c == ' '),
    ("number", |c| c.is_ascii_digit()),
    ("amount", |c| c.is_ascii_digit()),
    ("changelog", |_| true),
];

/// Values by the name of their blank.
pub type Values = BTreeMap<&'static str, String>;

pub struct Template(Vec<Part>);

enum Part {
    Text(String),
    Blank(Blank),
}

impl Template {
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((at, blank)) = first_blank(rest) {
            parts.push(Part::Text(rest[..at].to_owned()));
            parts.push(Part::Blank(blank));
            rest = &rest[at + blank.0.len() + 2..];
        }
        parts.push(Part::Text(rest.to_owned()));
        Self(parts)
    }

    pub fn fill(&self, values: &Values) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Blank((name, _)) => values.get(name).cloned().unwrap_or_default(),
        };
        self.0.iter().map(part).collect()
    }

    /// Returns the values with which this template makes a text.
    pub fn read(&self, text: &str) -> Option<Values> {
        let mut values = Values::new();
        read(&self.0, text, &mut values).then_some(values)
    }
}

fn first_blank(text: &str) -> Option<(usize, Blank)> {
    let places = BLANKS.iter().filter_map(|blank| Some((text.find(&format!("{{{}}}", blank.0))?, *blank)));
    places.min_by_key(|(at, _)| *at)
}

/// Tries the values of each blank, the shortest first.
fn read(parts: &[Part], text: &str, values: &mut Values) -> bool {
    match parts.split_first() {
        None => text.is_empty(),
        Some((Part::Text(expected), rest)) => {
            text.strip_prefix(expected.as_str()).is_some_and(|text| read(rest, text, values))
        }
        Some((Part::Blank((name, _)), rest)) if values.contains_key(name) => {
            text.strip_prefix(values[name].as_str()).is_some_and(|text| read(rest, text, values))
        }
        Some((Part::Blank((name, allows)), rest)) => {
            let longest = text.find(|c| !allows(c)).unwrap_or(text.len());
            let ends = text[..longest].char_indices().map(|(at, c)| at + c.len_utf8());
            for end in ends {
                values.insert(name, text[..end].to_owned());
                if read(rest, &text[end..], values) {
                    return true;
                }
            }
            values.remove(name);
            false
        }
    }
}

#[cfg(test)]
impl Template {
    /// Returns true if another template has all blanks of this one.
    pub fn has_blanks_of(&self, other: &Self) -> bool {
        let names = |template: &Self| {
            let names = template.0.iter().filter_map(|part| match part {
                Part::Blank((name, _)) => Some(*name),
                Part::Text(_) => None,
            });
            names.collect::<std::collections::BTreeSet<_>>()
        };
        names(self).is_subset(&names(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_template_is_read_back() {
        let template = Template::parse("{customer} imports {amount}0 invoices; {customer} waits");
        let values = Values::from([("customer", "Stark Industries".to_owned()), ("amount", "20".to_owned())]);
        let text = template.fill(&values);
        assert_eq!(text, "Stark Industries imports 200 invoices; Stark Industries waits");
        assert_eq!(template.read(&text), Some(values));
        for other in ["Acme imports 200 invoices; Globex waits", "Acme imports many invoices; Acme waits", ""] {
            assert_eq!(template.read(other), None, "{other}");
        }
    }
}
