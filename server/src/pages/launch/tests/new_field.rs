//! Tests that a field that is only in the table is rendered, applied and validated.

use app::launch::draft::LaunchDraft;
use app::launch::draft::apply::{SubmittedFields, apply};
use app::launch::draft::validation;
use protocol::fields::{Control, Field, FieldTable, GROUPS, Rule, SPEC_FIELDS, Section};
use serde_json::json;

use super::super::items::{Control as PageControl, Field as PageField, LaunchPage};
use super::page_with;

static NEW: [Field; 2] = [
    Field::new("/budgets/maxCost", Section::Limits, "Cost limit", Control::Number { placeholder: "100" })
        .help("In cents.")
        .rule(Rule::Number { min: 1, max: 500 }),
    Field::new("/tools/*/region", Section::Tools, "Region", Control::Select(&[("", "Any"), ("eu", "Europe")]))
        .rule(Rule::Choice(&["eu"]))
        .kinds(&["mcp"]),
];
static GROUPS_WITH_NEW: [&[Field]; 7] = [GROUPS[0], GROUPS[1], GROUPS[2], GROUPS[3], GROUPS[4], GROUPS[5], &NEW];
const TABLE: FieldTable = FieldTable(&GROUPS_WITH_NEW);

fn page_of(draft: &LaunchDraft) -> LaunchPage {
    page_with(draft, TABLE, validation::errors(draft, TABLE))
}

fn find(page: &LaunchPage, name: &str) -> Option<PageField> {
    page.fields().into_iter().find(|field| field.name == name).cloned()
}

fn with(draft: &LaunchDraft, name: &str, text: &str) -> LaunchDraft {
    let mut draft = draft.clone();
    apply(&mut draft, &SubmittedFields::new(&[(name.to_owned(), text.to_owned())]), TABLE);
    draft
}

#[test]
fn a_field_in_the_table_is_rendered_applied_and_validated() {
    let spec = json!({ "prompt": "p", "systemPrompt": "s", "tools": [{ "kind": "mcp", "name": "m", "url": "https://x.test" }] });
    let draft = LaunchDraft::from_spec(spec);
    let rendered = find(&page_of(&draft), "field:/budgets/maxCost").expect("a control");
    assert_eq!((rendered.label.as_str(), rendered.help.as_str()), ("Cost limit", "In cents. 1 to 500."));
    assert!(matches!(rendered.control, PageControl::TextLine { ref placeholder, .. } if placeholder == "100"));
    assert!(find(&page_of(&draft), "field:/tools/0/region").is_some());

    let changed = with(&with(&draft, "field:/budgets/maxCost", "501"), "field:/tools/0/region", "eu");
    assert_eq!(
        (&changed.spec["budgets"], &changed.spec["tools"][0]["region"]),
        (&json!({ "maxCost": 501 }), &json!("eu"))
    );
    let page = page_of(&changed);
    let error = find(&page, "field:/budgets/maxCost").and_then(|field| field.error).expect("an error");
    assert_eq!(error, "Use a whole number from 1 to 500.");
    assert_eq!(
        page.findings.problems.iter().map(|problem| problem.place.as_str()).collect::<Vec<_>>(),
        ["Limits, cost limit"]
    );
    assert!(page.sections.iter().all(|section| section.id != "kept"));

    let fixed = with(&changed, "field:/budgets/maxCost", "499");
    assert_eq!(page_of(&fixed).findings.problems, []);
    // Without the entry there is no control, and the field is listed among the others.
    let plain = page_with(&fixed, SPEC_FIELDS, Vec::new());
    assert!(find(&plain, "field:/budgets/maxCost").is_none());
    assert!(plain.sections.iter().any(|section| section.id == "kept"));
}
