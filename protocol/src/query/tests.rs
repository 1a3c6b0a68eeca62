//! Queries that are accepted or refused, and printing followed by parsing.

use proptest::prelude::*;

use super::*;
use crate::RunStatus;

fn printed(text: &str) -> String {
    Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

#[test]
fn reads_status_and_metadata() {
    let query = Query::parse(r#" status:failed  customer:acme -env:dev note:"two words" metadata.status:x"#);
    let query = query.expect("reads");
    assert_eq!(query.clauses.len(), 5);
    assert_eq!(query.to_string(), r#"status:failed customer:acme -env:dev note:"two words" metadata.status:x"#);
}

#[test]
fn every_kind_of_clause_is_parsed() {
    for text in [
        "status:failed,running customer:acme,globex -env:dev",
        "model:gpt-5.5 agent:support name:bot session:ses_1 tool:recall,search slowest-tool:approve_refund failed-tool:crm_lookup error:rate_limit group:refused-5e1c7a90b2d4 id:run_1",
        "is:truncated,looping is:budget is:failed is:running is:waiting is:tool-failed is:imported is:incomplete is:seeded is:mine",
        "has:orphan-call has:customer -has:trace.id has:metadata.orphan-call",
        "duration:>30s tokens:>10k cost:<0.25 turns:>=3 calls:=2 duration:10s..2m waited:>30s waited:1m..2h",
        "since:2h before:2026-10-01 since:2026-10-01T12:30:15.250Z",
        r#""free text" word -unwanted note:"a,b" "a:b" -"-x" "one" text:a:b text:-x research-brief text:word,"a phrase""#,
    ] {
        assert_eq!(printed(text), text);
    }
}

#[test]
fn other_spellings_are_parsed_and_printed_in_one_form() {
    assert_eq!(printed("Status:success TOKENS:>10000 cost:>$1.50"), "status:succeeded tokens:>10k cost:>1.5");
    assert_eq!(printed("duration:>90m duration:<0.5s turns:3"), "duration:>90m duration:<500ms turns:=3");
    assert_eq!(printed("after:2026-10-01T00:00Z a:b a:b c:d,d"), "since:2026-10-01 a:b c:d");
    assert_eq!(printed("text:word"), "word");
    assert_eq!(printed("What is 12 * 12 + x"), "What is 12 x", "words without letters and digits are left out");
    assert_eq!(printed("status:Failed is:LOOPING tokens:>1.5k"), "status:failed is:looping tokens:>1500");
    assert_eq!(printed(r#"env:">5" note:"*" tool:"<x" "OR" or a:!b"#), r#"env:">5" note:"*" tool:"<x" "OR" or a:!b"#);
}

#[test]
fn sessions_have_other_statuses_than_runs() {
    let read = |text: &str| Query::parse_for_sessions(text).map(|query| query.to_string());
    let text = "-status:ended customer:acme since:7d words";
    assert_eq!(read(text).as_deref(), Ok(text));
    assert_eq!(read("status:active,ended").as_deref(), Ok("status:active,ended"));
    assert!(read("status:failed").expect_err("no session fails").message.contains("Use one of active, ended"));
    assert!(Query::parse("status:active").is_err());
}

#[test]
fn times_are_resolved_with_the_given_clock() {
    let day = 86_400_000;
    let resolved = |text: &str| When::parse(text).map(|when| when.resolve(10 * day));
    assert_eq!(resolved("2h"), Some(10 * day - 7_200_000));
    assert_eq!(resolved("1w"), Some(3 * day));
    assert_eq!(resolved("1970-01-03"), Some(2 * day));
    assert_eq!(resolved("2000-02-29T00:00:01"), Some(951_782_401_000));
    for bad in ["", "h", "2x", "2026-02-30", "2026-13-01", "2026-1-1", "2026-10-01T", "2026-10-01T25:00", "-2h"] {
        assert_eq!(resolved(bad), None, "{bad}");
    }
}

#[test]
fn syntax_errors_are_explained_at_their_position() {
    let syntax_error = |text: &str| Query::parse(text).expect_err(text);
    for (text, place, message) in [
        ("a:b status:bad", "bad", "Unknown status `bad`"),
        ("a:\"open", "\"open", "This quote is not closed"),
        ("x a:", "a:", "`a:` needs a value"),
        ("a:b,,c", "a:b,", "`a:` needs a value"),
        ("k/y:x", "k/y", "Metadata keys may use"),
        ("see https://x.test/", "https://x.test/", "Put quotes around an address"),
        ("a\"b:c", "\"b:c", "Put quotes around the whole"),
        ("a:x\"y\"", "\"y\"", "Put quotes around the whole"),
        ("b - c", "-", "right after the minus"),
        (":x", ":", "Write the key before the colon"),
        ("a --- b", "--", "one letter or digit"),
        ("* +", "*", "one letter or digit"),
        ("status:fai", "fai", "Did you mean status:failed?"),
        ("status:incomplete", "incomplete", "Did you mean is:incomplete?"),
        ("is:trunkated", "trunkated", "Did you mean is:truncated?"),
        ("is:lost", "lost", "Unknown state `lost`"),
        ("duration:30s", "30s", "Add a comparison: duration:>30s"),
        ("duration:>30", ">30", "`30` is not an amount"),
        ("duration:>", ">", "Enter a duration after >, for example duration:>30s."),
        ("tokens:5..", "5..", "Enter both ends of the range."),
        ("tokens:>5..3", ">5..3", "is not an amount"),
        ("turns:5..3", "5..3", "smaller end"),
        ("since:yesterday", "yesterday", "since:2h"),
        ("since:2h,3h", "2h", "takes one value"),
        ("has:a/b", "a/b", "Metadata keys may use"),
        ("turns:3.5", "3.5", "`3.5` is not an amount"),
        ("env:prod OR env:dev", "OR", "comma between values"),
        ("env:prod AND team:a", "AND", "leave the AND out"),
        ("NOT env:dev", "NOT", "-env:dev"),
        ("tools:>5", ">5", "Did you mean calls:>5?"),
        ("tool:>5", ">5", "Did you mean calls:>5?"),
        ("waiting:>5s", ">5s", "Did you mean waited:>5s?"),
        ("durration:<30s", "<30s", "Did you mean duration:<30s?"),
        ("region:>5", ">5", "Only duration, tokens, cost, turns, calls and waited are compared"),
        ("created:>2h", ">2h", "before:2h, for later ones since:2h"),
        ("env:!=prod", "!=prod", "write -env:prod"),
        ("env:=prod", "=prod", "Write env:prod"),
        ("env:*", "*", "write has:env"),
        ("model:*", "*", "remove `model:`"),
    ] {
        let error = syntax_error(text);
        assert_eq!((&text[error.at.clone()], error.message.contains(message)), (place, true), "{text}: {error}");
    }
    assert!(Query::parse(&"a:b ".repeat(600)).is_err());
    let many: Vec<String> = (0..40).map(|i| format!("k{i}:v")).collect();
    assert!(syntax_error(&many.join(" ")).message.contains("at most 32"));
}

#[test]
fn every_error_of_a_filter_is_reported_at_its_position() {
    let places =
        |text: &'static str| -> Vec<&str> { Query::errors(text).into_iter().map(|error| &text[error.at]).collect() };
    assert_eq!(places("status:lost env:prod is:gone,looping,away since:never"), ["lost", "gone", "away", "never"]);
    assert_eq!(places("a: - x:y \"open status:lost"), ["a:", "-", "\"open status:lost"]);
    assert_eq!(places("a:x\"y\" b:,c is:gone"), ["\"y\"", "b:", "gone"]);
    assert_eq!(places("status:failed env:prod words"), [""; 0]);
    assert_eq!(Query::errors_for_sessions("status:failed").len(), 1);
    assert_eq!(Query::valid_parts("env:prod status:lost words").to_string(), "env:prod words");
}

#[test]
fn a_term_is_toggled_as_an_alternative_of_its_key() {
    let toggled = |text: &str, term: &str| {
        let term = Query::parse(term).expect(term).clauses.remove(0).term;
        Query::parse(text).expect(text).toggled(term).to_string()
    };
    assert_eq!(toggled("env:prod word", "env:dev"), "env:prod,dev word");
    assert_eq!(toggled("env:prod,dev word", "env:prod"), "env:dev word");
    assert_eq!(toggled("env:dev word", "env:dev"), "word");
    assert_eq!(toggled("-env:dev", "env:dev"), "-env:dev env:dev");
    assert_eq!(toggled("status:failed", "is:looping"), "status:failed is:looping");
    assert_eq!(toggled("is:looping", "is:truncated"), "is:looping,truncated");
    assert_eq!(toggled("customer:acme", "env:prod"), "customer:acme env:prod");
}

fn term() -> impl Strategy<Value = Vec<Term>> {
    let value = || "[^\u{0}]{1,12}";
    let list = |term: BoxedStrategy<Term>| prop::collection::vec(term, 1..4).boxed();
    let bound = prop_oneof![
        any::<u32>().prop_map(|n| Bound::Above(n.into())),
        any::<u32>().prop_map(|n| Bound::AtLeast(n.into())),
        any::<u32>().prop_map(|n| Bound::Below(n.into())),
        any::<u32>().prop_map(|n| Bound::AtMost(n.into())),
        any::<u32>().prop_map(|n| Bound::Exactly(n.into())),
        (any::<u32>(), any::<u32>()).prop_map(|(a, b)| Bound::Between(a.min(b).into(), a.max(b).into())),
    ];
    let unit = prop::sample::select(vec![Unit::Seconds, Unit::Minutes, Unit::Hours, Unit::Days, Unit::Weeks]);
    let when = || {
        prop_oneof![
            (any::<u32>(), unit.clone()).prop_map(|(amount, unit)| When::Ago { amount, unit }),
            (-62_000_000_000_000_i64..250_000_000_000_000).prop_map(When::At),
        ]
    };
    let phrase = value().prop_filter("has a word", |text| words(text).next().is_some());
    let text = prop_oneof![phrase.prop_map(Term::Phrase), "[-:]?[A-Za-z0-9.:ß-]{0,8}[a-z]".prop_map(Term::Word)];
    prop_oneof![
        list(prop::sample::select(RunStatus::ALL.to_vec()).prop_map(Term::Status).boxed()),
        ("[A-Za-z0-9._-]{1,12}", prop::collection::vec(value(), 1..4))
            .prop_map(|(key, values)| values.iter().map(|value| Term::metadata(&key, value)).collect()),
        ("status|model|is|metadata\\.x", prop::collection::vec(value(), 1..2))
            .prop_map(|(key, values)| values.iter().map(|value| Term::metadata(&key, value)).collect()),
        (prop::sample::select(Field::ALL.to_vec()), prop::collection::vec(value(), 1..4))
            .prop_map(|(field, values)| values.into_iter().map(|value| Term::Field { field, value }).collect()),
        list(prop::sample::select(Is::ALL.to_vec()).prop_map(Term::Is).boxed()),
        list(
            prop_oneof![Just(Has::OrphanCall), "[A-Za-z0-9._-]{1,12}".prop_map(Has::Metadata)]
                .prop_map(Term::Has)
                .boxed()
        ),
        (prop::sample::select(Measure::ALL.to_vec()), bound)
            .prop_map(|(measure, bound)| vec![Term::Compare(Comparison { measure, bound })]),
        when().prop_map(|when| vec![Term::Since(when)]),
        when().prop_map(|when| vec![Term::Before(when)]),
        prop::collection::vec(text, 1..3),
    ]
}

proptest! {
    #[test]
    fn printing_then_parsing_is_the_identity(clauses in prop::collection::vec((term(), any::<bool>()), 0..6)) {
        let mut query = Query::default();
        for (terms, negated) in clauses {
            let mut distinct: Vec<Term> = Vec::new();
            for term in terms {
                if !distinct.contains(&term) {
                    distinct.push(term);
                }
            }
            let mut distinct = distinct.into_iter();
            if let Some(term) = distinct.next() {
                query.push(Clause { negated, term, or: distinct.collect() });
            }
        }
        prop_assert_eq!(Query::parse(&query.to_string()), Ok(query));
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,80}") {
        let errors = Query::errors(&text);
        prop_assert!(errors.iter().all(|error| text.get(error.at.clone()).is_some()));
        prop_assert_eq!(Query::parse(&text).err(), errors.into_iter().next());
    }
}

#[test]
fn a_position_is_reported_in_characters_and_too_long_a_word_is_refused() {
    let error = Query::parse("müßig \"ünfertig").expect_err("an open quotation");
    assert_eq!((error.at.start, error.character), (8, 7));
    assert!(error.to_string().ends_with("(at character 7)"), "{error}");
    let long = Query::parse(&"x".repeat(65)).expect_err("no word");
    assert!(long.message.contains("64"), "{long}");
}
