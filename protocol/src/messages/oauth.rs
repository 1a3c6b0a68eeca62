//! What the authorization server answers.

use crate::document::document;

document! {
    /// `POST /api/oauth/token`.
    TokenAnswer needs ["access_token"] {
        access_token: text = "access_token",
        token_type: text = "token_type",
        /// Seconds that the access token lives.
        expires_in: count = "expires_in",
        /// The same one after each refresh: it does not rotate.
        refresh_token: text = "refresh_token",
        /// The scopes granted, with spaces between.
        scope: text = "scope",
    }
}

impl TokenAnswer {
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scope().unwrap_or("").split_ascii_whitespace()
    }
}

document! {
    /// `GET /api/oauth/userinfo`: who a credential speaks for.
    UserInfo needs ["sub", "workspace"] {
        /// Who it is, for programs.
        subject: text = "sub",
        email: text = "email",
        workspace: object[WorkspaceInfo] = "workspace",
    }
}

document! {
    WorkspaceInfo {
        id: text = "id",
        slug: text = "slug",
        name: text = "name",
    }
}
