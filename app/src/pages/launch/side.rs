//! Beside the form: launching, what keeps it from that, what was changed, and the JSON.

use leptos::prelude::*;

use super::items::item;
use crate::browser::LaunchDesk;
use crate::components::icon::{Icon, IconView};
use crate::components::text_area::area_text;
use crate::launch::sheet::{Changes, JsonProblem, Notice, Problem};

#[component]
pub fn Side(desk: LaunchDesk) -> impl IntoView {
    let (sheet, since) = (desk.sheet, desk.since);
    let item = move |shown| item(shown, since);
    let problems = move || {
        let found = since.with(|since| since.problems.clone());
        problems(found.unwrap_or_else(|| sheet.with(|sheet| sheet.problems.clone())))
    };
    let json_problem = move || {
        let found = since.with(|since| since.json_problem.clone());
        found.unwrap_or_else(|| sheet.with(|sheet| sheet.json_problem.clone())).map(json_problem)
    };
    let first = area_text(&sheet.with_untracked(|sheet| sheet.json.clone()));
    let forbidden = move || sheet.with(|sheet| !sheet.may_launch);
    view! {
        <aside class="launch-side">
            <section class="launch-box" aria-label="Launch">
                {move || sheet.with(|sheet| sheet.mode.iter().cloned().map(item).collect_view())}
                <p class="launch-buttons">
                    <button class="button primary large" type="submit" name="do" value="launch" disabled=forbidden><IconView icon=Icon::Play />"Launch"</button>
                    <button class="button large" type="submit" name="do" value="check">"Check tools"</button>
                    <span class="hint" role="status">{move || desk.status.get()}</span>
                    {move || desk.signed_out.get().then(|| view! { <a class="button" href="/auth/start?return_to=%2Flaunch" rel="external">"Sign in again"</a> })}
                </p>
                {move || sheet.with(|sheet| sheet.refusal.clone().map(|told| refusal(told, sheet.unsure)))}
                {problems}
                {move || sheet.with(|sheet| sheet.changes.clone().map(changes))}
                {move || sheet.with(|sheet| sheet.finish.iter().cloned().map(item).collect_view())}
            </section>
            <section class="launch-json">
                <h2><label for="json">"The same as JSON"</label></h2>
                <p class="hint">"Both sides stay in step. What no control shows is kept."</p>
                <textarea id="json" name="json" class="code-area" rows="24" spellcheck="false" aria-describedby="json-problem">{first}</textarea>
                <div id="json-problem" role="status">{json_problem}</div>
                <p><button class="button" type="submit" name="do" value="json">"Apply to the form"</button></p>
            </section>
        </aside>
    }
}

/// Why a button came to nothing, where whoever pressed it looks.
fn refusal(told: Notice, unsure: bool) -> AnyView {
    let link = told.link.map(|(href, text)| view! { <a class="button" href=href rel="external">{text}</a> });
    let again = unsure.then(|| {
        view! { <button class="button" type="submit" name="do" value="launch-again">"Launch again anyway"</button> }
    });
    view! {
        <div class="notice refusal" id="refusal" tabindex="-1" role="alert" data-tone=told.tone.as_str()>
            <p>{told.text}</p>
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
            <h3>"Before it can be launched"</h3>
            <ul>{problems.into_iter().map(line).collect_view()}</ul>
        </div>
    }
    .into_any()
}

fn changes(changes: Changes) -> AnyView {
    let of = match changes.href {
        Some(href) => view! { <a href=href>{changes.of}</a> }.into_any(),
        None => view! { <span>{changes.of}</span> }.into_any(),
    };
    let none = changes.lines.is_empty().then(|| view! { <p class="hint">"Nothing is changed yet."</p> });
    let line = |(place, before, after): (String, String, String)| {
        view! {
            <li><code>{place}</code><span class="diff"><del>{before}</del>" "<ins>{after}</ins></span></li>
        }
        .into_any()
    };
    view! {
        <div class="changes">
            <h3>"Changed from " {of}</h3>
            {none}
            <ul>{changes.lines.into_iter().map(line).collect_view()}</ul>
        </div>
    }
    .into_any()
}

fn json_problem(problem: JsonProblem) -> AnyView {
    let place = format!("Line {}, column {}: {}", problem.line, problem.column, problem.message);
    view! {
        <p class="field-error">{place}</p>
        <pre class="json-cut">{problem.before}<mark>"⟵ here"</mark>{problem.after}</pre>
    }
    .into_any()
}
