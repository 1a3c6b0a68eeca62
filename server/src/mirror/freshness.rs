//! The freshness of stored data, and the sentence that a page shows when it may be out of date.

use app::AppError;

use crate::error::Error;
use crate::mantyx::MantyxError;

/// Shown when this MANTYX has no list of runs.
const CANNOT_LIST: &str = "This MANTYX can't list runs. Only runs that were opened, launched or imported here are shown. Open others by their id.";
/// Shown when MANTYX has not answered in time.
const SLOW: &str = "MANTYX has not responded yet. Stored data is shown; new data appears when it responds.";
/// Shown when the database cannot be written.
const CANNOT_SAVE: &str = "MANTYX has sent something new that cannot be stored here, because nothing can be saved. What is \
                           stored is shown.";

/// The freshness of stored data.
#[derive(Clone, Debug)]
pub enum Freshness {
    Fresh,
    /// MANTYX could not be asked.
    Stale(MantyxError),
    /// MANTYX does not have it, or no longer has it.
    Gone,
    /// This MANTYX has no list of runs.
    CannotList,
    /// MANTYX was asked and has not responded yet.
    Slow,
    /// MANTYX answered, but the database cannot be written.
    CannotSave,
}

impl Freshness {
    /// Returns a sentence for the page when the data may be out of date.
    pub fn stale(&self) -> Option<String> {
        match self {
            Self::Fresh => None,
            Self::Stale(error) => Some(AppError::from(Error::Mantyx(error.clone())).advice()),
            Self::Gone => Some("MANTYX no longer has this run. The stored copy is shown.".to_owned()),
            Self::CannotList => Some(CANNOT_LIST.to_owned()),
            Self::Slow => Some(SLOW.to_owned()),
            Self::CannotSave => Some(CANNOT_SAVE.to_owned()),
        }
    }
}

/// Turns errors that leave the stored data worth showing into a freshness. A rejected credential stays an error.
pub(super) fn freshness_after(error: Error) -> Result<Freshness, Error> {
    match error {
        Error::Mantyx(MantyxError::NotFound) => Ok(Freshness::Gone),
        Error::Mantyx(error) if !matches!(error, MantyxError::Unauthorized | MantyxError::MissingScope { .. }) => {
            tracing::warn!(%error, "cannot sync from MANTYX; showing stored data");
            Ok(Freshness::Stale(error))
        }
        error if error.cannot_save() => {
            tracing::error!(%error, "cannot store what MANTYX sent; showing stored data");
            Ok(Freshness::CannotSave)
        }
        error => Err(error),
    }
}
