//! `POST /launch`: the launch page's form. Scripts get the page that comes of it; a plain form is led to it, by way of the
//! draft.

use app::AppError;
use app::backend::SignedIn;
use app::launch::sheet::LaunchAnswer;
use app::launch::{Posted, Upload};
use app::wire::Wire;
use axum::Json;
use axum::extract::{Extension, Multipart};
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::response::{IntoResponse, Redirect, Response};

use crate::error::Error;

pub async fn send_form(
    signed_in: Option<Extension<SignedIn>>,
    headers: HeaderMap,
    form: Multipart,
) -> Result<Response, Error> {
    let scripted = headers.get(ACCEPT).is_some_and(|accept| accept == "application/json");
    let Some(Extension(SignedIn(workspace))) = signed_in else {
        return if scripted { Err(AppError::SignedOut.into()) } else { Ok(to_sign_in()) };
    };
    match workspace.send_launch_page(read(form).await?).await {
        Ok(answer) if scripted => Ok(Json(Wire(answer)).into_response()),
        Ok(LaunchAnswer::Done { href }) => Ok(Redirect::to(&href).into_response()),
        Ok(LaunchAnswer::Page { page }) => {
            let place = page.focus.map(|id| format!("#{id}")).unwrap_or_default();
            Ok(Redirect::to(&format!("/launch{place}")).into_response())
        }
        Err(AppError::SignedOut) if !scripted => Ok(to_sign_in()),
        Err(error) => Err(error.into()),
    }
}

async fn read(mut form: Multipart) -> Result<Posted, Error> {
    let unreadable = |error: axum::extract::multipart::MultipartError| {
        Error::from(AppError::Invalid { field: "form".to_owned(), message: error.body_text() })
    };
    let mut posted = Posted::default();
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name().map(str::to_owned) {
            None => posted.fields.push((name, field.text().await.map_err(unreadable)?)),
            Some(file_name) => {
                let mime = field.content_type().unwrap_or("application/octet-stream").to_owned();
                let bytes = field.bytes().await.map_err(unreadable)?.to_vec();
                posted.uploads.push(Upload { name, file_name, mime, bytes });
            }
        }
    }
    Ok(posted)
}

fn to_sign_in() -> Response {
    Redirect::to("/sign-in?return_to=%2Flaunch").into_response()
}
