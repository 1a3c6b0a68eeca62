//! `GET /api/oauth/userinfo`: the user and the workspace of a credential.

use super::document::document;

document! {
    UserInfo needs ["sub", "workspace"] {
        /// The user's id.
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
