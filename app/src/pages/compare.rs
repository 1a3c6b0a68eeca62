//! The comparison of two runs, turn by turn, with their first difference.

use leptos::prelude::*;

use crate::api::compare::load_comparison;
use crate::components::code_words::CodeWords;
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::components::status::StatusBadge;
use crate::model::compare::{
    ComparedCall, ComparedRun, ComparedTime, ComparedTurn, ComparisonModel, Excerpt, Piece, SetupDifference, TurnGroup,
    TurnLines,
};
use crate::pages::lazy::lazy_page;
use crate::plain_text::visible;
use crate::query_string::use_query_string;

lazy_page!(CompareRoute = ComparePage, more);

#[component]
fn ComparePage() -> impl IntoView {
    let params = use_query_string();
    let param = move |name: &str| params.with(|params| params.get(name)).map(|id| id.trim().to_owned());
    let ids = Memo::new(move |_| (param("left").unwrap_or_default(), param("right").filter(|id| !id.is_empty())));
    let comparison = PageData::load_some(
        move || Some(ids.get()).filter(|(left, _)| !left.is_empty()),
        |(left, right)| load_comparison(left, right),
    );
    view! {
        <PageTitle text="Compare runs" />
        <header class="page-head">
            <div class="crumb-title">
                <p class="crumbs"><a href="/runs">"Runs"</a></p>
                <h1>"Compare"</h1>
            </div>
            {move || view! { <Choice left=ids.get().0 right=ids.get().1 /> }}
        </header>
        {move || ids.get().0.is_empty().then(|| view! { <NothingChosen /> })}
        {comparison.show(move |comparison| match comparison {
            Ok(comparison) => view! { <Compared comparison /> }.into_any(),
            Err(error) => view! { <ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Choice(left: String, right: Option<String>) -> impl IntoView {
    view! {
        <form class="compare-choice" method="get" action="/compare">
            <label>"Run" <input name="left" value=left required=true class="mono" /></label>
            <label>"with" <input name="right" value=right.unwrap_or_default() class="mono" placeholder="most similar successful run" /></label>
            <button class="button" type="submit">"Compare"</button>
        </form>
    }
}

#[component]
fn NothingChosen() -> impl IntoView {
    view! {
        <section class="empty">
            <IconView icon=Icon::Runs />
            <h2>"Choose a run to compare"</h2>
            <p>"Enter a run id above, or use Compare on a run's page. If you enter one id, it is compared with the most similar successful run."</p>
        </section>
    }
}

#[component]
fn Compared(comparison: ComparisonModel) -> impl IntoView {
    let ComparisonModel {
        left,
        right,
        reason,
        first_difference,
        same_before,
        turns,
        more_after,
        times,
        setup,
        spec_unknown,
        launchable,
    } = comparison;
    let Some(right) = right else {
        return view! {
            <section class="empty">
                <IconView icon=Icon::Runs />
                <h2>"No similar run found"</h2>
                <p>"No other run of the same name or agent succeeded without looping, truncation or an exhausted budget. Enter a run id above to compare with."</p>
            </section>
        }
        .into_any();
    };
    let reason = reason.map(
        |reason| view! { <p class="notice"><IconView icon=Icon::Info /><span><CodeWords text=reason /></span></p> },
    );
    let (left_id, right_id) = (left.id.clone(), right.id.clone());
    let parting = match first_difference {
        None => view! { <p class="notice"><IconView icon=Icon::Check />"Both runs are identical from the first turn to the end."</p> }.into_any(),
        Some(parting) => {
            let link = |side: &str, id: &str, seq: Option<u64>| {
                seq.map(|seq| view! { " " <a class="event-link" href=format!("/runs/{id}?focus={seq}#e{seq}")>{format!("{side} #{seq}")}</a> })
            };
            let links = (link("left", &left_id, parting.left_seq), link("right", &right_id, parting.right_seq));
            view! { <p class="notice parting" data-tone="warning"><IconView icon=Icon::Alert /><span><b>"First difference: "</b>{parting.text}{links.0}{links.1}</span></p> }.into_any()
        }
    };
    let turns = turns.into_iter().map(|group| turn_group(group, &left_id, &right_id)).collect_view();
    let unseen = |count: usize, words: &str| {
        let turns = if count == 1 { "turn" } else { "turns" };
        (count > 0).then(|| view! { <p class="hint compare-unseen">{format!("{count} {turns} {words}")}</p> })
    };
    view! {
        {reason}
        {parting}
        <div class="compare">
            {run_head("Left", &left)}
            {run_head("Right", &right)}
            <SetupDifferences setup unknown=spec_unknown />
            <Times times />
            {unseen(same_before, "before these: identical, hidden.")}
            {turns}
            {unseen(more_after, "after these: hidden.")}
            {answer("Left", left.answer)}
            {answer("Right", right.answer)}
        </div>
        <p class="form-buttons">
            {launchable.0.then(|| view! { <a class="button" href=format!("/launch?like={left_id}")>"Relaunch left"</a> })}
            {launchable.1.then(|| view! { <a class="button" href=format!("/launch?like={right_id}")>"Relaunch right"</a> })}
        </p>
    }
    .into_any()
}

fn run_head(name: &'static str, run: &ComparedRun) -> AnyView {
    let figures =
        run.figures.iter().map(|(name, value)| view! { <div><dt>{name.clone()}</dt><dd>{value.clone()}</dd></div> });
    view! {
        <section class="panel compare-head" data-side=name>
            <h2><a href=format!("/runs/{}", run.id)>{run.title.clone()}</a>" "<StatusBadge status=run.status /></h2>
            <dl class="facts">{figures.collect_view()}</dl>
        </section>
    }
    .into_any()
}

/// Turns that repeat the calls of the turn before are folded.
fn turn_group(group: TurnGroup, left: &str, right: &str) -> AnyView {
    let number = |turn: &ComparedTurn| turn.left.as_ref().or(turn.right.as_ref()).map_or(0, |turn| turn.number);
    let repeats = group.repeats.first().zip(group.repeats.last()).map(|(first, last)| {
        let words = match (group.repeats.len(), number(first), number(last)) {
            (1, only, _) => format!("Turn {only} makes the same calls again"),
            (count, first, last) => format!("{count} more turns with the same calls, turns {first}–{last}"),
        };
        let rows = group.repeats.iter().map(|turn| turn_row(turn.clone(), left, right)).collect_view();
        view! {
            <details class="compare-repeats">
                <summary>{words}</summary>
                <div class="compare">{rows}</div>
            </details>
        }
    });
    view! { {turn_row(group.first, left, right)}{repeats} }.into_any()
}

fn turn_row(turn: ComparedTurn, left: &str, right: &str) -> AnyView {
    let mark = if turn.is_first_difference { Some("parting") } else { None };
    let state = if turn.same { "same" } else { "different" };
    let numbers = (turn.left.as_ref().map(|turn| turn.number), turn.right.as_ref().map(|turn| turn.number));
    let title = match numbers {
        (Some(one), Some(other)) if one != other => format!("Turn {one} (right: turn {other})"),
        (Some(number), None) => format!("Turn {number} (left only)"),
        (None, Some(number)) => format!("Turn {number} (right only)"),
        (number, _) => format!("Turn {}", number.unwrap_or_default()),
    };
    view! {
        <h3 class="compare-turn" data-state=state data-mark=mark>
            {title}<span class="hint">{if turn.same { " · the same" } else { " · different" }}</span>
            {turn.is_first_difference.then(|| view! { <span class="mark">"first difference"</span> })}
        </h3>
        {side("Left", turn.left, left)}
        {side("Right", turn.right, right)}
    }
    .into_any()
}

fn side(name: &'static str, turn: Option<TurnLines>, run_id: &str) -> AnyView {
    let Some(turn) = turn else {
        return view! { <div class="compare-side absent hint" data-side=name>"No matching turn in this run."</div> }
            .into_any();
    };
    let seq = turn.seq;
    let calls = turn.calls.into_iter().map(|ComparedCall { call, answer, same_call, same_answer, took }| {
        view! {
            <li>
                <code class:different=!same_call>{excerpt(call)}</code>{took.map(|took| view! { " "<span class="took">{took}</span> })}
                <code class="compare-answer" class:different=!same_answer>{excerpt(answer)}</code>
            </li>
        }
    });
    view! {
        <div class="compare-side" data-side=name>
            <a class="event-link" href=format!("/runs/{run_id}?focus={seq}#e{seq}")>{format!("#{seq}")}</a>" "
            {turn.took.map(|took| view! { <span class="took">{took}</span> })}
            {(!turn.text.0.is_empty()).then(|| view! { <p class="prose raw">{excerpt(turn.text)}</p> })}
            <ul>{calls.collect_view()}</ul>
        </div>
    }
    .into_any()
}

fn answer(name: &'static str, text: Excerpt) -> AnyView {
    view! { <section class="panel compare-output" data-side=name><h3>"Output"</h3><p class="prose raw">{excerpt(text)}</p></section> }.into_any()
}

fn excerpt(excerpt: Excerpt) -> AnyView {
    let pieces = excerpt.0.into_iter().map(|Piece { text, differs }| {
        let text = visible(&text).into_owned();
        if differs { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() }
    });
    pieces.collect_view().into_any()
}

/// Where the time went on each side. Nothing if no times are known.
#[component]
fn Times(times: Vec<ComparedTime>) -> impl IntoView {
    if times.is_empty() {
        return ().into_any();
    }
    let text = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let rows = times.into_iter().map(|time| {
        view! { <tr><th scope="row">{visible(&time.step).into_owned()}</th><td class="number">{text(time.left)}</td><td class="number">{text(time.right)}</td><td class="number">{time.change}</td></tr> }
    });
    view! {
        <section class="panel compare-setup">
            <h2>"Where the time went"</h2>
            <div class="table-scroll" tabindex="0" role="region" aria-label="Where the time went">
                <table class="compare-times">
                    <thead><tr><th scope="col">"Step"</th><th scope="col" class="number">"Left"</th><th scope="col" class="number">"Right"</th><th scope="col" class="number">"Change"</th></tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// What differs before the first turn: prompt, model, metadata and the other fields of the spec.
#[component]
fn SetupDifferences(setup: Vec<SetupDifference>, unknown: Option<String>) -> impl IntoView {
    if setup.is_empty() {
        let words = unknown.unwrap_or_else(|| "The specs are identical.".to_owned());
        return view! { <p class="hint compare-setup">{words}</p> }.into_any();
    }
    let text = |value: Option<Excerpt>| value.map_or_else(|| "–".into_any(), excerpt);
    let rows = setup.into_iter().map(|difference| {
        view! { <tr><th scope="row">{visible(&difference.field).into_owned()}</th><td><code>{text(difference.left)}</code></td><td><code>{text(difference.right)}</code></td></tr> }
    });
    view! {
        <section class="panel compare-setup">
            <h2>"Configuration changes"</h2>
            <div class="table-scroll" tabindex="0" role="region" aria-label="Configuration changes">
                <table class="setup-differences">
                    <thead><tr><th scope="col">"Field"</th><th scope="col">"Left"</th><th scope="col">"Right"</th></tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {unknown.map(|words| view! { <p class="hint">{words}</p> })}
        </section>
    }
    .into_any()
}
