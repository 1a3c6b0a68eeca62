//! The column beside the form: notices, the mode, the batch and templates.

use app::AppError;
use app::launch::LaunchMode;
use app::model::launch::{Button, Control, Item, Notice, TemplateLink, Tone};

use super::controls::{PageBuilder, RUNS_SCOPE, button, line, note, options_with, with_help};
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
                    "Your sign-in does not include {scope}, so {what} can be launched. You can write and keep a draft. \
                     Sign in again, and allow it."
                ),
                link: Some(sign_in()),
            });
        }
        if self.draft.has_previous_draft {
            notices.push(Notice {
                tone: Tone::Info,
                text: "What you were writing before is kept.".to_owned(),
                link: Some(("/launch?draft=earlier".to_owned(), "Go back to it".to_owned())),
            });
        }
        if let Some(done) = &self.draft.success {
            notices.push(Notice { tone: Tone::Success, text: done.clone(), link: None });
        }
        notices
    }

    /// The error of the last action that belongs to no field.
    pub fn general_error(&self) -> Option<Notice> {
        let link = match (self.draft.suggest_sign_in, self.draft.unconfirmed) {
            (true, _) => Some(sign_in()),
            (false, true) => Some(("/runs".to_owned(), "See the newest runs".to_owned())),
            (false, false) => None,
        };
        let text = self.draft.general_error.clone()?;
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
        let options = options_with(value, &words);
        let mode =
            self.field("x:mode".to_owned(), "/mode", "Launch as", Control::Select { value: value.to_owned(), options });
        let mut items = vec![Item::Field(mode)];
        if let LaunchMode::Message { .. } = self.draft.mode {
            let id = self.field("x:session".to_owned(), "/session", "Session", line(session.to_owned()));
            items.push(with_help(id, "Its id, such as sess_…"));
            items.push(note(
                "The session has its own prompt, model and tools. Whatever is set here holds for this message only.",
            ));
            items.extend(self.overrides());
        }
        items
    }

    fn batch(&self) -> Item {
        let fields = &self.draft.batch;
        let area = Control::TextArea {
            value: fields.inputs.clone(),
            placeholder: "prompt,metadata.customer\nWhere is order 1?,acme".to_owned(),
            rows: 4,
            code: true,
        };
        let mut inputs = self.field("q:inputs".to_owned(), "/batch/inputs", "Inputs", area);
        let preview = (!fields.inputs.trim().is_empty()).then(|| preview(self.spec(), &fields.inputs)).transpose();
        if let Err(AppError::Invalid { message, .. }) = &preview {
            inputs.error = Some(message.clone());
        }
        let help = "CSV with a header line, or a JSON list; at most 200. {{column}} in the prompt or in a message stands \
                    for a column.";
        let file = Control::File { accept: ".csv,.json,text/csv,application/json".to_owned() };
        let file = self.field("f:inputs".to_owned(), "/batch/file", "Or a file", file);
        let placeholder = |value: &str, placeholder: &str| Control::TextLine {
            value: value.to_owned(),
            placeholder: placeholder.to_owned(),
            datalist: String::new(),
            secret: false,
        };
        let key = self.field("q:tag-key".to_owned(), "/batch/key", "Tagged", placeholder(&fields.tag_key, "batch"));
        let tag = placeholder(&fields.tag_value, "today");
        let value = self.field("q:tag-value".to_owned(), "/batch/value", "With", tag);
        Item::Fold {
            id: "fold-batch".to_owned(),
            title: "Many at once".to_owned(),
            open: !fields.inputs.is_empty(),
            items: vec![
                with_help(inputs, help),
                note(
                    preview
                        .ok()
                        .flatten()
                        .unwrap_or_else(|| "The first input is shown here before it is sent.".to_owned()),
                ),
                Item::Field(file),
                Item::Row { items: vec![Item::Field(key), Item::Field(value)] },
                Item::Buttons {
                    buttons: vec![Button {
                        disabled: self.lacks(RUNS_SCOPE),
                        ..button("batch", "Launch the batch", "")
                    }],
                },
            ],
        }
    }

    fn template(&self, templates: &[Template]) -> Item {
        let fields = &self.draft.template;
        let name = self.field("q:template-name".to_owned(), "/template/name", "Name", line(fields.name.clone()));
        let notes = Control::TextArea { value: fields.notes.clone(), placeholder: String::new(), rows: 2, code: false };
        let notes = self.field("q:template-notes".to_owned(), "/template/notes", "Notes", notes);
        let shared = Control::Checkbox { value: "true".to_owned(), checked: fields.shared };
        let shared = self.field("q:template-shared".to_owned(), "/template/shared", "Share with the workspace", shared);
        let mut save = vec![button("save-template", "Save as a template", "")];
        let own = templates.iter().filter(|template| template.owner == TemplateOwner::Me);
        if let Some(current) = own.clone().find(|template| Some(&template.id) == fields.id.as_ref()) {
            save.insert(0, button(format!("update-template:{}", current.id), "Update the template", &current.name));
        }
        let mut items = vec![
            Item::Field(name),
            Item::Field(notes),
            with_help(shared, "Header values are left out then."),
            Item::Buttons { buttons: save },
        ];
        let (to_delete, others): (Vec<_>, Vec<_>) =
            own.partition(|template| Some(&template.id) == fields.to_delete.as_ref());
        for template in &to_delete {
            let text = format!("Delete the template “{}” for good?", template.name);
            let delete = button(format!("delete-for-good:{}", template.id), "Delete it", &template.name);
            let buttons = vec![Button { danger: true, ..delete }, button("keep-template", "Keep it", &template.name)];
            items.extend([Item::Note { tone: Tone::Warning, text }, Item::Buttons { buttons }]);
        }
        let delete = |template: &&Template| {
            button(format!("delete-template:{}", template.id), &format!("Delete “{}”…", template.name), "")
        };
        let delete: Vec<Button> = others.iter().map(delete).collect();
        if !delete.is_empty() {
            items.extend([note("Templates of yours:"), Item::Buttons { buttons: delete }]);
        }
        items.push(Item::Buttons { buttons: vec![button("reset", "Start over", "")] });
        let open = self.error_inside("/template").is_some() || !to_delete.is_empty();
        Item::Fold { id: "fold-keep".to_owned(), title: "Keep it, or start over".to_owned(), open, items }
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
