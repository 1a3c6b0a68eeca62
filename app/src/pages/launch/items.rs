//! Renders the sections, groups and controls of the page model.

use leptos::prelude::*;

use crate::components::copy::CopyButton;
use crate::components::icon::{Icon, IconView};
use crate::components::text_area::textarea_content;
use crate::model::launch::{Button, CheckLine, ClientFindings, Control, Field, Item, Section, SectionFold, Tone};

pub fn section(section: Section, findings: RwSignal<ClientFindings>) -> AnyView {
    let Section { id, title, intro, fold, items } = section;
    let items = items.into_iter().map(|shown| item(shown, findings)).collect_view();
    let body = view! { {hint(intro)}{items} };
    match fold {
        Some(SectionFold { summary, open }) => view! {
            <details class="fold launch-section" id=id open=open tabindex="-1">
                <summary><h2>{title}</h2><span class="hint">{summary}</span></summary>
                <div class="section-body">{body}</div>
            </details>
        }
        .into_any(),
        None => {
            view! { <section class="launch-section" id=id tabindex="-1"><h2>{title}</h2>{body}</section> }.into_any()
        }
    }
}

pub fn item(shown: Item, findings: RwSignal<ClientFindings>) -> AnyView {
    let item = |shown| item(shown, findings);
    match shown {
        Item::Field(shown) => field(shown, findings),
        Item::Group { id, title, hint, checks, items } => view! {
            <fieldset class="tool" id=id tabindex="-1">
                <legend>{title}</legend>
                {self::hint(hint)}
                {(!checks.is_empty()).then(|| view! { <ul class="tool-checks">{checks.into_iter().map(check).collect_view()}</ul> })}
                {items.into_iter().map(item).collect_view()}
            </fieldset>
        }
        .into_any(),
        Item::Row { items } => {
            view! { <div class="field-row">{items.into_iter().map(item).collect_view()}</div> }.into_any()
        }
        Item::Fold { id, title, open, items } => view! {
            <details class="fold" id=id open=open>
                <summary>{title}</summary>
                <div class="fold-body">{items.into_iter().map(item).collect_view()}</div>
            </details>
        }
        .into_any(),
        Item::Note { tone, text } => view! { <p class="form-note" data-tone=tone.as_str()>{text}</p> }.into_any(),
        Item::Facts { facts } => {
            let fact = |(label, text)| view! { <dt>{label}</dt><dd>{text}</dd> }.into_any();
            view! { <dl class="form-facts">{facts.into_iter().map(fact).collect_view()}</dl> }.into_any()
        }
        Item::Buttons { buttons } => {
            view! { <p class="form-buttons">{buttons.into_iter().map(button).collect_view()}</p> }.into_any()
        }
        Item::Code { title, text } => view! {
            <details class="program">
                <summary>{title}</summary>
                <CopyButton text=text.clone() label="Copy this" />
                <pre class="code" tabindex="0">{text}</pre>
            </details>
        }
        .into_any(),
        Item::Datalist { id, values } => {
            let option = |(value, label)| view! { <option value=value label=label></option> }.into_any();
            view! { <datalist id=id>{values.into_iter().map(option).collect_view()}</datalist> }.into_any()
        }
    }
}

fn hint(text: String) -> Option<AnyView> {
    (!text.is_empty()).then(|| view! { <p class="hint">{text}</p> }.into_any())
}

fn button(shown: Button) -> AnyView {
    let Button { value, label, about, hint, danger, disabled } = shown;
    if !hint.is_empty() {
        return view! { <button class="button choice" type="submit" name="action" value=value><strong>{label}</strong><span>{hint}</span></button> }
            .into_any();
    }
    let class = if danger { "button danger" } else { "button" };
    let name = (!about.is_empty()).then(|| format!("{label}: {about}"));
    view! { <button class=class type="submit" name="action" value=value disabled=disabled title=name.clone() aria-label=name>{label}</button> }
        .into_any()
}

fn check(shown: CheckLine) -> AnyView {
    let icon = match shown.tone {
        Tone::Success => Icon::Check,
        Tone::Error => Icon::Cross,
        Tone::Warning => Icon::Alert,
        Tone::Info => Icon::Info,
    };
    view! {
        <li class="tool-check" data-tone=shown.tone.as_str()>
            <IconView icon /><strong>{shown.label}</strong>" "<span>{shown.message}</span>" "<em>{shown.fix}</em>
        </li>
    }
    .into_any()
}

fn field(shown: Field, findings: RwSignal<ClientFindings>) -> AnyView {
    let Field { id, name, label, help, error, control } = shown;
    let is_checkbox = matches!(control, Control::Checkbox { .. });
    if let Control::Hidden { value } = control {
        return view! { <input type="hidden" name=name value=value /> }.into_any();
    }
    let note_id = format!("{id}-note");
    let note = FieldNote::of(id.clone(), help, error, findings);
    let control = render_control(id.clone(), name, control, note_id.clone(), note);
    let class = if is_checkbox { "form-field checkbox" } else { "form-field" };
    let note_line = move || {
        let (class, id) = (if note.is_error() { "field-error" } else { "hint" }, note_id.clone());
        note.is_any().then(|| view! { <p class=class id=id>{note.0.get().1}</p> })
    };
    view! {
        <div class=class>
            <label for=id>{label}</label>
            {control}
            {note_line}
        </div>
    }
    .into_any()
}

/// The text below a control: its error, or else its help. An error that the browser found replaces the server's.
#[derive(Clone, Copy)]
struct FieldNote(Memo<(bool, String)>);

impl FieldNote {
    fn of(id: String, help: String, error: Option<String>, findings: RwSignal<ClientFindings>) -> Self {
        Self(Memo::new(move |_| {
            let found = findings.with(|findings| {
                findings.errors.iter().find(|(control, _)| *control == id).map(|(_, error)| error.clone())
            });
            match found.unwrap_or_else(|| error.clone()) {
                Some(error) => (true, error),
                None => (false, help.clone()),
            }
        }))
    }

    fn is_error(self) -> bool {
        self.0.with(|(is_error, _)| *is_error)
    }

    fn is_any(self) -> bool {
        self.0.with(|(_, text)| !text.is_empty())
    }
}

fn render_control(id: String, name: String, control: Control, note_id: String, note: FieldNote) -> AnyView {
    let described_by = move || note.is_any().then(|| note_id.clone());
    let invalid = move || note.is_error().then_some("true");
    match control {
        Control::TextLine { value, placeholder, datalist, secret } => {
            let list = (!datalist.is_empty()).then_some(datalist);
            let kind = if secret { "password" } else { "text" };
            view! { <input type=kind id=id name=name value=value placeholder=placeholder list=list spellcheck="false" autocomplete="off" aria-describedby=described_by aria-invalid=invalid /> }
                .into_any()
        }
        Control::TextArea { value, placeholder, rows, code } => {
            let class = if code { "code-area" } else { "" };
            view! { <textarea id=id name=name class=class rows=rows placeholder=placeholder aria-describedby=described_by aria-invalid=invalid>{textarea_content(&value)}</textarea> }
                .into_any()
        }
        Control::Select { value, options } => {
            let option = |(word, label): (String, String)| {
                let selected = word == value;
                view! { <option value=word selected=selected>{label}</option> }.into_any()
            };
            let options = options.into_iter().map(option).collect_view();
            view! { <select id=id name=name aria-describedby=described_by aria-invalid=invalid>{options}</select> }
                .into_any()
        }
        Control::Checkbox { value, checked } => view! {
            <input type="hidden" name=name.clone() value="" />
            <input type="checkbox" id=id name=name value=value checked=checked aria-describedby=described_by />
        }
        .into_any(),
        Control::File { accept } => {
            view! { <input type="file" id=id name=name accept=accept aria-describedby=described_by /> }.into_any()
        }
        Control::Hidden { value } => view! { <input type="hidden" name=name value=value /> }.into_any(),
    }
}
