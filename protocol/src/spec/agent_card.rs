//! The card with which an Agent2Agent peer introduces itself. MANTYX passes it through; these are the fields it reads.

use crate::document::document;

document! {
    /// An A2A Agent Card.
    AgentCard {
        protocol_version: text = "protocolVersion",
        name: text = "name",
        description: text = "description",
        /// Where the peer listens. MANTYX never fetches it.
        url: text = "url",
        version: text = "version",
        /// The model is told the first twelve of them.
        skills: list[Skill] = "skills",
    }
}

document! {
    /// Something that a peer says it can do.
    Skill {
        id: text = "id",
        name: text = "name",
        description: text = "description",
        tags: texts = "tags",
        examples: texts = "examples",
    }
}
