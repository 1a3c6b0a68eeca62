//! The preview of a run beside the list.

use app::model::run::RunView;
use app::model::runs::RunPreview;
use protocol::Query;

use super::matches::hidden_matches;
use crate::error::Error;
use crate::markdown;
use crate::pages::run;
use crate::workspace::SignedInWorkspace;

/// Characters of the prompt and of the answer.
const MAX_CHARS: usize = 4_000;

/// `filter` is the list's: words of it that are in no visible text are explained.
pub async fn load(workspace: &SignedInWorkspace, id: &str, filter: &str) -> Result<RunPreview, Error> {
    let (page, prompt) = run::load_with_prompt(workspace, id, &RunView::default()).await?;
    let replay = workspace.state.timelines.replay(&workspace.state, &workspace.caller, id).await?;
    let filter = Query::valid_parts(filter);
    let status = if page.state.status.is_terminal() { page.state.status } else { page.run.status };
    Ok(RunPreview {
        status,
        matches: hidden_matches(&filter, &page.run, prompt.as_deref(), replay.latest()),
        findings: page.state.findings,
        prompt: prompt.as_deref().map(render).unwrap_or_default(),
        answer: render(&page.state.answer),
        run: page.run,
        now_ms: page.now_ms,
    })
}

fn render(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        _ if text.is_empty() => String::new(),
        Some((end, _)) => markdown::render(&format!("{}…", &text[..end])),
        None => markdown::render(text),
    }
}
