//! The launch page as a user sees it, read from its HTML.

use std::ops::Deref;

use app::model::launch::LaunchPageModel;

#[derive(Clone, Debug)]
pub struct LaunchPage {
    model: LaunchPageModel,
    /// The draft that the form carries.
    pub draft: String,
    /// The text of the JSON editor.
    pub json: String,
}

pub struct TemplateLink {
    pub href: String,
    pub name: String,
    pub owner: String,
    pub notes: String,
}

impl Deref for LaunchPage {
    type Target = LaunchPageModel;

    fn deref(&self) -> &LaunchPageModel {
        &self.model
    }
}

impl From<LaunchPageModel> for LaunchPage {
    fn from(mut model: LaunchPageModel) -> Self {
        // Leptos marks the end of texts and lists.
        model.html = model.html.replace("<!>", "");
        let draft = unescape(between(&model.html, "name=\"draft\" value=\"", "\"").unwrap());
        let editor = between(&model.html, "<textarea id=\"json\"", "</textarea>").unwrap();
        let json = unescape(editor.split_once(">\n").unwrap().1);
        Self { model, draft, json }
    }
}

impl LaunchPage {
    pub fn notices(&self) -> Vec<&str> {
        all(&self.html, "class=\"notice\"", "</p>")
    }

    /// The error of the last action, beside the Launch button.
    pub fn general_error(&self) -> Option<&str> {
        between(&self.html, "id=\"refusal\"", "</div>")
    }

    /// Whether the page asks before it launches once more.
    pub fn asks_to_launch_again(&self) -> bool {
        self.html.contains("value=\"launch-again\"")
    }

    pub fn templates(&self) -> Vec<TemplateLink> {
        let text = |html: &str, from: &str, to: &str| unescape(between(html, from, to).unwrap_or_default());
        let template = |html: &str| TemplateLink {
            href: text(html, "href=\"", "\""),
            name: text(html, "<strong>", "</strong>"),
            owner: text(html, "<span class=\"hint\">", "</span>"),
            notes: text(html, "<span class=\"template-notes\">", "</span>"),
        };
        let list = between(&self.html, "<div class=\"template-list\">", "</div>").unwrap();
        all(list, "<a ", "</a>").into_iter().map(template).collect()
    }

    /// The options of a select: values and labels.
    pub fn options(&self, name: &str) -> Vec<(String, String)> {
        let select = between(&self.html, &format!("name=\"{name}\""), "</select>").unwrap();
        let option = |html: &str| {
            let label = html.split_once('>').unwrap().1;
            (unescape(between(html, "value=\"", "\"").unwrap()), unescape(label))
        };
        all(select, "<option ", "</option>").into_iter().map(option).collect()
    }

    /// The values that a list offers to a text line.
    pub fn completions(&self, id: &str) -> Vec<String> {
        let list = between(&self.html, &format!("<datalist id=\"{id}\""), "</datalist>").unwrap();
        all(list, "value=\"", "\"").into_iter().map(unescape).collect()
    }

    /// Each list of checks, those of the tools first: labels, states and messages.
    pub fn checks(&self) -> Vec<Vec<[&str; 3]>> {
        let check = |html| {
            let part = |from, to| between(html, from, to).unwrap();
            [part("<strong>", "</strong>"), part("data-tone=\"", "\""), part("<span>", "</em>").trim_end()]
        };
        let lists = all(&self.html, "<ul class=\"tool-checks\">", "</ul>");
        lists.into_iter().map(|list| all(list, "<li", "</li>").into_iter().map(check).collect()).collect()
    }
}

fn between<'a>(html: &'a str, from: &str, to: &str) -> Option<&'a str> {
    html.split_once(from)?.1.split_once(to).map(|(part, _)| part)
}

fn all<'a>(html: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    html.split(from).skip(1).filter_map(|rest| rest.split_once(to)).map(|(part, _)| part).collect()
}

fn unescape(html: &str) -> String {
    let text = html.replace("&quot;", "\"").replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}
