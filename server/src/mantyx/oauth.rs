//! MANTYX's OAuth server: authorization code with PKCE, refresh, revocation and user info.

use std::pin::Pin;
use std::time::Duration;

use domain::WorkspaceIdentity;
use oauth2::basic::{BasicErrorResponseType, BasicTokenResponse};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, Scope,
    TokenResponse, TokenUrl,
};
use protocol::messages::UserInfo;
use reqwest::Method;
use url::Url;

use super::{Bearer, Mantyx, MantyxError};

/// Scopes that Runlens needs.
const SCOPES: [&str; 6] =
    ["mantyx.identity:read", "models:read", "runs:read", "runs:write", "sessions:read", "sessions:write"];
/// Scopes that Runlens requests and works without.
const OPTIONAL_SCOPES: [&str; 4] = ["feedback:write", "agents:read", "tools:read", "plugins:read"];

type Client = oauth2::basic::BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// A started sign-in: the URL for the browser, and the values to check when it comes back.
pub struct StartedSignIn {
    pub authorize_url: Url,
    pub state: String,
    pub pkce_verifier: String,
}

/// The user and the workspace of a credential.
pub struct Identity {
    pub subject: String,
    pub email: Option<String>,
    pub workspace: WorkspaceIdentity,
}

impl Identity {
    fn parse(user: &UserInfo) -> Option<Self> {
        let workspace = user.workspace()?;
        Some(Self {
            subject: user.subject()?.to_owned(),
            email: user.email().map(str::to_owned),
            workspace: WorkspaceIdentity {
                id: workspace.id()?.to_owned(),
                slug: workspace.slug()?.to_owned(),
                name: workspace.name().unwrap_or_default().to_owned(),
            },
        })
    }
}

pub struct TokenSet {
    pub access: Bearer,
    pub refresh: Option<String>,
    pub expires_in: Duration,
    pub scopes: String,
}

impl Mantyx {
    pub fn start_sign_in(&self) -> Result<StartedSignIn, MantyxError> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (authorize_url, state) = self
            .oauth_client()?
            .authorize_url(CsrfToken::new_random)
            .add_scopes(SCOPES.iter().chain(&OPTIONAL_SCOPES).map(|scope| Scope::new((*scope).to_owned())))
            .set_pkce_challenge(challenge)
            .url();
        Ok(StartedSignIn { authorize_url, state: state.into_secret(), pkce_verifier: verifier.into_secret() })
    }

    pub async fn exchange_code(&self, code: String, pkce_verifier: String) -> Result<TokenSet, MantyxError> {
        let client = self.oauth_client()?;
        let request =
            client.exchange_code(AuthorizationCode::new(code)).set_pkce_verifier(PkceCodeVerifier::new(pkce_verifier));
        request.request_async(&OAuthHttp(self.http.clone())).await.map(token_set).map_err(oauth_error)
    }

    pub async fn refresh(&self, refresh_token: &str) -> Result<TokenSet, MantyxError> {
        let client = self.oauth_client()?;
        let token = RefreshToken::new(refresh_token.to_owned());
        let request = client.exchange_refresh_token(&token);
        request.request_async(&OAuthHttp(self.http.clone())).await.map(token_set).map_err(oauth_error)
    }

    /// Revokes a token. Revoking a refresh token also revokes its access tokens. MANTYX returns 200 also for unknown tokens.
    pub async fn revoke(&self, token: &str) -> Result<(), MantyxError> {
        let form = [("token", token), ("client_id", &self.client_id), ("client_secret", &self.client_secret)];
        let request = self.http.post(self.url(&["api", "oauth", "revoke"])).form(&form);
        Self::send(request.timeout(Duration::from_secs(5))).await.map(drop)
    }

    pub async fn userinfo(&self, bearer: &Bearer) -> Result<Identity, MantyxError> {
        let url = self.url(&["api", "oauth", "userinfo"]);
        let user = Self::send_json(self.http.request(Method::GET, url).bearer_auth(bearer.expose())).await?;
        Identity::parse(&user).ok_or_else(|| MantyxError::Unexpected("an identity without its workspace".to_owned()))
    }

    fn oauth_client(&self) -> Result<Client, MantyxError> {
        let bad_url = |error: url::ParseError| MantyxError::Unexpected(error.to_string());
        let endpoint = |name: &str| self.url(&["api", "oauth", name]).to_string();
        Ok(oauth2::basic::BasicClient::new(ClientId::new(self.client_id.clone()))
            .set_client_secret(ClientSecret::new(self.client_secret.clone()))
            .set_auth_uri(AuthUrl::new(endpoint("authorize")).map_err(bad_url)?)
            .set_token_uri(TokenUrl::new(endpoint("token")).map_err(bad_url)?)
            .set_redirect_uri(RedirectUrl::from_url(self.redirect_uri.clone()))
            // MANTYX expects the client's credentials in the body.
            .set_auth_type(AuthType::RequestBody))
    }
}

/// Sends the oauth2 crate's requests with our HTTP client and its limits.
struct OAuthHttp(reqwest::Client);

impl<'c> oauth2::AsyncHttpClient<'c> for OAuthHttp {
    type Error = OAuthTransport;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, OAuthTransport>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let response = self
                .0
                .request(parts.method, parts.uri.to_string())
                .headers(parts.headers)
                .timeout(Duration::from_secs(15))
                .body(body)
                .send()
                .await
                .map_err(|error| OAuthTransport(error.into()))?;
            let (status, headers) = (response.status(), response.headers().clone());
            let mut http_response = HttpResponse::new(super::read_body(response).await.map_err(OAuthTransport)?);
            (*http_response.status_mut(), *http_response.headers_mut()) = (status, headers);
            Ok(http_response)
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct OAuthTransport(MantyxError);

fn token_set(response: BasicTokenResponse) -> TokenSet {
    let scopes = response.scopes().map(|scopes| scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>());
    TokenSet {
        access: Bearer::new(response.access_token().secret()),
        refresh: response.refresh_token().map(|token| token.secret().clone()),
        expires_in: response.expires_in().unwrap_or(Duration::from_secs(3600)),
        scopes: scopes.unwrap_or_default().join(" "),
    }
}

fn oauth_error(
    error: RequestTokenError<OAuthTransport, oauth2::StandardErrorResponse<BasicErrorResponseType>>,
) -> MantyxError {
    match error {
        RequestTokenError::ServerResponse(response) => MantyxError::Refused {
            status: 400,
            code: response.error().as_ref().to_owned(),
            message: response
                .error_description()
                .cloned()
                .unwrap_or_else(|| "The sign-in was not accepted.".to_owned()),
        },
        RequestTokenError::Request(transport) => transport.0,
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            MantyxError::Unexpected("a response that is not a token".to_owned())
        }
    }
}
