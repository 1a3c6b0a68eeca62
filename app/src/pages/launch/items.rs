//! Renders the groups and controls of the page model.

use leptos::prelude::*;

use crate::browser::filter_options;
use crate::components::copy::CopyButton;
use crate::components::icon::{Icon, IconView};
use crate::components::text_area::textarea_content;
use crate::model::launch::{Button, CheckLine, ClientFindings, Control, Field, Group, GroupRole, Item, Tone};

pub fn group(shown: Group, findings: RwSignal<ClientFindings>) -> AnyView {
    let Group { id, role, title, summary, open, hint, checks, items } = shown;
    let checks = self::checks(checks);
    let items = items.into_iter().map(|shown| item(shown, findings)).collect_view();
    let hint = (!hint.is_empty()).then(|| view! { <p class="hint">{hint}</p> });
    let body = view! { {hint}{checks}{items} };
    let summary = (!summary.is_empty()).then(|| view! { <span class="hint">{summary}</span> });
    match (role, open) {
        (GroupRole::Section, Some(open)) => view! {
            <details class="fold launch-section" id=id open=open tabindex="-1">
                <summary><h2>{title}</h2>{summary}</summary>
                <div class="section-body">{body}</div>
            </details>
        }
        .into_any(),
        (GroupRole::Section, None) => {
            view! { <section class="launch-section" id=id tabindex="-1"><h2>{title}</h2>{body}</section> }.into_any()
        }
        (GroupRole::Card, Some(open)) => view! {
            <details class="fold tool" id=id open=open tabindex="-1">
                <summary><strong>{title}</strong>{summary}</summary>
                <div class="section-body">{body}</div>
            </details>
        }
        .into_any(),
        (GroupRole::Card, None) => {
            view! { <fieldset class="tool" id=id tabindex="-1"><legend>{title}</legend>{body}</fieldset> }.into_any()
        }
        (GroupRole::Fold, open) => view! {
            <details class="fold" id=id open=open.unwrap_or_default()>
                <summary>{title}</summary>
                <div class="fold-body">{body}</div>
            </details>
        }
        .into_any(),
    }
}

pub fn item(shown: Item, findings: RwSignal<ClientFindings>) -> AnyView {
    let items = |items: Vec<Item>| items.into_iter().map(|shown| item(shown, findings)).collect_view();
    match shown {
        Item::Field(shown) => field(shown, findings),
        Item::Group(shown) => group(shown, findings),
        Item::Row { items: row } => view! { <div class="field-row">{items(row)}</div> }.into_any(),
        Item::Table { heads, rows } => {
            let columns = heads.len();
            let head = |head| view! { <span>{head}</span> }.into_any();
            let row = |row| view! { <div class="table-row">{items(row)}</div> }.into_any();
            view! {
                <div class="field-table" data-columns=columns.to_string()>
                    <div class="table-row table-heads" aria-hidden="true">{heads.into_iter().map(head).collect_view()}</div>
                    {rows.into_iter().map(row).collect_view()}
                </div>
            }
            .into_any()
        }
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

pub fn checks(lines: Vec<CheckLine>) -> Option<AnyView> {
    let list =
        |lines: Vec<CheckLine>| view! { <ul class="tool-checks">{lines.into_iter().map(check).collect_view()}</ul> };
    (!lines.is_empty()).then(|| list(lines).into_any())
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
    if let Control::Hidden { value } = control {
        return view! { <input type="hidden" name=name value=value /> }.into_any();
    }
    let class = if matches!(control, Control::Checkbox { .. }) { "form-field checkbox" } else { "form-field" };
    let (control_id, note_id) = (id.clone(), format!("{id}-note"));
    // The error, or else the help. An error that the browser found replaces the server's.
    let note = Memo::new(move |_| {
        let found = findings.with(|findings| {
            findings.errors.iter().find(|(control, _)| *control == control_id).map(|(_, error)| error.clone())
        });
        match found.unwrap_or_else(|| error.clone()) {
            Some(error) => (true, error),
            None => (false, help.clone()),
        }
    });
    let control = render_control(id.clone(), name, control, note_id.clone(), note);
    let note_line = move || {
        let (is_error, text) = note.get();
        let class = if is_error { "field-error" } else { "hint" };
        (!text.is_empty()).then(|| view! { <p class=class id=note_id.clone()>{text}</p> })
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

fn render_control(id: String, name: String, control: Control, note_id: String, note: Memo<(bool, String)>) -> AnyView {
    let described_by = move || note.with(|(_, text)| !text.is_empty()).then(|| note_id.clone());
    let invalid = move || note.with(|(is_error, _)| *is_error).then_some("true");
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
        Control::Select { value, options, searchable } => {
            let option = |(word, label): (String, String)| {
                let selected = word == value;
                view! { <option value=word selected=selected>{label}</option> }.into_any()
            };
            let size = searchable.then(|| options.len().clamp(2, 6).to_string());
            let filter = searchable.then(|| {
                view! { <input type="search" class="option-filter" placeholder="Filter the list" aria-label="Filter the list" on:input=move |event| filter_options(&event) /> }
            });
            let options = options.into_iter().map(option).collect_view();
            view! { {filter}<select id=id name=name size=size aria-describedby=described_by aria-invalid=invalid>{options}</select> }
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
