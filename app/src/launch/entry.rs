//! The content that the launch form opens with.

/// A run, a template, a session or a draft to start from.
///
/// In the page's address: `/launch?like=RUN`, `?template=ID`, `?session=ID`, `?draft=new`, `?draft=earlier`. `&set=POINTER=VALUE`
/// changes the spec before it is shown, any number of times: `POINTER` is a JSON Pointer, `VALUE` is JSON or, if it isn't
/// valid JSON, text. An empty value removes the field. `/launch?like=run_1&set=/budgets/maxToolTurns=20` relaunches a run
/// with more turns; `set=/modelId=?larger` lets the server choose the next larger model of the catalogue.
#[derive(Clone, Debug, Default)]
pub struct LaunchEntry {
    pub like: Option<String>,
    pub template: Option<String>,
    pub session: Option<String>,
    pub draft: DraftEntry,
    pub set: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DraftEntry {
    #[default]
    Saved,
    /// An empty form. The saved draft can be restored.
    New,
    /// The draft that was replaced when another one was started.
    Previous,
}

impl DraftEntry {
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            Some("new") => Self::New,
            Some("earlier") => Self::Previous,
            _ => Self::Saved,
        }
    }
}
