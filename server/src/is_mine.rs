//! Resolves `is:mine` in filters to the caller, which neither the parser nor the store knows.

use std::borrow::Cow;

use app::AppError;
use protocol::Query;
use protocol::query::{Field, Is, Term};

use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;
use crate::views;

/// Replaces `is:mine` by the caller's subject. Fails for API keys, which don't belong to a person.
pub async fn resolve<'a>(state: &AppState, caller: &Caller, query: &'a Query) -> Result<Cow<'a, Query>, Error> {
    let is_mine = |term: &Term| *term == Term::Is(Is::Mine);
    if !query.clauses.iter().any(|clause| clause.terms().any(is_mine)) {
        return Ok(Cow::Borrowed(query));
    }
    let subject = views::owner(state, caller).await?.ok_or_else(|| AppError::Invalid {
        field: "q".to_owned(),
        message: "`is:mine` needs a signed-in user, and an API key has none. Sign in, or remove it.".to_owned(),
    })?;
    let mut query = query.clone();
    for term in query.clauses.iter_mut().flat_map(|clause| std::iter::once(&mut clause.term).chain(&mut clause.or)) {
        if is_mine(term) {
            *term = Term::Field { field: Field::Launcher, value: subject.clone() };
        }
    }
    Ok(Cow::Owned(query))
}
