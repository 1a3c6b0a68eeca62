//! `POST /import`: the page's form, with any number of files or a pasted log.

use app::AppError;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;
use protocol::json::preview;

use super::upload_task::UploadTask;
use crate::api::ApiCaller;
use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;
use crate::web::multipart_form::{FormField, MultipartForm};
use crate::web::problem::Problem;

/// Files of one form: their results are in the address of the page that shows them.
const MAX_FILES: usize = 50;
const MAX_PROBLEM_CHARS: usize = 300;
const NOTHING_KEPT: &str = " Nothing from this file was imported.";

/// Pasted text that is shown again if it cannot be saved.
const MAX_PASTED_BYTES: usize = 100_000;

/// Redirects to the run of a single log, or back to the form with the result of each file. A browser without JavaScript gets a
/// page with the pasted text instead, if it could not be saved.
pub async fn post_import_form(
    State(state): State<AppState>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    form: MultipartForm,
) -> Response {
    let mut results = Results::default();
    let error = match read_form(&state, &caller, form, &mut results).await {
        Ok(()) => return Redirect::to(&results.href()).into_response(),
        Err(error) => AppError::from(error),
    };
    let accepts_html = headers.get(ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"));
    if accepts_html {
        let typed = Some(results.pasted).filter(|pasted| !pasted.is_empty());
        return Problem::form(&error, "/import", &typed.into_iter().collect::<Vec<_>>()).into_response();
    }
    let kept = if error == AppError::CannotSave { NOTHING_KEPT } else { "" };
    results.add_problem("", &format!("{error}{kept}"));
    Redirect::to(&results.href()).into_response()
}

#[derive(Default)]
struct Results {
    run_ids: Vec<String>,
    problems: Vec<String>,
    /// The text field, up to a limit.
    pasted: String,
}

impl Results {
    fn href(&self) -> String {
        if let ([run_id], []) = (self.run_ids.as_slice(), self.problems.as_slice()) {
            return format!("/runs/{run_id}");
        }
        let runs = self.run_ids.iter().map(|run_id| format!("run={run_id}"));
        let problems = self.problems.iter().map(|problem| format!("problem={}", encode(problem)));
        format!("/import?{}", runs.chain(problems).collect::<Vec<_>>().join("&"))
    }

    fn add_problem(&mut self, file_name: &str, message: &str) {
        let line = if file_name.is_empty() { message.to_owned() } else { format!("{file_name}: {message}") };
        self.problems.push(preview(&line, MAX_PROBLEM_CHARS));
    }
}

/// Imports each file. One that cannot be read does not stop the others.
async fn read_form(
    state: &AppState,
    caller: &Caller,
    mut form: MultipartForm,
    results: &mut Results,
) -> Result<(), Error> {
    loop {
        let field = match form.next_field().await {
            Ok(Some(field)) => field,
            Ok(None) => break,
            Err(error) => {
                results.add_problem("", &format!("The form could not be read: {}.", error.message));
                break;
            }
        };
        let name = field.file_name().unwrap_or_default().to_owned();
        if results.run_ids.len() + results.problems.len() == MAX_FILES {
            results.add_problem(&name, &format!("Not imported: at most {MAX_FILES} files can be imported at once."));
            break;
        }
        match import_field(state, caller, field, &mut results.pasted).await {
            Ok(Some(run_id)) => results.run_ids.push(run_id),
            // The form has two fields, and one is usually empty. Browsers send a file without a name when none is chosen.
            Ok(None) if name.is_empty() => {}
            Ok(None) => results.problems.push(format!("The file {name} is empty.")),
            Err(Error::App(AppError::Invalid { message, .. })) => results.add_problem(&name, &message),
            Err(error) if results.run_ids.is_empty() => return Err(error),
            Err(error) => {
                results.add_problem(&name, &AppError::from(error).to_string());
                break;
            }
        }
    }
    if results.run_ids.is_empty() && results.problems.is_empty() {
        results.problems.push("Choose a file, or paste a log.".to_owned());
    }
    Ok(())
}

/// Imports one field. Returns the run's id, or `None` if the field is empty.
async fn import_field(
    state: &AppState,
    caller: &Caller,
    field: FormField<'_>,
    pasted: &mut String,
) -> Result<Option<String>, Error> {
    let source = field.file_name().map(str::to_owned);
    let is_text = source.is_none();
    let upload = UploadTask::start(state, caller, source);
    let mut is_empty = true;
    let see = |chunk: &[u8]| {
        is_empty &= chunk.trim_ascii().is_empty();
        if is_text && pasted.len() + chunk.len() <= MAX_PASTED_BYTES {
            pasted.push_str(&String::from_utf8_lossy(chunk));
        }
    };
    upload.push_field(field, see).await;
    if is_empty { Ok(None) } else { Ok(Some(upload.finish().await?.run_id)) }
}
