//! The content that the launch form opens with.

/// A run, a template or a session to start from. Without any, the form opens with the saved draft.
///
/// In the page's address: `/launch?like=RUN`, `?template=ID`, `?session=ID`, `?draft=earlier`. `&set=POINTER=VALUE`
/// changes the spec before it is shown, any number of times: `POINTER` is a JSON Pointer, `VALUE` is JSON or, if it isn't
/// valid JSON, text. An empty value removes the field. `/launch?like=run_1&set=/budgets/maxToolTurns=20` relaunches a run
/// with more turns; `set=/modelId=?larger` lets the server choose the next larger model of the catalogue.
#[derive(Clone, Debug, Default)]
pub struct LaunchEntry {
    pub like: Option<String>,
    pub template: Option<String>,
    pub session: Option<String>,
    /// Opens the draft that was replaced when another one was started.
    pub previous_draft: bool,
    pub set: Vec<String>,
}
