//! `POST /waiting`: the form that answers a waiting call, on the run page and on the page of waiting calls. JavaScript gets the
//! result as JSON; a plain form is redirected to its page, which shows it as a notice.

use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form, Json};
use serde_json::Value;

use app::AppError;
use app::model::waiting::WaitingAddress;
use domain::url::encode_segment;

use super::form_notice::NoticeStore;
use crate::api::ApiCaller;
use crate::auth::Caller;
use crate::error::Error;
use crate::run_actions;
use crate::state::AppState;
use crate::waiting::{Reply, ReplyKind, ReplyPage};

/// The names and texts of a form's controls.
type Controls = Vec<(String, String)>;

pub async fn answer_call(
    State(state): State<AppState>,
    Extension(notices): Extension<NoticeStore>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    form: Result<Form<Controls>, FormRejection>,
) -> Response {
    let reply = match form {
        Ok(Form(controls)) => Reply::from_controls(controls),
        Err(rejection) => return rejection.into_response(),
    };
    let is_scripted = headers.get(ACCEPT).is_some_and(|accept| accept == "application/json");
    let (page, next) = match reply.page {
        ReplyPage::Waiting => (WaitingAddress::of(&reply.run_id, &reply.tool_use_id).href(), "/waiting".to_owned()),
        ReplyPage::Run => {
            let run = format!("/runs/{}", encode_segment(&reply.run_id));
            (run.clone(), run)
        }
    };
    let typed = reply.typed();
    match send(&state, &caller, reply).await {
        Ok(message) if is_scripted => Json(message).into_response(),
        Ok(message) => {
            notices.announce(&message).await;
            Redirect::to(&next).into_response()
        }
        Err(error) if is_scripted => error.into_response(),
        Err(error) => notices.reject(&error.into(), &page, typed).await,
    }
}

/// Sends the answer. Returns what to tell the person.
async fn send(state: &AppState, caller: &Caller, reply: Reply) -> Result<String, Error> {
    let (run_id, tool_use_id, kind) = (reply.run_id.clone(), reply.tool_use_id.clone(), reply.kind);
    let board = state.waiting.load(state, caller.workspace_id).await?;
    let tool = match board.find(&run_id, &tool_use_id) {
        Some(call) => Some(call.tool.clone()),
        None if kind == ReplyKind::Form => find_in_log(state, caller, &run_id, &tool_use_id).await?,
        None => None,
    };
    let spec: Value = match kind {
        ReplyKind::Form => {
            let (json, _) = state.store.run_spec_and_log_state(caller.workspace_id, &run_id).await?;
            json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
        }
        _ => Value::Null,
    };
    let answer = match (&tool, kind) {
        // A call that no longer waits: the person who answered it is named before anything else.
        (None, ReplyKind::Form) => {
            let by = run_actions::answered_before(state, caller, &run_id, &tool_use_id).await?;
            return Err(AppError::conflict(match by {
                Some(by) => format!("Already answered by {by}. Your answer was not sent."),
                None => "This call no longer waits for an answer. Your answer was not sent.".to_owned(),
            })
            .into());
        }
        _ => reply.answer(&spec, tool.as_deref().unwrap_or_default())?,
    };
    let by = caller.actor.name();
    run_actions::answer_call(state, caller, by, &run_id, &tool_use_id, answer).await?;
    Ok(match tool {
        Some(tool) => format!("Answer to {tool} sent. The run continues."),
        None => "Answer sent. The run continues.".to_owned(),
    })
}

/// The tool of a waiting call that is not listed yet.
async fn find_in_log(
    state: &AppState,
    caller: &Caller,
    run_id: &str,
    tool_use_id: &str,
) -> Result<Option<String>, Error> {
    let log = state.timelines.replay(state, caller, run_id).await?;
    let mut waiting = log.latest().waiting_calls();
    Ok(waiting.find(|call| call.id.as_deref() == Some(tool_use_id)).map(|call| call.name.clone()))
}
