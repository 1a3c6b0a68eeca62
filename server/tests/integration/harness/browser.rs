//! A browser without scripts: cookies, redirects, forms.

use std::collections::BTreeMap;

use reqwest::header::{ACCEPT, CONTENT_TYPE, COOKIE, HeaderMap, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use url::Url;

pub struct Browser {
    http: reqwest::Client,
    home: Url,
    /// Of the dashboard; the sandbox sets none.
    pub cookies: BTreeMap<String, String>,
}

pub struct Answer {
    pub status: u16,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: String,
}

impl Browser {
    pub fn new(http: reqwest::Client, home: Url) -> Self {
        Self { http, home, cookies: BTreeMap::new() }
    }

    pub fn url(&self, path: &str) -> Url {
        self.home.join(path).unwrap()
    }

    /// One request, no redirect followed.
    pub async fn request(&mut self, method: Method, url: Url, form: &[(&str, &str)]) -> Answer {
        let mut request = self.http.request(method.clone(), url.clone());
        if method == Method::POST {
            request = request.form(form).header(ORIGIN, url.origin().ascii_serialization());
        }
        self.send(request, url).await
    }

    /// Sends a request with the cookies, and keeps those of the answer. Of a stream that never ends, the first part is read.
    pub async fn send(&mut self, mut request: RequestBuilder, url: Url) -> Answer {
        let at_home = url.origin() == self.home.origin();
        if at_home && !self.cookies.is_empty() {
            let pairs: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header(COOKIE, pairs.join("; "));
        }
        let mut response = request.send().await.unwrap();
        for cookie in response.headers().get_all(SET_COOKIE).iter().filter(|_| at_home) {
            let cookie = cookie.to_str().unwrap();
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            match cookie.contains("Max-Age=0") {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = match url.path() == "/waiting/live" && status == 200 {
            true => String::from_utf8(response.chunk().await.unwrap().unwrap_or_default().to_vec()).unwrap(),
            false => response.text().await.unwrap(),
        };
        Answer { status, url, headers, body }
    }

    /// Calls a server function that changes something, and reads what it answers.
    pub async fn call(&mut self, function: &str, form: &[(&str, &str)]) -> (u16, Value) {
        let answer = self.request(Method::POST, self.url(&format!("/rpc/{function}")), form).await;
        let body = serde_json::from_str(&answer.body).unwrap_or_else(|_| Value::String(answer.body.clone()));
        (answer.status, body)
    }

    /// Sends the form that answers a local tool call, as a script does.
    pub async fn answer(&mut self, form: &[(&str, &str)]) -> Answer {
        let url = self.url("/waiting");
        let request = self.http.post(url.clone()).form(form);
        let request = request.header(ORIGIN, url.origin().ascii_serialization()).header(ACCEPT, "application/json");
        self.send(request, url).await
    }

    /// Calls a server function that loads page data, in the `Wire` format.
    pub async fn read(&mut self, path: &str) -> (u16, Value) {
        let answer = self.request(Method::GET, self.url(&format!("/rpc/{path}")), &[]).await;
        let body = serde_json::from_str(&answer.body).unwrap_or_else(|_| Value::String(answer.body.clone()));
        (answer.status, body)
    }

    /// Sends a form with files, as its parts. Files are (control, name, text).
    pub async fn send_parts(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        files: &[(&str, &str, &str)],
        accept: &str,
    ) -> Answer {
        const BOUNDARY: &str = "a-line-that-no-part-has";
        let mut body = String::new();
        let named = fields.iter().map(|(name, text)| (format!("name=\"{name}\""), *text));
        let files = files.iter().map(|(name, file, text)| {
            (format!("name=\"{name}\"; filename=\"{file}\"\r\nContent-Type: text/plain"), *text)
        });
        for (head, text) in named.chain(files) {
            body += &format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n{text}\r\n");
        }
        body += &format!("--{BOUNDARY}--\r\n");
        let url = self.url(path);
        let request = self
            .http
            .post(url.clone())
            .header(ORIGIN, url.origin().ascii_serialization())
            .header(ACCEPT, accept)
            .header(CONTENT_TYPE, format!("multipart/form-data; boundary={BOUNDARY}"))
            .body(body);
        self.send(request, url).await
    }

    /// Opens a page and follows redirects.
    pub async fn open(&mut self, path: &str) -> Answer {
        self.follow(self.url(path)).await
    }

    pub async fn follow(&mut self, mut url: Url) -> Answer {
        for _ in 0..10 {
            let answer = self.request(Method::GET, url.clone(), &[]).await;
            match answer.headers.get(LOCATION) {
                Some(next) if (300..400).contains(&answer.status) => url = url.join(next.to_str().unwrap()).unwrap(),
                _ => return answer,
            }
        }
        panic!("more than ten redirects, last to {url}");
    }

    /// Asks for a page, and clicks through the sign-in until the consent page is shown.
    pub async fn open_consent_page(&mut self, path: &str) -> Answer {
        let sign_in = self.open(path).await;
        assert_eq!(sign_in.url.path(), "/sign-in", "{}", sign_in.body);
        let href = sign_in.body.split('"').find(|part| part.starts_with("/auth/start")).unwrap().replace("&amp;", "&");
        let consent = self.open(&href).await;
        assert_eq!(consent.status, 200, "{}", consent.body);
        consent
    }

    /// Decides on the consent page. The answer is the redirect back, not followed.
    pub async fn decide(&mut self, consent: &Answer, workspace: &str, decision: &str) -> Url {
        self.decide_as(consent, &format!("owner@{workspace}.test"), decision).await
    }

    async fn decide_as(&mut self, consent: &Answer, account: &str, decision: &str) -> Url {
        let request_id = consent.body.split("name=\"request\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let form = [("request", request_id), ("account", account), ("decision", decision)];
        let url = consent.url.join("/api/oauth/authorize/decide").unwrap();
        let answer = self.request(Method::POST, url.clone(), &form).await;
        url.join(answer.headers[LOCATION].to_str().unwrap()).unwrap()
    }

    /// Approves on the consent page with only these scopes beside the identity. Returns the redirect back, not followed.
    pub async fn approve_only(&mut self, consent: &Answer, workspace: &str, scopes: &[&str]) -> Url {
        let request_id = consent.body.split("name=\"request\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let account = format!("owner@{workspace}.test");
        let mut form = vec![
            ("request".to_owned(), request_id.to_owned()),
            ("account".to_owned(), account),
            ("decision".to_owned(), "approve".to_owned()),
            ("grants".to_owned(), "listed".to_owned()),
        ];
        form.extend(scopes.iter().map(|scope| (format!("grant:{scope}"), "yes".to_owned())));
        let url = consent.url.join("/api/oauth/authorize/decide").unwrap();
        let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = self.request(Method::POST, url.clone(), &form).await;
        url.join(answer.headers[LOCATION].to_str().unwrap()).unwrap()
    }

    /// Asks for `path` and signs in as the workspace's owner on the way.
    pub async fn sign_in(&mut self, path: &str, workspace: &str) -> Answer {
        self.sign_in_as(path, &format!("owner@{workspace}.test")).await
    }

    /// Asks for `path` and signs in with an account on the way.
    pub async fn sign_in_as(&mut self, path: &str, account: &str) -> Answer {
        let consent = self.open_consent_page(path).await;
        let callback = self.decide_as(&consent, account, "approve").await;
        self.follow(callback).await
    }
}
