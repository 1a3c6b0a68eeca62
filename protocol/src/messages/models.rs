//! `GET /models`: the models of a workspace.

use super::document::document;

document! {
    ModelList needs ["models"] {
        models: list[Model] = "models",
    }
}

document! {
    Model {
        /// The `modelId` of a spec that chooses it.
        id: text = "id",
        /// Dollars for a million tokens: `inputPer1MUsd`, `outputPer1MUsd`, `cacheReadPer1MUsd`.
        pricing: json = "pricing",
    }
}
