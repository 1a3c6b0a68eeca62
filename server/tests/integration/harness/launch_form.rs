//! The launch form, filled in and sent as a browser does.

use app::launch::draft::answerers;
use app::launch::draft::control_text::text_at;
use app::model::launch::{LaunchPageModel, LaunchResponse};
use app::wire::Wire;
use domain::{Answerer, ToolAnswerers};
use serde_json::Value;

use super::launch_page::LaunchPage;
use super::{Answer, Browser, TestApp};

/// A browser and the launch form that it shows.
pub struct LaunchForm {
    pub browser: Browser,
    pub page: LaunchPage,
}

impl TestApp {
    /// Starts a server, signs in, and opens the launch form.
    pub async fn with_launch_form() -> (Self, LaunchForm) {
        let (app, mut browser) = Self::start().await.with_browser().await;
        let page = browser.launch_page("").await;
        (app, LaunchForm { browser, page })
    }
}

impl LaunchForm {
    /// Sends the form with these fields changed, and shows the response.
    pub async fn change(&mut self, fields: &[(&str, &str)]) {
        self.upload(fields, &[]).await;
    }

    pub async fn send(&mut self, fields: &[(&str, &str)]) -> LaunchResponse {
        self.browser.send_launch_form(&self.page, fields).await
    }

    pub async fn upload(&mut self, fields: &[(&str, &str)], files: &[(&str, &str, &str)]) {
        self.page = shown_page(self.browser.upload_with_launch_form(&self.page, fields, files).await);
    }
}

impl Browser {
    /// Loads the launch page. `query` is empty or starts with `?`.
    pub async fn launch_page(&mut self, query: &str) -> LaunchPage {
        let query = query.replace('?', "?entry[").replace('=', "]=");
        let (status, body) = self.read(&format!("launch-page{query}")).await;
        assert_eq!(status, 200, "{body}");
        serde_json::from_value::<Wire<LaunchPageModel>>(body).unwrap().decode().unwrap().into()
    }

    /// Sends the form of a page with these fields changed.
    pub async fn send_launch_form(&mut self, page: &LaunchPage, fields: &[(&str, &str)]) -> LaunchResponse {
        self.upload_with_launch_form(page, fields, &[]).await
    }

    /// Sends the form with files: (control, file name, text).
    pub async fn upload_with_launch_form(
        &mut self,
        page: &LaunchPage,
        fields: &[(&str, &str)],
        files: &[(&str, &str, &str)],
    ) -> LaunchResponse {
        let fields = [&[("draft", page.draft.as_str())], fields].concat();
        let answer = self.send_parts("/launch", &fields, files, "application/json").await;
        assert_eq!(answer.status, 200, "{}", &answer.body[..answer.body.floor_char_boundary(500)]);
        serde_json::from_str::<Wire<LaunchResponse>>(&answer.body).unwrap().decode().unwrap()
    }

    /// Sends the form and returns the new page.
    pub async fn change_launch_form(&mut self, page: &LaunchPage, fields: &[(&str, &str)]) -> LaunchPage {
        shown_page(self.send_launch_form(page, fields).await)
    }

    /// Sends the form as a browser without scripts does.
    pub async fn send_plain_launch_form(&mut self, page: &LaunchPage, fields: &[(&str, &str)]) -> Answer {
        let fields = [&[("draft", page.draft.as_str())], fields].concat();
        self.send_parts("/launch", &fields, &[], "text/html").await
    }

    /// An empty form, filled in with a spec.
    pub async fn launch_form_with(&mut self, spec: &Value) -> LaunchPage {
        let page = self.launch_page("").await;
        let page = self.change_launch_form(&page, &[("action", "reset")]).await;
        self.change_launch_form(&page, &[("json", &spec.to_string())]).await
    }

    /// An empty form, filled in with a spec and with the answerers of its local tools: see `domain::Answerer`.
    pub async fn answered_launch_form(&mut self, spec: &Value, answers: &Value) -> LaunchPage {
        let mut page = self.launch_form_with(spec).await;
        let answers: ToolAnswerers = serde_json::from_value(answers.clone()).unwrap();
        // The controls of a choice appear after it is made.
        for part_of in [choice, controls] {
            let fields: Vec<(String, String)> =
                answers.iter().flat_map(|(tool, answerer)| part_of(tool, answerer)).collect();
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            page = self.change_launch_form(&page, &fields).await;
        }
        let kept: Value = serde_json::from_str(&page.draft).unwrap();
        assert_eq!(serde_json::from_value::<ToolAnswerers>(kept["answers"].clone()).unwrap(), answers);
        page
    }

    /// Launches the form of a page and returns the run's id.
    pub async fn launch_page_as_is(&mut self, page: &LaunchPage) -> String {
        launched_run(self.send_launch_form(page, &[("action", "launch")]).await)
    }

    pub async fn launch(&mut self, spec: &Value) -> String {
        let page = self.launch_form_with(spec).await;
        self.launch_page_as_is(&page).await
    }

    pub async fn launch_answered(&mut self, spec: &Value, answers: &Value) -> String {
        let page = self.answered_launch_form(spec, answers).await;
        self.launch_page_as_is(&page).await
    }
}

pub fn launched_run(answer: LaunchResponse) -> String {
    id_in_href(answer, "/runs/")
}

/// The id of the session whose conversation opens after the launch.
pub fn launched_session(answer: LaunchResponse) -> String {
    id_in_href(answer, "/sessions/")
}

fn id_in_href(answer: LaunchResponse, prefix: &str) -> String {
    match answer {
        LaunchResponse::Done { href } => href.strip_prefix(prefix).unwrap_or_else(|| panic!("{href}")).to_owned(),
        LaunchResponse::Page { page } => {
            panic!("not launched: {:?} {:?}", LaunchPage::from(*page.clone()).general_error(), page.problems)
        }
        other => panic!("not launched: {other:?}"),
    }
}

pub fn shown_page(answer: LaunchResponse) -> LaunchPage {
    match answer {
        LaunchResponse::Page { page } => LaunchPage::from(*page),
        other => panic!("not a page: {other:?}"),
    }
}

/// The select for an answerer.
fn choice(tool: &str, answerer: &Answerer) -> Vec<(String, String)> {
    vec![(format!("answerer:{tool}#by"), answerers::choice_of(answerer).to_owned())]
}

/// All controls of an answerer.
fn controls(tool: &str, answerer: &Answerer) -> Vec<(String, String)> {
    let json = serde_json::to_value(answerer).unwrap();
    let parts = answerers::parts(answerers::choice_of(answerer)).iter();
    let mut texts: Vec<(&str, String)> = parts.map(|(part, place)| (*part, text_at(&json, place))).collect();
    if let Some((name, value)) = answerer.headers().and_then(|headers| headers.first_key_value()) {
        texts.extend([("header", name.clone()), ("value", value.clone())]);
    }
    let named = texts.into_iter().map(|(part, text)| (format!("answerer:{tool}#{part}"), text));
    choice(tool, answerer).into_iter().chain(named).collect()
}
