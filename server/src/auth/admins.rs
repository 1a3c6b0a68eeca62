//! The people who may change what a workspace shares: `RUNLENS_ADMINS`. Everyone else reads and launches as their scopes
//! allow.

use std::collections::BTreeSet;

use app::AppError;

use crate::audit::{Actor, Who};

/// `None` means that everyone may.
#[derive(Clone, Debug, Default)]
pub struct Admins(Option<BTreeSet<String>>);

impl Admins {
    /// Email addresses separated by commas. An empty text means everyone.
    pub fn new(text: &str) -> Self {
        let addresses = text.split(',').map(str::trim).filter(|address| !address.is_empty());
        let addresses: BTreeSet<String> = addresses.map(str::to_lowercase).collect();
        Self(Some(addresses).filter(|addresses| !addresses.is_empty()))
    }

    /// Returns true if the actor may pause the sync, delete for good and read the audit log.
    pub fn include(&self, actor: &Actor) -> bool {
        self.0.is_none() || self.name(actor)
    }

    /// Returns true if the list names the actor, who may then also change views of others. Without a list, a view belongs
    /// to its owner alone.
    pub fn name(&self, actor: &Actor) -> bool {
        let (Some(admins), Who::Person(email)) = (&self.0, &actor.who) else { return false };
        admins.contains(&email.to_lowercase())
    }

    pub fn refusal() -> AppError {
        let message = "Only an administrator of this dashboard can do this. Ask your operator (RUNLENS_ADMINS).";
        AppError::Forbidden { message: message.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_list_everyone_may_and_with_one_those_whom_it_names() {
        let ada = Actor::person("Ada@acme.test", None);
        let eve = Actor::person("eve@acme.test", None);
        let key = Actor { who: Who::ApiKey, address: None };
        let all = Admins::new(" , ");
        assert!([&ada, &eve, &key].iter().all(|actor| all.include(actor) && !all.name(actor)));
        let some = Admins::new("ada@ACME.test, bob@acme.test");
        assert_eq!([&ada, &eve, &key].map(|actor| some.include(actor)), [true, false, false]);
        assert_eq!([&ada, &eve, &key].map(|actor| some.name(actor)), [true, false, false]);
    }
}
