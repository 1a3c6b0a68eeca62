//! The sections for the prompt, the model and the metadata.

use app::launch::draft::error_placement::dom_id;
use app::launch::draft::{rows, settings};
use app::model::launch::{Control, Item, Section, Tone};
use serde_json::Value;

use super::controls::{PageBuilder, button, line, note, with_help};
use crate::launch::ModelChoice;

impl PageBuilder<'_> {
    pub fn input(&self) -> Section {
        let as_messages = settings::input_choice(self.spec()) == "messages";
        let options = [("prompt", "One prompt"), ("messages", "Several messages")];
        let options = options.map(|(value, label)| (value.to_owned(), label.to_owned())).to_vec();
        let value = if as_messages { "messages" } else { "prompt" }.to_owned();
        let shape = self.field("x:input".to_owned(), "/messages", "Input", Control::Select { value, options });
        let mut items = vec![with_help(shape, "")];
        if as_messages {
            let count = self.spec()["messages"].as_array().map_or(0, Vec::len);
            items.extend((0..count).map(|i| self.message(i)));
            items.push(Item::Buttons { buttons: vec![button("add-message", "Add a message", "")] });
        } else {
            items.push(self.area(
                "/prompt",
                "Prompt",
                "What you ask of the agent.",
                6,
                "Summarise the open tickets of today.",
            ));
        }
        items.push(self.area(
            "/systemPrompt",
            "System prompt",
            "Who the agent is and how it works. Not needed with a saved agent.",
            3,
            "",
        ));
        let agents = &self.catalogue.agents;
        let help = agents.unavailable.clone().unwrap_or_else(|| "Its prompt, model and tools are used.".to_owned());
        items.push(self.text_with_datalist("/agentId", "Saved agent (optional)", &help, "agents"));
        let listed = agents.items.iter().map(|agent| (agent.id.clone(), agent.name.clone()));
        items.push(Item::Datalist { id: "agents".to_owned(), values: listed.collect() });
        Section { id: "what".to_owned(), title: "What should it do?".to_owned(), intro: String::new(), items }
    }

    fn message(&self, i: usize) -> Item {
        let place = format!("/messages/{i}");
        let about = format!("message {}", i + 1);
        let roles = [("user", "user"), ("assistant", "assistant"), ("system", "system")];
        let mut items = vec![
            self.select(&format!("{place}/role"), "Role", "", &roles),
            self.area(&format!("{place}/content"), "Content", "", 3, ""),
        ];
        let attached = self.spec().pointer(&format!("{place}/attachments")).and_then(Value::as_array);
        let mut files = Vec::new();
        for (j, file) in attached.into_iter().flatten().enumerate() {
            let name = file["filename"].as_str().or(file["url"].as_str()).unwrap_or("file");
            let at = format!("{place}/attachments/{j}");
            let text = match self.error_inside(&at) {
                Some(error) => Item::Note { tone: Tone::Error, text: format!("{name}: {error}") },
                None => note(format!("{name} goes along.")),
            };
            files.push(text);
            files.push(Item::Buttons { buttons: vec![button(format!("drop:{at}"), "Take out", name)] });
        }
        let upload = self.field(
            format!("f{place}/attachments"),
            &format!("{place}/attachments"),
            "A file of yours, at most 5 MB in all",
            Control::File { accept: String::new() },
        );
        let url = self.field(
            format!("u{place}/attachments"),
            &format!("{place}#url"),
            "Or the https address of one",
            line(self.draft.file_urls.get(&format!("{place}/attachments")).cloned().unwrap_or_default()),
        );
        files.extend([
            Item::Row { items: vec![Item::Field(upload), Item::Field(url)] },
            Item::Buttons { buttons: vec![button(format!("attach:{place}"), "Attach", &about)] },
        ]);
        let open = files.len() > 2 || self.draft.file_urls.contains_key(&format!("{place}/attachments"));
        items.push(Item::Fold { id: dom_id(&format!("fold{place}")), title: "Files".to_owned(), open, items: files });
        items.push(Item::Buttons { buttons: vec![button(format!("drop:{place}"), "Remove", &about)] });
        Item::Group {
            id: self.anchor(&place, &place),
            title: format!("Message {}", i + 1),
            hint: String::new(),
            checks: Vec::new(),
            items,
        }
    }

    pub fn model(&self) -> Section {
        let (whose, id) = match self.draft.session_spec() {
            Some(session) => ("The session's", session["modelId"].as_str()),
            None => ("The workspace's default", self.catalogue.default_model_id.as_deref()),
        };
        let default = id.map_or_else(|| whose.to_owned(), |id| format!("{whose} ({id})"));
        let fallback = if self.draft.session_spec().is_some() { "The session's" } else { "None" };
        let mut items: Vec<Item> = self.catalogue.models.unavailable.iter().map(note).collect();
        items.extend([
            self.model_select("/modelId", "Model", &self.estimate(), &default),
            self.model_select("/fallbackModelId", "Fallback", "Takes over when the first is not available.", fallback),
        ]);
        let words = [
            ("", "As the model is set"),
            ("off", "Off"),
            ("low", "Low"),
            ("medium", "Medium"),
            ("high", "High"),
            ("level", "A level from 0 to 100"),
        ];
        items.push(self.choice(&settings::REASONING, "Reasoning", "How much it thinks before it answers.", &words));
        if settings::REASONING.choice_in(self.spec()) == "level" {
            items.push(self.number("/reasoningLevel", "Level of reasoning", "0 to 100.", ""));
        }
        Section { id: "model".to_owned(), title: "With which model?".to_owned(), intro: String::new(), items }
    }

    /// A select of models, or a text line without a catalogue. `none` describes the empty choice.
    pub fn model_select(&self, pointer: &str, label: &str, help: &str, none: &str) -> Item {
        let models = &self.catalogue.models;
        if models.unavailable.is_some() {
            return self.text(pointer, label, format!("{help} Left empty: {none}.").trim());
        }
        let named: Vec<(&str, String)> =
            models.items.iter().map(|model| (model.id.as_str(), describe_model(model))).collect();
        let words: Vec<(&str, &str)> =
            [("", none)].into_iter().chain(named.iter().map(|(id, words)| (*id, words.as_str()))).collect();
        self.select(pointer, label, help, &words)
    }

    /// Estimates the cost of the prompt, and says whether it is too long.
    fn estimate(&self) -> String {
        let session = self.draft.session_spec().and_then(|session| session["modelId"].as_str());
        let id = self.spec()["modelId"].as_str().or(session).or(self.catalogue.default_model_id.as_deref());
        let Some(model) = self.catalogue.models.items.iter().find(|model| Some(model.id.as_str()) == id) else {
            return String::new();
        };
        let chars = input_chars(self.spec());
        let cost = match model.estimated_prompt_usd(chars) {
            Some(usd) if chars > 0 && usd >= 0.0001 => format!("Sending the input once costs about ${usd:.4}. "),
            Some(usd) if chars > 0 && usd > 0.0 => "Sending the input once costs less than $0.0001. ".to_owned(),
            _ => String::new(),
        };
        let fits = if model.is_likely_too_long(chars) { "It is likely too long for this model." } else { "" };
        format!("{cost}{fits}")
    }

    pub fn metadata(&self) -> Section {
        let in_use = &self.catalogue.metadata;
        let keys = in_use.iter().map(|entry| (entry.key.clone(), String::new())).collect();
        let mut items = vec![
            self.text("/name", "Name", "How lists call the run."),
            Item::Datalist { id: "metadata-keys".to_owned(), values: keys },
        ];
        let list_of = |key: &str| in_use.iter().position(|entry| entry.key == key).map(|i| format!("metadata-{i}"));
        let shown: Vec<String> = rows::rows_at(self.draft, "/metadata").into_iter().map(|(key, _)| key).collect();
        for (i, entry) in in_use.iter().enumerate().filter(|(_, entry)| shown.contains(&entry.key)) {
            let values = entry.values.iter().map(|value| (value.clone(), String::new())).collect();
            items.push(Item::Datalist { id: format!("metadata-{i}"), values });
        }
        let rows =
            self.map("/metadata", ("Key", "Value"), ("metadata-keys", |key| list_of(key).unwrap_or_default()), false);
        items.extend(rows);
        if let Some(error) = self.error("/metadata") {
            items.push(Item::Note { tone: Tone::Error, text: error });
        }
        Section {
            id: "tags".to_owned(),
            title: "Tagged how?".to_owned(),
            intro: "Runs are found again by these. An empty row adds another one.".to_owned(),
            items,
        }
    }
}

fn describe_model(model: &ModelChoice) -> String {
    let mut words = model.label.clone();
    if let Some(window) = model.context_window_tokens {
        words.push_str(&format!(" · {} tokens", app::format::compact_number(window)));
    }
    if let (Some(input), Some(output)) = (model.input_per_1m_usd, model.output_per_1m_usd) {
        words.push_str(&format!(" · ${input} in, ${output} out per 1M"));
    }
    words
}

fn input_chars(spec: &Value) -> u64 {
    let count = |value: &Value| value.as_str().map_or(0, |text| text.chars().count() as u64);
    let messages = spec["messages"].as_array().into_iter().flatten();
    count(&spec["prompt"])
        + count(&spec["systemPrompt"])
        + messages.map(|message| count(&message["content"])).sum::<u64>()
}
