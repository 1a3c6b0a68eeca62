//! What a workspace has to offer: models, saved agents, tools and plugins.
//!
//! Only the shape of models is published. Of the other three, this is what the scopes and their use in a spec imply; a
//! reader must cope with every field being absent.

use crate::document::document;

document! {
    /// `GET /models`.
    ModelList needs ["models"] {
        models: list[Model] = "models",
        default_model_id: text = "defaultModelId",
    }
}

document! {
    Model {
        /// What a spec's `modelId` says to choose it.
        id: text = "id",
        label: text = "label",
        provider: text = "provider",
        vendor_model_id: text = "vendorModelId",
        /// `platform_offering` or `workspace_provider`.
        source: text = "source",
        context_window_tokens: count = "contextWindowTokens",
        pricing: object[Pricing] = "pricing",
    }
}

document! {
    /// Dollars for a million tokens.
    Pricing {
        input_per_1m_usd: number = "inputPer1MUsd",
        output_per_1m_usd: number = "outputPer1MUsd",
        cache_read_per_1m_usd: number = "cacheReadPer1MUsd",
    }
}

document! {
    /// `GET /agents`.
    AgentList needs ["agents"] {
        agents: list[Agent] = "agents",
    }
}

document! {
    /// A saved agent.
    Agent {
        id: text = "id",
        name: text = "name",
        description: text = "description",
        model_id: text = "modelId",
    }
}

document! {
    /// `GET /tools`.
    WorkspaceToolList needs ["tools"] {
        tools: list[WorkspaceTool] = "tools",
    }
}

document! {
    /// A tool that a spec names with `kind: "mantyx"`, or one of a plugin, named with `kind: "mantyx_plugin"`.
    WorkspaceTool {
        id: text = "id",
        name: text = "name",
        description: text = "description",
    }
}

document! {
    /// `GET /plugins`.
    PluginList needs ["plugins"] {
        plugins: list[Plugin] = "plugins",
    }
}

document! {
    Plugin {
        id: text = "id",
        name: text = "name",
        description: text = "description",
        tools: list[WorkspaceTool] = "tools",
    }
}
