//! What the model is asked: messages of several roles, and files that go with the last one.

use crate::document::document;

document! {
    /// One message of a conversation.
    Message {
        /// `user`, `assistant` or `system`.
        role: text = "role",
        content: text = "content",
        /// Only those of the last user message reach the model.
        attachments: list[Attachment] = "attachments",
    }
}

document! {
    /// A file that goes with a message. In a session's history it comes back without its bytes, with a `size`.
    Attachment {
        kind: text = "type",
        mime_type: text = "mimeType",
        filename: text = "filename",
        /// Base64 without a data-URL prefix.
        data: text = "data",
        url: text = "url",
        size: count = "size",
    }
}

/// Where the bytes of an attachment are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachmentSource<'a> {
    /// In the message, as base64; `None` in a session's history.
    Inline(Option<&'a str>),
    /// At an https address that the provider fetches.
    Url(&'a str),
    Unknown,
}

impl Attachment {
    pub fn source(&self) -> AttachmentSource<'_> {
        match (self.kind(), self.url()) {
            (Some("input_file"), _) => AttachmentSource::Inline(self.data()),
            (Some("input_file_url"), Some(url)) => AttachmentSource::Url(url),
            _ => AttachmentSource::Unknown,
        }
    }
}
