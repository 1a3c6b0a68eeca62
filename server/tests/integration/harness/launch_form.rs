//! The launch form, filled in and sent as a browser does.

use app::model::launch::{LaunchPageModel, LaunchResponse};
use app::wire::Wire;
use serde_json::Value;

use super::{Answer, Browser};

impl Browser {
    /// Loads the launch page. `query` is empty or starts with `?`.
    pub async fn launch_page(&mut self, query: &str) -> LaunchPageModel {
        let (status, body) = self.read(&format!("launch-page{query}")).await;
        assert_eq!(status, 200, "{body}");
        serde_json::from_value::<Wire<LaunchPageModel>>(body).unwrap().0
    }

    /// Sends the form of a page with these fields changed.
    pub async fn send_launch_form(&mut self, page: &LaunchPageModel, fields: &[(&str, &str)]) -> LaunchResponse {
        self.upload_with_launch_form(page, fields, &[]).await
    }

    /// Sends the form with files: (control, file name, text).
    pub async fn upload_with_launch_form(
        &mut self,
        page: &LaunchPageModel,
        fields: &[(&str, &str)],
        files: &[(&str, &str, &str)],
    ) -> LaunchResponse {
        let fields = [&[("draft", page.draft.as_str())], fields].concat();
        let answer = self.send_parts("/launch", &fields, files, "application/json").await;
        assert_eq!(answer.status, 200, "{}", &answer.body[..answer.body.floor_char_boundary(500)]);
        serde_json::from_str::<Wire<LaunchResponse>>(&answer.body).unwrap().0
    }

    /// Sends the form and returns the new page.
    pub async fn change_launch_form(&mut self, page: &LaunchPageModel, fields: &[(&str, &str)]) -> LaunchPageModel {
        shown_page(self.send_launch_form(page, fields).await)
    }

    /// Sends the form as a browser without scripts does.
    pub async fn send_plain_launch_form(&mut self, page: &LaunchPageModel, fields: &[(&str, &str)]) -> Answer {
        let fields = [&[("draft", page.draft.as_str())], fields].concat();
        self.send_parts("/launch", &fields, &[], "text/html").await
    }

    /// An empty form, filled in with a spec.
    pub async fn launch_form_with(&mut self, spec: &Value) -> LaunchPageModel {
        let page = self.launch_page("").await;
        let page = self.change_launch_form(&page, &[("action", "reset")]).await;
        self.change_launch_form(&page, &[("json", &spec.to_string())]).await
    }

    /// An empty form, filled in with a spec and with the answerers of its local tools: see `domain::Answerer`.
    pub async fn answered_launch_form(&mut self, spec: &Value, answers: &Value) -> LaunchPageModel {
        let page = self.launch_form_with(spec).await;
        let answers = answers.as_object().unwrap();
        let mut choices = Vec::new();
        let mut details = Vec::new();
        for (tool, answerer) in answers {
            choices.push((format!("answerer:{tool}#by"), choice(answerer).to_owned()));
            details.push((format!("answerer:{tool}#by"), choice(answerer).to_owned()));
            details.extend(parts(answerer).into_iter().map(|(part, text)| (format!("answerer:{tool}#{part}"), text)));
        }
        let page = self.change_launch_form(&page, &borrowed(&choices)).await;
        let page = self.change_launch_form(&page, &borrowed(&details)).await;
        let kept: Value = serde_json::from_str(&page.draft).unwrap();
        let typed = |value: &Value| serde_json::from_value::<domain::ToolAnswerers>(value.clone()).unwrap();
        assert_eq!(typed(&kept["answers"]), typed(&Value::Object(answers.clone())));
        page
    }

    /// Launches the form of a page and returns the run's id.
    pub async fn launch_page_as_is(&mut self, page: &LaunchPageModel) -> String {
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
        LaunchResponse::Page { page } => panic!("not launched: {:?} {:?}", page.error, page.problems),
        other => panic!("not launched: {other:?}"),
    }
}

pub fn shown_page(answer: LaunchResponse) -> LaunchPageModel {
    match answer {
        LaunchResponse::Page { page } => *page,
        other => panic!("not a page: {other:?}"),
    }
}

/// The value of the select for an answerer.
fn choice(answerer: &Value) -> &str {
    match (answerer["by"].as_str().unwrap(), answerer["server"]["over"].as_str()) {
        ("mcp", Some("stdio")) => "command",
        (by, _) => by,
    }
}

/// The controls that an answerer has besides the select.
fn parts(answerer: &Value) -> Vec<(&'static str, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let headers = if answerer["by"] == "mcp" { &answerer["server"]["headers"] } else { &answerer["headers"] };
    let header = headers.as_object().into_iter().flatten().next();
    let mut parts = match choice(answerer) {
        "canned" => {
            let failed = if answerer["failed"] == true { "true" } else { "" };
            let delay = answerer["delayMs"].as_u64().map(|ms| ms.to_string()).unwrap_or_default();
            vec![("text", text(&answerer["text"])), ("failed", failed.to_owned()), ("delay", delay)]
        }
        "mcp" => vec![("url", text(&answerer["server"]["url"])), ("tool", text(&answerer["tool"]))],
        "command" => vec![("command", text(&answerer["server"]["command"])), ("tool", text(&answerer["tool"]))],
        "a2a" => vec![("url", text(&answerer["cardUrl"]))],
        _ => Vec::new(),
    };
    if let Some((name, value)) = header {
        parts.extend([("header", name.clone()), ("value", text(value))]);
    }
    parts
}

fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}
