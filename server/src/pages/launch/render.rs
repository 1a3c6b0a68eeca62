//! Renders the launch page as HTML. The browser updates the shown page to it in place, and never hydrates it.

use app::components::icon::{Icon, IconView};
use app::components::text_area::textarea_content;
use app::launch::{Check, ControlName};
use app::model::launch::Tone;
use leptos::prelude::*;

use super::items::{Button, Changes, Control, Field, Group, GroupRole, Item, LaunchPage, Notice};
use crate::html;
use crate::launch::templates::{Template, TemplateOwner};

impl LaunchPage {
    /// `draft_status` says whether the draft was saved.
    pub fn render(&self, templates: &[Template], draft_status: &str) -> String {
        html::render(view! {
            <details class="templates">
                <summary>"Start from a template"</summary>
                <div class="template-list">{templates.iter().map(template).collect_view()}</div>
            </details>
            <form id="launch" class="launch" method="post" action="/launch" enctype="multipart/form-data" autocomplete="off">
                // Enter in a text line presses the first button of a form: this one only updates it.
                <button class="visually-hidden" type="submit" name="action" value="update" tabindex="-1" aria-hidden="true"></button>
                <input type="hidden" name="draft" value=self.draft.clone() />
                <div class="launch-form">
                    {self.notices.iter().map(notice).collect_view()}
                    {self.sections.iter().map(group).collect_view()}
                </div>
                {self.side(draft_status)}
            </form>
        })
    }

    /// The column beside the form: the Launch button, problems, changes and the JSON editor.
    fn side(&self, draft_status: &str) -> AnyView {
        view! {
            <aside class="launch-side">
                <section class="launch-box" aria-label="Launch">
                    {items(&self.mode)}
                    <p class="launch-buttons">
                        <button class="button primary large" type="submit" name="action" value="launch" disabled=!self.may_launch><IconView icon=Icon::Play />"Launch"</button>
                        <button class="button large" type="submit" name="action" value="check-tools">"Check tools"</button>
                        <span class="hint" role="status" id="launch-status">{draft_status.to_owned()}</span>
                        <span id="launch-sign-in" hidden><a class="button" href="/auth/start?return_to=%2Flaunch" rel="external">"Sign in again"</a></span>
                    </p>
                    {checks(self.checks.iter().map(|(tool, check)| (tool.as_str(), check)))}
                    {self.error.as_ref().map(|error| general_error(error, self.unconfirmed))}
                    <div class="problems" id="problems" tabindex="-1" role="alert" hidden=self.findings.problems.is_empty() inner_html=self.findings.problems_html()></div>
                    {self.changes.as_ref().map(changes)}
                    {items(&self.more_actions)}
                </section>
                <section class="launch-json">
                    <h2><label for="json">"JSON"</label></h2>
                    <p class="hint">"Fields not in the form are preserved."</p>
                    <textarea id="json" name="json" class="code-area" rows="24" spellcheck="false" aria-describedby="json-problem">{textarea_content(&self.json)}</textarea>
                    <div id="json-problem" role="status" hidden=self.findings.json_problem.is_none() inner_html=self.findings.json_problem_html()></div>
                    <p><button class="button" type="submit" name="action" value="update">"Apply to the form"</button></p>
                </section>
            </aside>
        }
        .into_any()
    }
}

fn template(shown: &Template) -> AnyView {
    let owner = match &shown.owner {
        TemplateOwner::BuiltIn => None,
        TemplateOwner::Me => Some("yours".to_owned()),
        TemplateOwner::Colleague(email) => Some(format!("of {email}")),
    };
    let owner = owner.map(|owner| view! { <span class="hint">{owner}</span> });
    let href = format!("/launch?template={}", shown.id);
    let (name, notes) = (shown.name.clone(), shown.notes.clone());
    // The router would ignore a link to the address of the current page.
    view! { <a class="template" href=href rel="external"><strong>{name}</strong>{owner}<span class="template-notes">{notes}</span></a> }
        .into_any()
}

fn notice(shown: &Notice) -> AnyView {
    let role = if shown.tone == Tone::Error { "alert" } else { "status" };
    view! { <p class="notice" role=role data-tone=shown.tone.as_str()><IconView icon=Icon::Info /><span>{shown.text.clone()}</span>{link(shown)}</p> }
        .into_any()
}

fn link(notice: &Notice) -> Option<AnyView> {
    let (href, text) = notice.link.clone()?;
    Some(view! { <a class="button" href=href rel="external">{text}</a> }.into_any())
}

/// The error of the last action, next to its button.
fn general_error(shown: &Notice, unconfirmed: bool) -> AnyView {
    let again = unconfirmed.then(|| {
        view! { <button class="button" type="submit" name="action" value="launch-again">"Launch again anyway"</button> }
    });
    view! {
        <div class="notice refusal" id="refusal" tabindex="-1" role="alert" data-tone=shown.tone.as_str()>
            <p>{shown.text.clone()}</p>
            <p class="form-buttons">{link(shown)}{again}</p>
        </div>
    }
    .into_any()
}

fn changes(shown: &Changes) -> AnyView {
    let origin = match shown.href.clone() {
        Some(href) => view! { <a href=href>{shown.origin.clone()}</a> }.into_any(),
        None => view! { <span>{shown.origin.clone()}</span> }.into_any(),
    };
    let none = shown.lines.is_empty().then(|| view! { <p class="hint">"No changes yet."</p> });
    let line = |(place, before, after): &(String, String, String)| {
        view! { <li><code>{place.clone()}</code><span class="diff"><del>{before.clone()}</del>" "<ins>{after.clone()}</ins></span></li> }
    };
    view! {
        <div class="changes">
            <h3>"Changed from " {origin}</h3>
            {none}
            <ul>{shown.lines.iter().map(line).collect_view()}</ul>
        </div>
    }
    .into_any()
}

fn group(shown: &Group) -> AnyView {
    let checks = checks(shown.checks.iter().map(|check| (check.kind.label(), check)));
    let hint = (!shown.hint.is_empty()).then(|| view! { <p class="hint">{shown.hint.clone()}</p> });
    let body = view! { {hint}{checks}{items(&shown.items)} };
    let (id, title) = (shown.id.clone(), shown.title.clone());
    let (class, heading, body_class) = match (shown.role, shown.open) {
        (GroupRole::Section, None) => {
            return view! { <section class="launch-section" id=id tabindex="-1"><h2>{title}</h2>{body}</section> }
                .into_any();
        }
        (GroupRole::Card, None) => {
            return view! { <fieldset class="tool" id=id tabindex="-1"><legend>{title}</legend>{body}</fieldset> }
                .into_any();
        }
        (GroupRole::Section, _) => ("fold launch-section", view! { <h2>{title}</h2> }.into_any(), "section-body"),
        (GroupRole::Card, _) => ("fold tool", view! { <strong>{title}</strong> }.into_any(), "section-body"),
        (GroupRole::Fold, _) => ("fold", title.into_any(), "fold-body"),
    };
    let summary = (!shown.summary.is_empty()).then(|| view! { <span class="hint">{shown.summary.clone()}</span> });
    let open = shown.open.unwrap_or_default();
    let focusable = (shown.role != GroupRole::Fold).then_some("-1");
    view! {
        // A fold that the user opened or closed stays so, until `data-open` or `data-replaced` changes.
        <details class=class id=id open=open data-open=open.then_some("") data-replaced=shown.replaced.clone() tabindex=focusable>
            <summary>{heading}{summary}</summary>
            <div class=body_class>{body}</div>
        </details>
    }
    .into_any()
}

fn items(shown: &[Item]) -> Vec<AnyView> {
    shown.iter().map(item).collect()
}

fn item(shown: &Item) -> AnyView {
    match shown {
        Item::Field(shown) => field(shown),
        Item::Group(shown) => group(shown),
        Item::Row(row) => view! { <div class="field-row">{items(row)}</div> }.into_any(),
        Item::Table { heads, rows } => {
            let head = |head: &String| view! { <span>{head.clone()}</span> };
            let row = |row: &Vec<Item>| view! { <div class="table-row">{items(row)}</div> };
            view! {
                <div class="field-table" data-columns=heads.len().to_string()>
                    <div class="table-row table-heads" aria-hidden="true">{heads.iter().map(head).collect_view()}</div>
                    {rows.iter().map(row).collect_view()}
                </div>
            }
            .into_any()
        }
        Item::Note { tone, text } => {
            view! { <p class="form-note" data-tone=tone.as_str()>{text.clone()}</p> }.into_any()
        }
        Item::Facts(facts) => {
            let fact = |(label, text): &(String, String)| view! { <dt>{label.clone()}</dt><dd>{text.clone()}</dd> };
            view! { <dl class="form-facts">{facts.iter().map(fact).collect_view()}</dl> }.into_any()
        }
        Item::Buttons(buttons) => {
            view! { <p class="form-buttons">{buttons.iter().map(button).collect_view()}</p> }.into_any()
        }
        Item::Code { title, text } => view! {
            <details class="program">
                <summary>{title.clone()}</summary>
                <button type="button" class="copy js-only" aria-label="Copy this" title="Copy this"><IconView icon=Icon::Copy /></button>
                <pre class="code" tabindex="0">{text.clone()}</pre>
            </details>
        }
        .into_any(),
        Item::Datalist { id, values } => {
            let option = |value: &String| view! { <option value=value.clone()></option> };
            view! { <datalist id=id.clone()>{values.iter().map(option).collect_view()}</datalist> }.into_any()
        }
    }
}

fn button(shown: &Button) -> AnyView {
    let Button { value, label, about, hint, danger, disabled } = shown.clone();
    if !hint.is_empty() {
        return view! { <button class="button choice" type="submit" name="action" value=value><strong>{label}</strong><span>{hint}</span></button> }
            .into_any();
    }
    let class = if danger { "button danger" } else { "button" };
    let name = (!about.is_empty()).then(|| format!("{label}: {about}"));
    view! { <button class=class type="submit" name="action" value=value disabled=disabled title=name.clone() aria-label=name>{label}</button> }
        .into_any()
}

/// Checks with their labels.
fn checks<'a>(checks: impl Iterator<Item = (&'a str, &'a Check)>) -> Option<AnyView> {
    let checks: Vec<_> = checks.map(|(label, shown)| check(label, shown)).collect();
    (!checks.is_empty()).then(|| view! { <ul class="tool-checks">{checks}</ul> }.into_any())
}

fn check(label: &str, shown: &Check) -> AnyView {
    let icon = match shown.state {
        Tone::Success => Icon::Check,
        Tone::Error => Icon::Cross,
        Tone::Warning => Icon::Alert,
        Tone::Info => Icon::Info,
    };
    let (label, message, fix) = (label.to_owned(), shown.message.clone(), shown.fix.clone().unwrap_or_default());
    view! {
        <li class="tool-check" data-tone=shown.state.as_str()>
            <IconView icon /><strong>{label}</strong>" "<span>{message}</span>" "<em>{fix}</em>
        </li>
    }
    .into_any()
}

/// A control with its label, and below it the error or else the help. The browser replaces the note while the user types.
fn field(shown: &Field) -> AnyView {
    let Field { id, label, help, error, control, .. } = shown;
    let class = if matches!(control, Control::Checkbox { .. }) { "form-field checkbox" } else { "form-field" };
    let note_class = if error.is_some() { "field-error" } else { "hint" };
    let text = error.as_ref().unwrap_or(help);
    let saved_help = Some(help.clone()).filter(|help| !help.is_empty());
    view! {
        <div class=class>
            <label for=id.clone()>{label.clone()}</label>
            {render_control(shown)}
            <p class=note_class id=format!("{id}-note") data-help=saved_help hidden=text.is_empty()>{text.clone()}</p>
        </div>
    }
    .into_any()
}

fn render_control(shown: &Field) -> AnyView {
    let Field { id, name, error, control, .. } = shown.clone();
    let described_by = format!("{id}-note");
    let invalid = error.is_some().then_some("true");
    let is_checked_by_browser = ControlName::parse(&name).is_some_and(|name| name.is_checked_by_browser());
    let server_error = error.filter(|_| !is_checked_by_browser);
    match control {
        Control::TextLine { value, placeholder, datalist, secret } => {
            let list = (!datalist.is_empty()).then_some(datalist);
            let kind = if secret { "password" } else { "text" };
            view! { <input type=kind id=id name=name value=value placeholder=placeholder list=list spellcheck="false" autocomplete="off" aria-describedby=described_by aria-invalid=invalid data-server-error=server_error /> }
                .into_any()
        }
        Control::TextArea { value, placeholder, rows, code } => {
            let class = if code { "code-area" } else { "" };
            view! { <textarea id=id name=name class=class rows=rows placeholder=placeholder aria-describedby=described_by aria-invalid=invalid data-server-error=server_error>{textarea_content(&value)}</textarea> }
                .into_any()
        }
        Control::Select { value, options, searchable } => {
            let option = |(word, label): &(String, String)| view! { <option value=word.clone() selected=*word == value>{label.clone()}</option> };
            let size = searchable.then(|| options.len().clamp(2, 6).to_string());
            let filter = searchable.then(|| {
                view! { <input type="search" class="option-filter" placeholder="Filter the list" aria-label="Filter the list" /> }
            });
            let options = options.iter().map(option).collect_view();
            view! { {filter}<select id=id name=name size=size aria-describedby=described_by aria-invalid=invalid data-server-error=server_error>{options}</select> }
                .into_any()
        }
        Control::Checkbox { value, checked } => view! {
            <input type="hidden" name=name.clone() value="" />
            <input type="checkbox" id=id name=name value=value checked=checked aria-describedby=described_by data-server-error=server_error />
        }
        .into_any(),
        Control::File { accept } => {
            view! { <input type="file" id=id name=name accept=accept aria-describedby=described_by data-server-error=server_error /> }.into_any()
        }
    }
}
