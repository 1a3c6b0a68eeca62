//! Errors of server functions, with the texts that pages show.

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use leptos::server_fn::codec::JsonEncoding;
use protocol::validate::FieldError;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "error")]
pub enum AppError {
    SignedOut,
    Forbidden {
        message: String,
    },
    NotFound {
        what: String,
    },
    Invalid {
        field: String,
        message: String,
    },
    /// Errors in several fields of a form, each with its JSON Pointer.
    Fields {
        errors: Vec<FieldError>,
    },
    Conflict {
        message: String,
    },
    Upstream {
        code: String,
        message: String,
    },
    Unavailable {
        message: String,
    },
    /// MANTYX rate-limited the request.
    RateLimited {
        message: String,
    },
    Internal {
        reference: String,
    },
    Transport {
        message: String,
    },
}

impl AppError {
    pub fn not_found(what: &str) -> Self {
        Self::NotFound { what: what.to_owned() }
    }

    /// An error in one field of a form that holds a JSON document.
    pub fn field(path: impl Into<String>, code: &str, message: impl Into<String>) -> Self {
        Self::Fields { errors: vec![FieldError { path: path.into(), code: code.to_owned(), message: message.into() }] }
    }

    pub fn http_status(&self) -> u16 {
        match self {
            Self::SignedOut => 401,
            Self::Forbidden { .. } => 403,
            Self::NotFound { .. } => 404,
            Self::Invalid { .. } | Self::Fields { .. } => 400,
            Self::Conflict { .. } => 409,
            Self::Upstream { .. } => 502,
            Self::Unavailable { .. } | Self::Transport { .. } => 503,
            Self::RateLimited { .. } => 429,
            Self::Internal { .. } => 500,
        }
    }

    /// Sets the HTTP status of the response, for pages and server functions.
    pub fn set_response_status(&self) {
        #[cfg(feature = "ssr")]
        if let (Some(response), Ok(status)) = (
            leptos::prelude::use_context::<leptos_axum::ResponseOptions>(),
            http::StatusCode::from_u16(self.http_status()),
        ) {
            response.set_status(status);
        }
    }

    /// A short description of the error.
    pub fn title(&self) -> &'static str {
        match self {
            Self::SignedOut => "You are signed out",
            Self::Forbidden { .. } => "This is not allowed",
            Self::NotFound { .. } => "Not found",
            Self::Invalid { .. } => "This cannot be read",
            Self::Fields { .. } => "Some fields need another look",
            Self::Conflict { .. } => "This was done already",
            Self::Upstream { .. } => "MANTYX answered with an error",
            Self::Unavailable { .. } => "MANTYX cannot be reached",
            Self::RateLimited { .. } => "MANTYX asks to go slower",
            Self::Internal { .. } => "Something went wrong here",
            Self::Transport { .. } => "The connection failed",
        }
    }

    /// The meaning of the error, and what to do.
    pub fn advice(&self) -> String {
        match self {
            Self::SignedOut => "Sign in again to go on; nothing was lost.".to_owned(),
            Self::Forbidden { message } => message.clone(),
            Self::NotFound { what } => {
                format!("There is no such {what} in this workspace. Check the address, or go back to the list.")
            }
            Self::Invalid { message, .. } | Self::Conflict { message } | Self::RateLimited { message } => {
                message.clone()
            }
            Self::Fields { errors } => {
                let named = errors.iter().map(|error| match error.path.as_str() {
                    "" => error.message.clone(),
                    path => format!("{path}: {}", error.message),
                });
                named.collect::<Vec<_>>().join(" ")
            }
            Self::Upstream { code, message } => format!("{message} (code {code}). What is stored here is safe."),
            Self::Unavailable { message } => format!("{message} What is stored here is safe; try again in a moment."),
            Self::Internal { reference } => format!(
                "Nothing was changed. Try again; if it happens again, tell your operator the reference {reference}."
            ),
            Self::Transport { message } => format!("{message}. Check the connection and try again."),
        }
    }
}

impl std::fmt::Display for AppError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // The message is complete; the title would only repeat a part of it.
            Self::Conflict { message } => f.write_str(message),
            _ => write!(f, "{}: {}", self.title(), self.advice()),
        }
    }
}

impl std::error::Error for AppError {}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        Self::Transport { message: error.to_string() }
    }
}
