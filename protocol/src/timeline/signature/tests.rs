//! Signatures of single failures, and properties of their messages.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::message::normalized;
use super::*;
use crate::Event;
use crate::timeline::properties::arbitrary_event;

fn of(events: &[(&str, Value)]) -> Option<FailureSignature> {
    let events: Vec<Event> =
        (1..).zip(events).map(|(seq, (kind, data))| Event::new(seq, *kind, data.clone())).collect();
    failure_signature(&Timeline::from_events(&events))
}

fn error(class: &str, message: &str) -> (&'static str, Value) {
    ("error", json!({ "error": message, "errorClass": class }))
}

fn failed(class: &str, message: &str) -> FailureSignature {
    of(&[error(class, message)]).expect("a failure")
}

#[test]
fn ids_and_numbers_are_left_out_of_messages() {
    for (message, expected) in [
        ("Order 4711 was not found.", "Order # was not found"),
        ("No customer cus_9fK2mQ in region eu-west-1", "No customer cus_# in region eu-west-#"),
        ("Request 550e8400-e29b-41d4-beef-446655440000 failed", "Request # failed"),
        ("Limit is $1,204.50, used -3 of 7, 8 and 9", "Limit is #, used # of # and #"),
        ("connect 10.0.0.7:8080 refused at 2026-10-01T12:30:00Z", "connect # refused at #"),
        ("trace deadbeef, span cafe", "trace #, span cafe"),
        ("429 Too Many Requests\nretry later", "# Too Many Requests"),
        ("'customer_id' is a required property", "'customer_id' is a required property"),
        ("Tool getUserById: no key sk-AbCdEfGh", "Tool getUserById: no key sk-#"),
        ("No account for jane.doe@example.com.", "No account for #"),
        ("<jane@example.com>, <joe+tag@mail.example.co.uk> bounced", "<#>, <#> bounced"),
        ("Customer \"Acme Corp\" has no invoice", "Customer \"#\" has no invoice"),
        ("user: 'jane' may not read field 'status'", "user: '#' may not read field 'status'"),
        ("No module named 'requests'; it's the user's", "No module named 'requests'; it's the user's"),
        ("mail @ noon", "mail @ noon"),
        ("  \n ", ""),
    ] {
        assert_eq!(normalized(message), expected, "{message}");
    }
}

#[test]
fn the_same_failure_has_one_group_and_another_one_has_not() {
    let one = failed("unknown", "Order 4711 was not found");
    assert_eq!(one, failed("unknown", "Order 12 was not found."));
    assert_eq!(one.title, "Order … was not found");
    let bounced = |address: &str| failed("unknown", &format!("{address} has no mailbox"));
    assert_eq!(bounced("jane.doe@example.com"), bounced("joe@mail.example.org"));
    assert!(one.id.starts_with("failed-"), "{}", one.id);
    assert_ne!(one.id, failed("unknown", "Invoice 12 was not found").id);
    assert_ne!(one.id, failed("server", "Order 12 was not found").id);
    assert_eq!(failed("rate_limit", "429 Slow down").title, "The provider rate-limited the request: Slow down");
    assert_eq!(failed("overloaded", "The provider is overloaded (529).").title, "The provider was overloaded");
    assert_eq!(failed("auth", "").title, "Failed: the provider rejected the credentials");
}

#[test]
fn a_tool_that_failed_last_belongs_to_a_failure_without_a_known_cause() {
    let call = |name: &str, id: &str| ("tool_call", json!({ "toolUseId": id, "name": name, "input": {} }));
    let result = |id: &str, result: Value| ("tool_result", json!({ "toolUseId": id, "name": "x", "result": result }));
    let run = |tool: &str, body: Value, class: &str| {
        of(&[call(tool, "a"), result("a", body), error(class, "The worker stopped")]).expect("a failure")
    };
    let reported = run("crm_lookup", json!({ "ok": false }), "unknown");
    assert_eq!(reported.title, "The worker stopped, after crm_lookup failed");
    assert_eq!(reported.id, run("crm_lookup", json!({ "success": 0, "id": 7 }), "unknown").id);
    assert_ne!(reported.id, run("crm_update", json!({ "ok": false }), "unknown").id);
    assert_ne!(reported.id, run("crm_lookup", json!({ "ok": true }), "unknown").id);
    // The provider fails whatever a tool did before.
    assert_eq!(
        run("crm_lookup", json!({ "ok": false }), "server").id,
        run("crm_lookup", json!({ "ok": true }), "server").id
    );
}

#[test]
fn runs_that_recovered_or_were_cancelled_have_no_group() {
    let done = ("result", json!({ "subtype": "success", "text": "Done." }));
    let report =
        |cutoff: bool| ("loop_detected", json!({ "consecutiveCount": 3, "hardCutoff": cutoff, "tools": ["recall"] }));
    let budget = ("tool_budget_exceeded", json!({ "tool": "recall", "maxCalls": 4, "callIndex": 5 }));
    assert_eq!(of(&[]), None, "nothing is known yet");
    assert_eq!(of(std::slice::from_ref(&done)), None);
    assert_eq!(of(&[report(false), budget, done.clone()]), None);
    assert_eq!(of(&[report(true), ("cancelled", json!({ "reason": "user" }))]), None);
    let gave_up = of(&[report(false), report(true), done]).expect("stopped by a guard");
    assert_eq!(gave_up.title, "recall looped, and tools were turned off");
    assert!(gave_up.next_step.starts_with("Check the results of `recall`."), "{}", gave_up.next_step);
}

#[test]
fn the_order_of_tools_does_not_matter() {
    let call = |name: &str| ("local_tool_call", json!({ "toolUseId": name, "name": name, "args": {} }));
    let late = error("local_timeout", "Timed out after 300000 ms.");
    let one = of(&[call("approve"), call("notify"), late.clone()]).expect("a failure");
    assert_eq!(one, of(&[call("notify"), call("approve"), late]).expect("a failure"));
    assert_eq!(one.title, "approve and notify timed out, nobody answered");
    assert!(one.id.starts_with("local-tool-timeout-"), "{}", one.id);
}

#[test]
fn ids_never_change() {
    assert_eq!(failed("unknown", "Order 4711 was not found").id, "failed-1e8fba11bd62");
}

#[test]
fn a_run_without_an_end_is_grouped_by_its_error() {
    let one = failure_signature_without_log(Some("worker 17 exited with code 137"));
    assert_eq!(one, failure_signature_without_log(Some("worker 4 exited with code 9")));
    assert_eq!(one.title, "worker … exited with code …");
    assert_eq!(failure_signature_without_log(None).title, "Failed, and the log has no end");
}

/// Numbers and ids as providers and tools write them.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i32>().prop_map(|number| number.to_string()),
        (0_u32..9_999, 0_u32..99).prop_map(|(whole, part)| format!("{whole}.{part}")),
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "[0-9a-f]{16,32}",
        "[0-9][A-Za-z0-9]{5,20}",
    ]
}

proptest! {
    #[test]
    fn ids_and_numbers_do_not_split_groups(one in prop::collection::vec(id(), 3), other in prop::collection::vec(id(), 3)) {
        let message = |ids: &[String]| {
            format!("Order {} of account acct_{} was refused (request {}): no stock", ids[0], ids[1], ids[2])
        };
        prop_assert_eq!(failed("unknown", &message(&one)), failed("unknown", &message(&other)));
        prop_assert_eq!(failed("invalid_request", &message(&one)).id, failed("invalid_request", &message(&other)).id);
    }

    #[test]
    fn a_normalized_message_has_no_digits_and_stays_as_it_is(message in ".{0,200}") {
        let once = normalized(&message);
        prop_assert!(!once.contains(char::is_numeric), "{}", once);
        prop_assert_eq!(normalized(&once), once);
    }

    #[test]
    fn every_log_has_one_group_or_none(events in prop::collection::vec(arbitrary_event(), 0..30)) {
        let timeline = Timeline::from_events(&events);
        let signature = failure_signature(&timeline);
        let failed = timeline.status() == crate::RunStatus::Failed;
        prop_assert!(signature.is_some() || !failed);
        prop_assert!(signature.is_none() || timeline.status() != crate::RunStatus::Cancelled);
        if let Some(FailureSignature { id, title, .. }) = signature {
            prop_assert!(!title.is_empty() && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        }
    }
}
