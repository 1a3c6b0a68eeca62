//! Agent cards, fetched from a given address or a well-known one.

use http::{HeaderMap, Method};
use serde_json::Value;
use url::Url;

use crate::{HttpTransport, RemoteError, Request};

const MAX_CARD_BYTES: usize = 256 * 1024;
/// The current path, then the path of the first protocol versions.
const WELL_KNOWN: [&str; 2] = [".well-known/agent-card.json", ".well-known/agent.json"];

#[derive(Clone, Debug)]
pub struct FoundCard {
    pub card: Value,
    /// Address of the card, if it is not the address that was given.
    pub elsewhere: Option<String>,
}

/// Fetches the card at `url`, or at a well-known path below it or below its host.
pub async fn find_card(
    transport: &dyn HttpTransport,
    url: &Url,
    headers: &HeaderMap,
) -> Result<FoundCard, RemoteError> {
    let mut last = RemoteError::unusable("There is no agent card at this address or at its well-known places.");
    for candidate in candidates(url) {
        match fetch_card(transport, &candidate, headers).await {
            Ok(Some(card)) => {
                let elsewhere = (candidate != *url).then(|| candidate.into());
                return Ok(FoundCard { card, elsewhere });
            }
            Ok(None) => {}
            // The same for every address of the host.
            Err(error @ (RemoteError::Refused | RemoteError::Blocked(_))) => return Err(error),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Fetches the card at exactly this address. `None` if the server has nothing there.
pub async fn fetch_card(
    transport: &dyn HttpTransport,
    url: &Url,
    headers: &HeaderMap,
) -> Result<Option<Value>, RemoteError> {
    let request = Request { method: Method::GET, url: url.clone(), headers: headers.clone(), body: None };
    let response = transport.send(request).await?;
    if response.is_refusal() {
        return Err(RemoteError::Refused);
    }
    if !response.status().is_success() {
        return Ok(None);
    }
    let card: Option<Value> = serde_json::from_slice(&response.bytes(MAX_CARD_BYTES).await?).ok();
    let card = card.filter(|card| card["name"].is_string() || card["supportedInterfaces"].is_array());
    card.map(Some).ok_or_else(|| RemoteError::unusable("The document at this address is not an agent card."))
}

fn candidates(url: &Url) -> Vec<Url> {
    let mut candidates = vec![url.clone()];
    if url.path().ends_with(".json") {
        return candidates;
    }
    let mut base = url.clone();
    base.set_query(None);
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    candidates.extend(WELL_KNOWN.iter().filter_map(|path| base.join(path).ok()));
    if base.path() != "/" {
        candidates.extend(WELL_KNOWN.iter().filter_map(|path| base.join(&format!("/{path}")).ok()));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_looked_for_at_the_address_below_it_and_at_the_root() {
        let paths = |address: &str| -> Vec<String> {
            candidates(&Url::parse(address).expect("a URL")).iter().map(|url| url.path().to_owned()).collect()
        };
        assert_eq!(paths("https://a.test"), ["/", "/.well-known/agent-card.json", "/.well-known/agent.json"]);
        assert_eq!(paths("https://a.test/x")[..2], ["/x", "/x/.well-known/agent-card.json"]);
        assert_eq!(paths("https://a.test/x").len(), 5);
        assert_eq!(paths("https://a.test/card.json"), ["/card.json"]);
    }
}
