//! The controls of the form that answers a call, as HTML: a form made from the tool's output schema, a text, JSON, or an error.
//! The run page and the page of waiting calls have the same.

use crate::masking::shown;
use leptos::prelude::*;
use serde_json::Value;

use crate::html;
use crate::waiting::{Control, OutputField, Reply, ReplyKind, ReplyPage, output_form};

pub fn render(page: ReplyPage, run_id: &str, tool_use_id: &str, tool: &str, spec: &Value) -> String {
    let fields = output_form(spec, tool);
    let first = if fields.is_some() { ReplyKind::Form } else { ReplyKind::Text };
    let kind = |kind: ReplyKind, label: &'static str| {
        view! { <label class="check"><input type="radio" name="as" value=kind.as_str() checked=kind == first />{label}</label> }
    };
    html::render(view! { <div class="reply-controls view-form">
        <input type="hidden" name="id" value=run_id.to_owned() />
        <input type="hidden" name="tool_use_id" value=tool_use_id.to_owned() />
        <input type="hidden" name="page" value=page.as_str() />
        <fieldset class="reply-buttons">
            <legend class="visually-hidden">"Reply"</legend>
            <p class="answer-buttons">
            {fields.is_some().then(|| kind(ReplyKind::Form, "Form"))}
            {kind(ReplyKind::Text, "Text")}
            {kind(ReplyKind::Json, "JSON")}
            {kind(ReplyKind::Error, "Error")}
            </p>
        </fieldset>
        {fields.map(|fields| view! { <div class="reply-fields view-form">{fields.iter().map(field).collect_view()}</div> })}
        <label class="reply-text">"Your answer" <textarea name="text" rows="4" spellcheck="false"></textarea></label>
        <p class="answer-buttons reply-buttons">
            <button class="button primary" type="submit">"Send answer"</button>
            <span class="hint js-only">{page.keys()}</span>
        </p>
    </div> })
}

fn field(field: &OutputField) -> AnyView {
    let name = Reply::control(&field.name);
    let label = shown(field.title.as_deref().unwrap_or(&field.name)).into_owned();
    let label = if field.required { label } else { format!("{label} (optional)") };
    let help = field.description.as_deref().map(|help| view! { <span class="hint">{shown(help).into_owned()}</span> });
    let choice = |value: String, text: String| view! { <option value=value>{shown(&text).into_owned()}</option> };
    let control = match &field.control {
        Control::Text => view! { <input name=name autocomplete="off" /> }.into_any(),
        Control::Number => view! { <input name=name type="number" step="any" autocomplete="off" /> }.into_any(),
        Control::Integer => view! { <input name=name type="number" step="1" autocomplete="off" /> }.into_any(),
        Control::Boolean => {
            view! { <select name=name><option value="">"–"</option>{choice("true".to_owned(), "Yes".to_owned())}{choice("false".to_owned(), "No".to_owned())}</select> }
                .into_any()
        }
        Control::OneOf(choices) => {
            let shown = |json: &String| serde_json::from_str::<String>(json).unwrap_or_else(|_| json.clone());
            let choices = choices.iter().map(|json| choice(json.clone(), shown(json))).collect_view();
            view! { <select name=name><option value="">"–"</option>{choices}</select> }.into_any()
        }
    };
    view! { <label>{label}{help}{control}</label> }.into_any()
}
