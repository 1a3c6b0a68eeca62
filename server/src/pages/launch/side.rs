//! The column beside the form: notices, the mode, the batch and templates.

use app::AppError;
use app::launch::{ControlName, LaunchMode, Verb};
use app::model::launch::{Button, Control, Item, Notice, TemplateLink, Tone};

use super::controls::{
    PageBuilder, RUNS_SCOPE, area, button, buttons, checkbox, code_area, fold, line, line_with, note, select,
};
use crate::launch::batch_inputs::preview;
use crate::launch::templates::{Template, TemplateOwner};

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
        for (exists, text, href) in [
            (ownership.has_saved_draft, unfinished_draft(&ownership.saved_prompt), "/launch"),
            (ownership.has_previous_draft, "An earlier draft is saved.".to_owned(), "/launch?draft=earlier"),
        ] {
            let link = Some((href.to_owned(), "Restore".to_owned()));
            notices.extend(exists.then_some(Notice { tone: Tone::Info, text, link }));
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

    /// A control that belongs to no field of the spec. Its errors are at `/batch/inputs` for `batch.inputs`.
    fn other(&self, name: &'static str, label: &str, help: &str, control: Control) -> Item {
        let pointer = format!("/{}", name.replace('.', "/"));
        self.control(&ControlName::Other(name), &pointer, label, help, control)
    }

    fn batch(&self) -> Item {
        let fields = &self.draft.unfinished.batch;
        let control = code_area(&fields.inputs, 4, "prompt,metadata.customer\nWhere is order 1?,acme");
        let help = "CSV with a header line, or a JSON list; at most 200. {{column}} in the prompt or in a message stands \
                    for a column.";
        let name = ControlName::Other("batch.inputs");
        let mut inputs = self.field(&name, "/batch/inputs", "Inputs", help, control);
        let preview = (!fields.inputs.trim().is_empty()).then(|| preview(self.spec(), &fields.inputs)).transpose();
        if let Err(AppError::Invalid { message, .. }) = &preview {
            inputs.error = Some(message.clone());
        }
        let preview = preview.ok().flatten();
        let file = Control::File { accept: ".csv,.json,text/csv,application/json".to_owned() };
        let key = self.other("batch.key", "Tagged", "", line_with(&fields.tag_key, "batch", ""));
        let value = self.other("batch.value", "With", "", line_with(&fields.tag_value, "generated", ""));
        let start = Button { disabled: self.lacks(RUNS_SCOPE), ..button(Verb::LaunchBatch, "Launch the batch", "") };
        let items = vec![
            Item::Field(inputs),
            note(preview.unwrap_or_else(|| "The number of runs and the first input are shown here.".to_owned())),
            self.other("batch.file", "Or a file", "", file),
            Item::Row { items: vec![key, value] },
            buttons(start),
        ];
        fold("fold-batch", "Batch", !fields.inputs.is_empty(), items)
    }

    fn template(&self, templates: &[Template]) -> Item {
        let fields = &self.draft.unfinished.template;
        let shared = checkbox(fields.shared);
        let mut save = vec![button(Verb::SaveTemplate, "Save as a template", "")];
        let own = templates.iter().filter(|template| template.owner == TemplateOwner::Me);
        if let Some(current) = own.clone().find(|template| Some(&template.id) == fields.id.as_ref()) {
            save.insert(0, button(Verb::UpdateTemplate.of(&current.id), "Update the template", &current.name));
        }
        let mut items = vec![
            self.other("template.name", "Name", "", line(&fields.name)),
            self.other("template.notes", "Notes", "", area(&fields.notes, 2, "")),
            self.other("template.shared", "Share with the workspace", "Without the values of headers.", shared),
            Item::Buttons { buttons: save },
        ];
        let (to_delete, others): (Vec<_>, Vec<_>) =
            own.partition(|template| Some(&template.id) == fields.to_delete.as_ref());
        for template in &to_delete {
            let text = format!("Delete the template “{}”?", template.name);
            let delete = button(Verb::ConfirmDelete.of(&template.id), "Delete it", &template.name);
            let keep = button(Verb::KeepTemplate, "Keep it", &template.name);
            let buttons = vec![Button { danger: true, ..delete }, keep];
            items.extend([Item::Note { tone: Tone::Warning, text }, Item::Buttons { buttons }]);
        }
        if !others.is_empty() {
            let delete = |template: &&Template| {
                button(Verb::DeleteTemplate.of(&template.id), &format!("Delete “{}”…", template.name), "")
            };
            let buttons = others.iter().map(delete).collect();
            items.extend([note("Templates of yours:"), Item::Buttons { buttons }]);
        }
        items.push(buttons(button(Verb::Reset, "Start over", "")));
        let open = self.error_inside("/template").is_some() || !to_delete.is_empty();
        fold("fold-keep", "Save as template or start over", open, items)
    }
}

fn unfinished_draft(prompt: &str) -> String {
    match prompt {
        "" => "You have an unfinished draft.".to_owned(),
        prompt => format!("You have an unfinished draft: {prompt}"),
    }
}

fn sign_in() -> (String, String) {
    ("/auth/start?return_to=%2Flaunch".to_owned(), "Sign in again".to_owned())
}

pub fn template_link(template: &Template) -> TemplateLink {
    TemplateLink {
        href: format!("/launch?template={}", template.id),
        name: template.name.clone(),
        notes: template.notes.clone(),
        owner: match &template.owner {
            TemplateOwner::BuiltIn => String::new(),
            TemplateOwner::Me => "yours".to_owned(),
            TemplateOwner::Colleague(email) => format!("of {email}"),
        },
    }
}
