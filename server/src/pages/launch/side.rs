//! The column beside the form: notices, the mode, the batch and templates.

use app::launch::{ControlKind, LaunchMode};
use app::model::launch::Tone;

use super::controls::{PageBuilder, area, button, buttons, checkbox, code_area, fold, line, line_with, note, select};
use super::items::{Button, Control, Item, Notice};
use crate::auth::scopes::{RUNS_WRITE, includes};
use crate::launch::batch_inputs::preview;
use crate::launch::form::Verb;
use crate::launch::templates::{Template, TemplateOwner};

const CHANGED_ELSEWHERE: &str = "This draft was also changed on another page, perhaps in another tab. This form has your \
                                 changes from here. The other version is saved.";

impl PageBuilder<'_> {
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        if let Some(scope) = self.missing_scope() {
            let what = if self.draft.mode == LaunchMode::OneShot { "no run" } else { "nothing in a session" };
            notices.push(Notice {
                tone: Tone::Warning,
                text: format!(
                    "Your sign-in does not include {scope}, so {what} can be launched. You can still write a draft. \
                     To launch, sign in again and allow it."
                ),
                link: Some(sign_in()),
            });
        }
        let ownership = &self.draft.ownership;
        let mut restore = |tone, text: String, href: &str| {
            notices.push(Notice { tone, text, link: Some((href.to_owned(), "Restore".to_owned())) });
        };
        match ownership.saved_draft.as_deref() {
            None => {}
            Some("") => restore(Tone::Info, "You have an unfinished draft.".to_owned(), "/launch"),
            Some(prompt) => restore(Tone::Info, format!("You have an unfinished draft: {prompt}"), "/launch"),
        }
        if ownership.changed_elsewhere {
            restore(Tone::Warning, CHANGED_ELSEWHERE.to_owned(), "/launch?draft=earlier");
        } else if ownership.has_previous_draft {
            restore(Tone::Info, "An earlier draft is saved.".to_owned(), "/launch?draft=earlier");
        }
        if let Some(done) = &self.draft.last_action.success {
            notices.push(Notice { tone: Tone::Success, text: done.clone(), link: None });
        }
        notices
    }

    /// The error of the last action that belongs to no field.
    pub fn general_error(&self) -> Option<Notice> {
        let last = &self.draft.last_action;
        let link = match (last.suggest_sign_in, last.unconfirmed) {
            (true, _) => Some(sign_in()),
            (false, true) => Some(("/runs".to_owned(), "See the newest runs".to_owned())),
            (false, false) => None,
        };
        let text = last.general_error.clone()?;
        Some(Notice { tone: Tone::Error, text, link })
    }

    pub fn more_actions(&self, templates: &[Template]) -> Vec<Item> {
        vec![self.batch(), self.code_samples(), self.template(templates)]
    }

    pub fn mode(&self) -> Vec<Item> {
        let (value, session) = match &self.draft.mode {
            LaunchMode::OneShot => ("one_shot", ""),
            LaunchMode::NewSession => ("new_session", ""),
            LaunchMode::Message { session_id } => ("message", session_id.as_str()),
        };
        let words = [
            ("one_shot", "One run"),
            ("new_session", "The first message of a new session"),
            ("message", "The next message of a session"),
        ];
        let mut items = vec![self.other("mode", "Run type", "", select(value, words))];
        if let LaunchMode::Message { .. } = self.draft.mode {
            items.push(self.other("session", "Session", "Its id, such as sess_…", line(session)));
            items.push(note(
                "The session has its own prompt, model and tools. Settings made here apply to this message only.",
            ));
            items.extend(self.overrides());
        }
        items
    }

    /// A control that belongs to no field of the spec.
    fn other(&self, name: &str, label: &str, help: &str, control: Control) -> Item {
        self.control(ControlKind::Other.at(name), label, help, control)
    }

    /// The text of a control that belongs to no field of the spec.
    fn text(&self, name: &str) -> &str {
        self.draft.unfinished.text(&ControlKind::Other.at(name))
    }

    fn batch(&self) -> Item {
        let inputs = self.text("batch.inputs");
        let control = code_area(inputs, 4, "prompt,metadata.customer\nWhere is order 1?,acme");
        let help = "CSV with a header line, or a JSON list; at most 200. {{column}} in the prompt or in a message stands \
                    for a column.";
        let mut field = self.field(ControlKind::Other.at("batch.inputs"), "Inputs", help, control);
        let preview = (!inputs.trim().is_empty()).then(|| preview(self.spec(), inputs)).transpose();
        if let Err(error) = &preview {
            field.error = Some(error.advice());
        }
        let preview = preview.ok().flatten().or_else(|| self.draft.last_action.batch_file.clone());
        let file = Control::File { accept: ".csv,.json,text/csv,application/json".to_owned() };
        let key = line_with(self.text("batch.key"), "batch", "");
        let value = line_with(self.text("batch.value"), "generated", "");
        let forbidden = !includes(self.scopes, RUNS_WRITE);
        let start = Button { disabled: forbidden, ..button(Verb::LaunchBatch, "Launch the batch", "") };
        let items = vec![
            Item::Field(field),
            note(preview.unwrap_or_else(|| "The number of runs and the first input are shown here.".to_owned())),
            self.other("batch.file", "Or a file", "", file),
            Item::Row(vec![
                self.other("batch.key", "Metadata key", "", key),
                self.other("batch.value", "Metadata value", "", value),
            ]),
            buttons(start),
        ];
        fold("fold-batch", "Batch", !inputs.is_empty(), items)
    }

    fn template(&self, templates: &[Template]) -> Item {
        let input = &self.draft.unfinished;
        let shared = checkbox(self.text("template.shared") == "true");
        let mut save = vec![button(Verb::SaveTemplate, "Save as a template", "")];
        let own = templates.iter().filter(|template| template.owner == TemplateOwner::Me);
        if let Some(current) = own.clone().find(|template| Some(&template.id) == input.template_id.as_ref()) {
            save.insert(0, button(Verb::UpdateTemplate.of(&current.id), "Update the template", &current.name));
        }
        let mut items = vec![
            self.other("template.name", "Name", "", line(self.text("template.name"))),
            self.other("template.notes", "Notes", "", area(self.text("template.notes"), 2, "")),
            self.other("template.shared", "Share with the workspace", "Header values are left out.", shared),
            Item::Buttons(save),
        ];
        let (to_delete, others): (Vec<_>, Vec<_>) =
            own.partition(|template| Some(&template.id) == input.template_to_delete.as_ref());
        for template in &to_delete {
            let text = format!("Delete the template “{}”?", template.name);
            let delete = button(Verb::ConfirmDelete.of(&template.id), "Delete it", &template.name);
            let keep = button(Verb::KeepTemplate, "Keep it", &template.name);
            let buttons = vec![Button { danger: true, ..delete }, keep];
            items.extend([Item::Note { tone: Tone::Warning, text }, Item::Buttons(buttons)]);
        }
        if !others.is_empty() {
            let delete = |template: &&Template| {
                button(Verb::DeleteTemplate.of(&template.id), &format!("Delete “{}”…", template.name), "")
            };
            let buttons = others.iter().map(delete).collect();
            items.extend([note("Your templates:"), Item::Buttons(buttons)]);
        }
        items.push(buttons(button(Verb::Reset, "Start over", "")));
        let open = self.error_inside("/template").is_some() || !to_delete.is_empty();
        fold("fold-keep", "Save as template or start over", open, items)
    }
}

fn sign_in() -> (String, String) {
    ("/auth/start?return_to=%2Flaunch".to_owned(), "Sign in again".to_owned())
}
