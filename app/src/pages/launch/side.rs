//! The column beside the form: the Launch button, problems, changes and the JSON editor.

use leptos::prelude::*;

use super::items::{self, item};
use crate::browser::LaunchFormState;
use crate::components::icon::{Icon, IconView};
use crate::components::text_area::textarea_content;
use crate::model::launch::{Changes, JsonProblem, Notice, Problem};

#[component]
pub fn Side(form: LaunchFormState) -> impl IntoView {
    let (page_model, findings) = (form.page_model, form.findings);
    let item = move |shown| item(shown, findings);
    let problems = move || {
        let found = findings.with(|findings| findings.problems.clone());
        problems(found.unwrap_or_else(|| page_model.with(|page_model| page_model.problems.clone())))
    };
    let json_problem = move || {
        let found = findings.with(|findings| findings.json_problem.clone());
        found.unwrap_or_else(|| page_model.with(|page_model| page_model.json_problem.clone())).map(json_problem)
    };
    let first = textarea_content(&page_model.with_untracked(|page_model| page_model.json.clone()));
    let forbidden = move || page_model.with(|page_model| !page_model.may_launch);
    view! {
        <aside class="launch-side">
            <section class="launch-box" aria-label="Launch">
                {move || page_model.with(|page_model| page_model.mode.iter().cloned().map(item).collect_view())}
                <p class="launch-buttons">
                    <button class="button primary large" type="submit" name="action" value="launch" disabled=forbidden><IconView icon=Icon::Play />"Launch"</button>
                    <button class="button large" type="submit" name="action" value="check-tools">"Check tools"</button>
                    <span class="hint" role="status">{move || form.status.get()}</span>
                    {move || form.signed_out.get().then(|| view! { <a class="button" href="/auth/start?return_to=%2Flaunch" rel="external">"Sign in again"</a> })}
                </p>
                {move || page_model.with(|page_model| items::checks(page_model.checks.clone()))}
                {move || page_model.with(|page_model| page_model.error.clone().map(|error| general_error(error, page_model.unconfirmed)))}
                {problems}
                {move || page_model.with(|page_model| page_model.changes.clone().map(changes))}
                {move || page_model.with(|page_model| page_model.more_actions.iter().cloned().map(item).collect_view())}
            </section>
            <section class="launch-json">
                <h2><label for="json">"JSON"</label></h2>
                <p class="hint">"Fields not in the form are preserved."</p>
                <textarea id="json" name="json" class="code-area" rows="24" spellcheck="false" aria-describedby="json-problem">{first}</textarea>
                <div id="json-problem" role="status">{json_problem}</div>
                <p><button class="button" type="submit" name="action" value="update">"Apply to the form"</button></p>
            </section>
        </aside>
    }
}

/// The error of the last action, next to its button.
fn general_error(notice: Notice, unconfirmed: bool) -> AnyView {
    let link = notice.link.map(|(href, text)| view! { <a class="button" href=href rel="external">{text}</a> });
    let again = unconfirmed.then(|| {
        view! { <button class="button" type="submit" name="action" value="launch-again">"Launch again anyway"</button> }
    });
    view! {
        <div class="notice refusal" id="refusal" tabindex="-1" role="alert" data-tone=notice.tone.as_str()>
            <p>{notice.text}</p>
            <p class="form-buttons">{link}{again}</p>
        </div>
    }
    .into_any()
}

fn problems(problems: Vec<Problem>) -> AnyView {
    let line = |problem: Problem| {
        view! { <li><a href=problem.href rel="external">{problem.place}</a>": "{problem.message}</li> }.into_any()
    };
    let hidden = problems.is_empty();
    view! {
        <div class="problems" id="problems" tabindex="-1" role="alert" hidden=hidden>
            <h3>"Fix before launching"</h3>
            <ul>{problems.into_iter().map(line).collect_view()}</ul>
        </div>
    }
    .into_any()
}

fn changes(changes: Changes) -> AnyView {
    let origin = match changes.href {
        Some(href) => view! { <a href=href>{changes.origin}</a> }.into_any(),
        None => view! { <span>{changes.origin}</span> }.into_any(),
    };
    let none = changes.lines.is_empty().then(|| view! { <p class="hint">"No changes yet."</p> });
    let line = |(place, before, after): (String, String, String)| {
        view! {
            <li><code>{place}</code><span class="diff"><del>{before}</del>" "<ins>{after}</ins></span></li>
        }
        .into_any()
    };
    view! {
        <div class="changes">
            <h3>"Changed from " {origin}</h3>
            {none}
            <ul>{changes.lines.into_iter().map(line).collect_view()}</ul>
        </div>
    }
    .into_any()
}

fn json_problem(problem: JsonProblem) -> AnyView {
    view! {
        <p class="field-error">{problem.message}</p>
        <pre class="json-error">{problem.before}<mark>"⟵ here"</mark>{problem.after}</pre>
    }
    .into_any()
}
