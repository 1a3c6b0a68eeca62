//! Golden tests: every log of `tests/logs` as text, with its verdict, banners and timeline.
//!
//! `NAME.ndjson` is a log. The optional `NAME.run.json` has the `status` and the `agentSpec` of the run's snapshot. After an
//! intended change, run `INSTA_UPDATE=always cargo test -p protocol --test golden` and review `git diff`.

use std::fs;
use std::path::{Path, PathBuf};

use protocol::json::preview;
use protocol::timeline::{Banner, Entry, Note, NoteKind, ToolCall, Turn, failure_signature, verdict};
use protocol::{Event, RunStatus, Timeline};
use serde_json::Value;

#[test]
fn timelines_match_their_snapshots() {
    let logs = logs();
    assert!(logs.len() > 50, "only {} logs were found", logs.len());
    for log in logs {
        let name = log.file_stem().and_then(|name| name.to_str()).expect("a name");
        insta::assert_snapshot!(name, describe(&log));
    }
}

fn logs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let mut logs: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    logs.retain(|path| path.extension().is_some_and(|extension| extension == "ndjson"));
    logs.sort();
    logs
}

fn describe(log: &Path) -> String {
    let text = fs::read_to_string(log).expect("the log");
    let events: Vec<Event> = text.lines().map(|line| Event::parse(line).expect(line)).collect();
    let mut timeline = Timeline::from_events(&events);
    let run: Option<Value> =
        fs::read_to_string(log.with_extension("run.json")).ok().map(|run| serde_json::from_str(&run).expect("a run"));
    if let Some(status) = run.as_ref().and_then(|run| RunStatus::parse(run["status"].as_str()?)) {
        timeline.set_known_end(status);
    }
    let spec = run.as_ref().map(|run| &run["agentSpec"]);
    let banners = spec.map_or_else(|| timeline.banners(), |spec| timeline.banners_for(spec));

    let mut lines = vec![format!("# {} at #{}", timeline.status().as_str(), timeline.last_seq()), String::new()];
    for sentence in verdict(&timeline, spec) {
        let seqs: Vec<String> = sentence.seqs.iter().map(|seq| format!("#{seq}")).collect();
        lines.push(format!("{} [{}]", sentence.text, seqs.join(" ")));
    }
    lines.extend(banners.iter().flat_map(banner));
    lines.extend(
        failure_signature(&timeline)
            .map(|group| format!("\n## Failure group {}\n{}\n→ {}", group.id, group.title, group.next_step)),
    );
    lines.push("\n## Timeline".to_owned());
    for turn in &timeline.turns {
        lines.extend(outline(turn));
    }
    if let Some(plan) = &timeline.plan {
        lines.push(format!("\n## Plan {:?} revision {:?}: {:?}", plan.id, plan.revision, plan.brief));
        for step in &plan.steps {
            let moment = |moment: Option<protocol::timeline::Moment>| {
                moment.map_or("–".to_owned(), |at| format!("turn {} #{}", at.turn, at.seq))
            };
            lines.push(format!(
                "- {} {:?} from {} to {}",
                step.status,
                step.title,
                moment(step.begun),
                moment(step.ended)
            ));
        }
    }
    for repetition in timeline.repetitions() {
        lines.push(format!("\n## Repetition\n{repetition:?}"));
    }
    lines.push(format!("\n## Totals\n{:?}", timeline.made_totals()));
    lines.push(format!("\n## Integrity\n{:?}", timeline.integrity));
    let runs: Vec<String> = timeline
        .events
        .iter()
        .map(|run| match run.count {
            1 => format!("#{} {}", run.first_seq, run.kind),
            n => format!("#{}–#{} {} ×{n}", run.first_seq, run.last_seq, run.kind),
        })
        .collect();
    lines.push(format!("\n## Events\n{}", runs.join(", ")));
    lines.push(format!("\n## Answer\n{:?}", timeline.answer()));
    lines.join("\n")
}

fn banner(banner: &Banner) -> Vec<String> {
    let mut lines = vec![
        format!("\n{:?} {} #{} {}", banner.severity, banner.kind.as_str(), banner.seq, banner.title),
        format!("  {}", banner.detail),
        format!("  → {}", banner.next_step.text),
    ];
    if let Some(change) = &banner.next_step.change {
        let value = |value: &Option<Value>| value.as_ref().map_or("?".to_owned(), Value::to_string);
        lines.push(format!("    {}: {} → {}", change.field, value(&change.from), value(&change.to)));
    }
    lines.push(format!("  {:?}", banner.facts));
    lines
}

fn outline(turn: &Turn) -> Vec<String> {
    let finish = turn.finish_reason.as_deref().unwrap_or("–");
    let model = turn.model.as_ref().map(|model| format!(" by {model}")).unwrap_or_default();
    let repeats = if turn.repeats > 0 { format!(", repeats {} before", turn.repeats) } else { String::new() };
    let aborted = if turn.aborted { ", aborted" } else { "" };
    let mut lines =
        vec![format!("turn {} #{}–#{} {finish}{model}{repeats}{aborted}", turn.index, turn.first_seq, turn.last_seq)];
    if !turn.thinking.is_empty() {
        lines.push(format!("  thinks: {:?}", turn.thinking));
    }
    if !turn.text.is_empty() {
        lines.push(format!("  says: {:?}", turn.text));
    }
    lines.extend(turn.entries.iter().map(|entry| match entry {
        Entry::Call(call) => describe_call(call),
        Entry::Note(note) => describe_note(note),
    }));
    lines
}

fn describe_call(call: &ToolCall) -> String {
    let answer = match &call.answer {
        Some(answer) if answer.ok => format!("#{} {:?}", answer.seq, answer.text()),
        Some(answer) => format!("#{} error {:?}", answer.seq, answer.text()),
        None => "unanswered".to_owned(),
    };
    let unseen = if call.is_orphan_result() { " (only its answer is known)" } else { "" };
    let files: Vec<String> = call.files.iter().map(|file| format!("\n    file {file:?}")).collect();
    let input = preview(&call.input.to_string(), 120);
    format!("  call #{} {:?} {input} {:?}{unseen} → {answer}{}", call.seq, call.name, call.kind, files.concat())
}

fn describe_note(note: &Note) -> String {
    let times = if note.times > 1 { format!(" ×{} to #{}", note.times, note.last_seq) } else { String::new() };
    match &note.kind {
        NoteKind::Plan { plan, transition, stale } => {
            let steps: Vec<String> = plan.steps.iter().map(|step| format!("{}: {}", step.title, step.status)).collect();
            let stale = if *stale { " stale" } else { "" };
            format!("  note #{} plan{stale} {:?} {transition:?} [{}]", note.seq, plan.revision, steps.join(", "))
        }
        kind => format!("  note #{}{times} {kind:?}", note.seq),
    }
}
