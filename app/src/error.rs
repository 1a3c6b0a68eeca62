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
    /// The consent does not include this scope.
    MissingScope {
        scope: String,
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
    /// Too many requests of this client.
    TooManyRequests {
        retry_after_s: u64,
    },
    /// Other large logs take all the memory that this server has for them.
    Busy,
    /// This server's own database does not answer.
    Database,
    /// The database cannot be written: its disk is full, or read-only.
    CannotSave,
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

    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::Invalid { field: field.to_owned(), message: message.into() }
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::Conflict { message: message.into() }
    }

    /// An error in one field of a form that holds a JSON document.
    pub fn field(path: impl Into<String>, code: &str, message: impl Into<String>) -> Self {
        Self::Fields { errors: vec![FieldError { path: path.into(), code: code.to_owned(), message: message.into() }] }
    }

    pub fn http_status(&self) -> u16 {
        match self {
            Self::SignedOut => 401,
            Self::Forbidden { .. } | Self::MissingScope { .. } => 403,
            Self::NotFound { .. } => 404,
            Self::Invalid { .. } | Self::Fields { .. } => 400,
            Self::Conflict { .. } => 409,
            Self::Upstream { .. } => 502,
            Self::Unavailable { .. } | Self::Transport { .. } | Self::Busy | Self::Database | Self::CannotSave => 503,
            Self::RateLimited { .. } | Self::TooManyRequests { .. } => 429,
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
            Self::MissingScope { .. } => "Your sign-in does not allow this",
            Self::NotFound { .. } => "Not found",
            Self::Invalid { .. } => "Invalid input",
            Self::Fields { .. } => "Some fields are invalid",
            Self::Conflict { .. } => "Already done",
            Self::Upstream { .. } => "MANTYX answered with an error",
            Self::Unavailable { .. } => "MANTYX cannot be reached",
            Self::RateLimited { .. } => "MANTYX rate limit reached",
            Self::TooManyRequests { .. } => "Too many requests",
            Self::Busy => "The server is busy",
            Self::Database => "The database does not respond",
            Self::CannotSave => "Nothing can be saved at the moment",
            Self::Internal { .. } => "Something went wrong",
            Self::Transport { .. } => "The connection failed",
        }
    }

    /// The meaning of the error, and what to do.
    pub fn advice(&self) -> String {
        match self {
            Self::SignedOut => "Sign in again to continue. Nothing was lost.".to_owned(),
            Self::Forbidden { message } => message.clone(),
            Self::MissingScope { scope } => {
                format!("Your sign-in does not include {scope}. Sign in again and allow it.")
            }
            Self::NotFound { what } => {
                format!("This workspace has no such {what}. Check the URL, or go back to the list.")
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
            Self::Upstream { code, message } => format!("{message} (code {code}). Your stored data is safe."),
            Self::Unavailable { message } => format!("{message} Your stored data is safe. Try again in a moment."),
            Self::TooManyRequests { retry_after_s } => format!("Wait {retry_after_s} s, then try again."),
            Self::Busy => "Other very large logs are being read. Try again in a moment.".to_owned(),
            Self::Database => "You are still signed in, and nothing was changed. Try again in a moment.".to_owned(),
            Self::CannotSave => {
                "This server's disk is full, or its database cannot be written. What is stored can still be read. Ask your \
                 operator to free space, then try again."
                    .to_owned()
            }
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
            Self::Conflict { message } | Self::Invalid { message, .. } => f.write_str(message),
            _ => write!(f, "{}: {}", self.title(), self.advice()),
        }
    }
}

impl std::error::Error for AppError {}

#[cfg(feature = "ssr")]
impl AppError {
    /// Returns an error if the server cannot read the request of a server function.
    fn of_unreadable_request(error: &ServerFnErrorErr) -> Option<Self> {
        let (field, message) = match error {
            ServerFnErrorErr::Args(reason) | ServerFnErrorErr::MissingArg(reason) => (
                "arguments",
                match reason.strip_prefix("missing field ") {
                    Some(name) => format!("The argument {name} is missing."),
                    None => "An argument has a value that cannot be read.".to_owned(),
                },
            ),
            // On the server, only bodies of requests are deserialized.
            ServerFnErrorErr::Deserialization(_) => ("body", "The body cannot be read as text.".to_owned()),
            _ => return None,
        };
        Some(Self::Invalid { field: field.to_owned(), message })
    }
}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        #[cfg(feature = "ssr")]
        if let Some(invalid) = Self::of_unreadable_request(&error) {
            invalid.set_response_status();
            return invalid;
        }
        Self::Transport { message: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_quotes_an_error_has_no_prefix_twice() {
        let inner = AppError::invalid("approved", "approved: Required.");
        assert_eq!(inner.to_string(), "approved: Required.");
        let outer = AppError::invalid("text", inner.to_string());
        assert_eq!(format!("{}: {}", outer.title(), outer.advice()), "Invalid input: approved: Required.");
    }
}
