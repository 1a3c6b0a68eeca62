//! JSON Pointers, written while a document is walked.

use std::borrow::Cow;
use std::fmt::{Display, Write};

/// The place where a walk stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointer(String);

impl Pointer {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Goes one step down. The answer takes [`Pointer::leave`] back up.
    #[must_use]
    pub fn enter(&mut self, step: impl Step) -> usize {
        let before = self.0.len();
        self.0.push('/');
        step.write(&mut self.0);
        before
    }

    pub fn leave(&mut self, before: usize) {
        self.0.truncate(before);
    }
}

/// A field's name, which is escaped, or an item's position.
pub(crate) trait Step {
    fn write(self, out: &mut String);
}

impl Step for &str {
    fn write(self, out: &mut String) {
        out.push_str(&escape(self));
    }
}

impl Step for usize {
    fn write(self, out: &mut String) {
        append(out, self);
    }
}

fn append(out: &mut String, shown: impl Display) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{shown}");
}

fn escape(token: &str) -> Cow<'_, str> {
    match token.contains(['~', '/']) {
        true => token.replace('~', "~0").replace('/', "~1").into(),
        false => token.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_escaped_and_taken_back() {
        let mut pointer = Pointer::default();
        let root = pointer.enter("a/b~c");
        let field = pointer.enter(3);
        assert_eq!(pointer.as_str(), "/a~1b~0c/3");
        pointer.leave(field);
        assert_eq!(pointer.as_str(), "/a~1b~0c");
        pointer.leave(root);
        assert_eq!(pointer.as_str(), "");
    }
}
