//! The endpoint of an A2A agent, and the form of its requests.

use serde_json::{Value, json};
use url::Url;

use super::Message;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub url: Url,
    pub binding: Binding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    JsonRpc0_3,
    JsonRpc1_0,
    /// HTTP+JSON: the URL names the method.
    Rest1_0,
}

/// Returns the JSON-RPC endpoint that a card names. A relative URL is joined to `base`, the address of the card.
pub fn json_rpc_endpoint(card: &Value, base: Option<&Url>) -> Option<Endpoint> {
    let is_json_rpc = |name: &Value| name.as_str().is_some_and(|name| name.eq_ignore_ascii_case("jsonrpc"));
    let find = |list: &str, field: &str| {
        card[list].as_array().into_iter().flatten().find(|interface| is_json_rpc(&interface[field]))
    };
    let (url, binding) = if let Some(found) = find("supportedInterfaces", "protocolBinding") {
        let is_old = found["protocolVersion"].as_str().is_some_and(|version| version.starts_with("0."));
        (&found["url"], if is_old { Binding::JsonRpc0_3 } else { Binding::JsonRpc1_0 })
    } else if card["preferredTransport"].is_null() || is_json_rpc(&card["preferredTransport"]) {
        (&card["url"], Binding::JsonRpc0_3)
    } else {
        (&find("additionalInterfaces", "transport")?["url"], Binding::JsonRpc0_3)
    };
    let url = Url::options().base_url(base).parse(url.as_str()?).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(Endpoint { url, binding })
}

impl Binding {
    pub(super) fn send_method(self) -> &'static str {
        if self == Self::JsonRpc0_3 { "message/send" } else { "SendMessage" }
    }

    pub(super) fn get_method(self) -> &'static str {
        if self == Self::JsonRpc0_3 { "tasks/get" } else { "GetTask" }
    }

    pub(super) fn send_params(self, message: &Message) -> Value {
        let mut configuration = json!({ "acceptedOutputModes": ["text/plain", "application/json"] });
        let mut sent = if self == Self::JsonRpc0_3 {
            configuration["blocking"] = true.into();
            json!({ "kind": "message", "role": "user", "parts": [{ "kind": "text", "text": message.text }] })
        } else {
            json!({ "role": "ROLE_USER", "parts": [{ "text": message.text }] })
        };
        sent["messageId"] = message.id.as_str().into();
        if let Some(context_id) = message.context_id {
            sent["contextId"] = context_id.into();
        }
        json!({ "message": sent, "configuration": configuration })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_read_from_cards_of_both_versions() {
        let base = Url::parse("https://a.test/.well-known/agent-card.json").expect("a URL");
        let check = |card: Value| json_rpc_endpoint(&card, Some(&base)).map(|found| (found.url.into(), found.binding));
        let url = "https://a.test/rpc".to_owned();
        assert_eq!(check(json!({ "name": "a", "url": url })), Some((url.clone(), Binding::JsonRpc0_3)));
        assert_eq!(check(json!({ "name": "a", "url": "/rpc" })), Some((url.clone(), Binding::JsonRpc0_3)));
        let new = json!({ "supportedInterfaces": [
            { "url": "https://a.test/rest", "protocolBinding": "HTTP+JSON" },
            { "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ] });
        assert_eq!(check(new), Some((url.clone(), Binding::JsonRpc1_0)));
        let mixed = json!({ "url": "https://a.test/grpc", "preferredTransport": "GRPC",
            "additionalInterfaces": [{ "url": url, "transport": "JSONRPC" }] });
        assert_eq!(check(mixed), Some((url, Binding::JsonRpc0_3)));
        assert_eq!(check(json!({ "name": "a" })), None);
        assert_eq!(check(json!({ "url": "file:///etc/passwd" })), None);
    }
}
