use proptest::prelude::{Just, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy as _;
use serde_json::json;

use super::*;

fn at(call: u64) -> Timestamp {
    Timestamp::Call(call)
}

fn id(text: &str) -> StrategyId {
    StrategyId::parse(text).expect("an id")
}

fn book(deltas: &[Delta]) -> Playbook {
    let mut book = Playbook::default();
    book.apply(deltas, &at(0));
    book
}

/// A strategy with counts.
fn with_counts(helpful: u64, harmful: u64, neutral: u64) -> Playbook {
    let mut deltas = vec![Delta::add("testing", "Run the tests.")];
    let counts = [(Tag::Helpful, helpful), (Tag::Harmful, harmful), (Tag::Neutral, neutral)];
    for (tag, count) in counts {
        deltas.extend((0..count).map(|_| Delta::tag(&id("tes-00000"), tag)));
    }
    book(&deltas)
}

#[test]
fn ids_count_over_all_categories() {
    let book = book(&[
        Delta::add("file_operations", "a"),
        Delta::add("Error Handling", "b"),
        Delta::add("ci", "c"),
        Delta::add("__1!", "d"),
        Delta::add("überall", "e"),
        Delta::add("!?!", "f"),
    ]);
    let ids: Vec<&str> = book.strategies().iter().map(|strategy| strategy.id.as_str()).collect();
    assert_eq!(ids, ["fil-00000", "err-00001", "ci-00002", "1-00003", "übe-00004", "str-00005"]);
    assert_eq!(book.strategies()[1].category, "error_handling");
    assert_eq!(StrategyId::new("file", 123_456).as_str(), "fil-123456");
}

#[test]
fn deltas_that_cannot_be_applied_are_ignored_and_reported() {
    let mut book = book(&[Delta::add("testing", "a"), Delta::add("testing", "b")]);
    let update = |id: &str, content: &str| Delta::Update { id: id.to_owned(), content: content.to_owned() };
    let applied = book.apply(
        &[
            update("tes-00009", "c"),
            update("tes-00000", " \n"),
            update("tes-00000", "b"),
            update("tes-00000", "a"),
            Delta::Tag { id: "tes-00000".into(), tag: "splendid".into() },
            Delta::Tag { id: "tes-9".into(), tag: "helpful".into() },
            Delta::Remove { id: String::new() },
            Delta::add("", "c"),
            Delta::add("testing", &"é".repeat(1001)),
        ],
        &at(7),
    );
    let expected = [
        (0, Ignored::UnknownId),
        (1, Ignored::Empty),
        (2, Ignored::Repeated),
        (4, Ignored::UnknownTag),
        (5, Ignored::UnknownId),
        (6, Ignored::UnknownId),
        (7, Ignored::Empty),
        (8, Ignored::TooLong),
    ];
    assert_eq!(applied, Applied { ignored: expected.to_vec(), ..Applied::default() });
    assert_eq!(book, self::book(&[Delta::add("testing", "a"), Delta::add("testing", "b")]));
}

#[test]
fn deltas_are_read_from_json() {
    let json = json!([
        {"operation": "add", "category": "testing", "content": "Run the tests."},
        {"operation": "tag", "id": "tes-00000", "tag": "harmful"},
        {"operation": "update", "id": "tes-00000", "content": "Run the tests often."},
        {"operation": "remove", "id": "tes-00001"},
    ]);
    let deltas: Vec<Delta> = serde_json::from_value(json.clone()).expect("deltas");
    assert_eq!(serde_json::to_value(&deltas).expect("JSON"), json);
    let book = book(&deltas);
    let strategy = book.get(&id("tes-00000")).expect("a strategy");
    assert_eq!((strategy.content.as_str(), strategy.harmful), ("Run the tests often.", 1));
    assert_eq!((strategy.created.clone(), strategy.last_used.clone()), (Some(at(0)), Some(at(0))));
}

#[test]
fn a_repeated_sentence_is_counted() {
    let book = book(&[
        Delta::add("testing", "Run  the\ntests. "),
        Delta::add("Testing", "Run the tests."),
        Delta::add("x", "y"),
    ]);
    let found: Vec<(&str, u64)> =
        book.strategies().iter().map(|strategy| (strategy.content.as_str(), strategy.observed)).collect();
    assert_eq!(found, [("Run the tests.", 2), ("y", 1)]);
}

#[test]
fn a_full_playbook_gives_up_its_least_effective_strategy() {
    let adds: Vec<Delta> = (0..MAX_STRATEGIES).map(|number| Delta::add("x", &number.to_string())).collect();
    let mut book = book(&adds);
    let tags = [(0, Tag::Helpful), (1, Tag::Neutral), (2, Tag::Harmful)];
    for (number, tag) in tags {
        book.apply(&[Delta::tag(&StrategyId::new("x", number), tag)], &at(1));
    }
    let applied = book.apply(&[Delta::add("x", "new"), Delta::add("x", "newer")], &at(2));
    assert_eq!(applied.evicted, [id("x-00002"), id("x-00001")]);
    assert_eq!(applied.added, [id("x-01000"), id("x-01001")]);
    assert_eq!(book.len(), MAX_STRATEGIES);
}

#[test]
fn the_selection_prefers_effective_strategies_and_is_stable() {
    let mut deltas: Vec<Delta> = ["a", "b", "c", "d", "e"].map(|content| Delta::add("x", content)).to_vec();
    // b: 1.0 once; c: 1.0 twice; d: -1.0; a and e: untested.
    for (number, tag) in [(1, Tag::Helpful), (2, Tag::Helpful), (2, Tag::Helpful), (3, Tag::Harmful)] {
        deltas.push(Delta::tag(&StrategyId::new("x", number), tag));
    }
    let book = book(&deltas);
    let contents = |at_most| book.selection(at_most).iter().map(|found| found.content.as_str()).collect::<String>();
    assert_eq!(contents(9), "cbaed");
    assert_eq!(contents(3), "cba");
    assert_eq!((contents(0), book.text(0)), (String::new(), String::new()));
}

#[test]
fn pruning_needs_three_judged_uses() {
    let prune = |mut book: Playbook| book.prune().len();
    assert_eq!(prune(with_counts(1, 2, 0)), 1, "-0.33 of three");
    assert_eq!(prune(with_counts(0, 2, 0)), 0, "-1 of two");
    assert_eq!(prune(with_counts(0, 3, 0)), 1);
    assert_eq!(prune(with_counts(0, 3, 7)), 0, "-0.3 is not below the threshold");
    assert_eq!(prune(with_counts(0, 0, 5)), 0);
}

#[test]
fn citations_are_whole_words() {
    let book = book(&[Delta::add("error", "a"), Delta::add("error", "b"), Delta::add("file", "c")]);
    let cited = |text: &str| book.cited(text).iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!(cited("As in [err-00001] and fil-00002, then (err-00001)."), ["err-00001", "fil-00002"]);
    assert_eq!(cited("**err-00000**, _fil-00002_ – err-00001’s"), ["err-00000", "fil-00002", "err-00001"]);
    assert!(cited("err-000001 err-00009 xerr-00000 err-00000-x ERR-00000 err-0000").is_empty());
    assert!(Playbook::default().cited("err-00000").is_empty());
}

#[test]
fn malformed_strategies_are_skipped_and_unknown_keys_are_kept() {
    let text = json!({
        "owner": "me",
        "schema_version": 1,
        "strategies": [
            {"id": "err-00004", "category": "error_handling", "content": "a", "helpful": 2, "section": "s"},
            {"id": "err 5", "category": "x", "content": "b"},
            {"id": "err-00005", "category": "x"},
            {"id": "err-00005", "category": "x", "content": " "},
            {"id": "err-00005", "category": "x", "content": "b", "helpful": -1},
            {"id": "err-00004", "category": "x", "content": "b"},
            7,
        ],
    });
    let (mut book, skipped) = Playbook::read(&text.to_string()).expect("a playbook");
    let reasons: Vec<String> = skipped.iter().map(ToString::to_string).collect();
    assert_eq!(
        reasons,
        [
            "strategy 1 was skipped: `err 5` is not an id",
            "strategy 2 was skipped: missing field `content`",
            "strategy 3 was skipped: its `content` is empty",
            "strategy 4 was skipped: invalid value: integer `-1`, expected u64",
            "strategy 5 was skipped: another one has the id `err-00004`",
            "strategy 6 was skipped: invalid type: integer `7`, expected struct Strategy",
        ]
    );
    book.apply(&[Delta::add("x", "y")], &Timestamp::Time("2026-01-31T09:30:00Z".into()));
    let written: Json = serde_json::from_str(&book.write()).expect("JSON");
    let expected = json!({
        "schema_version": 1,
        "next": 6,
        "strategies": [
            {"id": "err-00004", "category": "error_handling", "content": "a", "helpful": 2, "harmful": 0, "neutral": 0,
             "observed": 1, "section": "s"},
            {"id": "x-00005", "category": "x", "content": "y", "helpful": 0, "harmful": 0, "neutral": 0, "observed": 1,
             "created": "2026-01-31T09:30:00Z"},
        ],
        "owner": "me",
    });
    assert_eq!(written, expected);
}

#[test]
fn a_text_that_is_not_a_playbook_is_an_error() {
    let error = |text: &str| Playbook::read(text).expect_err("an error").to_string();
    assert_eq!(error("[]"), "the playbook is not a JSON object");
    assert_eq!(error("{}"), "the playbook has no number `schema_version`");
    assert_eq!(error(r#"{"schema_version":2,"strategies":[]}"#), "the playbook has version 2, not 1");
    assert_eq!(error(r#"{"schema_version":1}"#), "the playbook has no list `strategies`");
    assert!(error("{").starts_with("the playbook is not valid JSON: "));
}

fn delta() -> impl proptest::strategy::Strategy<Value = Delta> {
    let category = prop::sample::select(vec!["testing", "Error handling", "", "x_y", "日本語"]);
    let content = prop_oneof!["[a-c]", " ?[a-z]{2} [A-Zé\n]{3}", Just(String::new())];
    let id = prop_oneof!["(tes|err|xy|日本語)-0000[0-9]", Just("none".to_owned())];
    let tag = prop::sample::select(vec!["helpful", "harmful", "neutral", "other"]);
    prop_oneof![
        4 => (category, content.clone()).prop_map(|(category, content)| Delta::add(category, &content)),
        1 => (id.clone(), content).prop_map(|(id, content)| Delta::Update { id, content }),
        4 => (id.clone(), tag).prop_map(|(id, tag)| Delta::Tag { id, tag: tag.into() }),
        1 => id.prop_map(|id| Delta::Remove { id }),
    ]
}

proptest! {
    #[test]
    fn any_deltas_leave_a_playbook_that_can_be_written_and_read(
        deltas in prop::collection::vec(delta(), 0..40),
        at_most in 0_usize..8,
    ) {
        let mut book = book(&deltas);
        let (read, skipped) = Playbook::read(&book.write()).expect("a playbook");
        prop_assert_eq!(&read, &book);
        prop_assert!(skipped.is_empty());
        let text = book.text(at_most);
        prop_assert_eq!(text.lines().filter(|line| line.starts_with("- [")).count(), book.len().min(at_most));
        let cited = book.cited(&text);
        prop_assert_eq!(cited.len(), book.len().min(at_most));
        prop_assert!(book.strategies().iter().all(|strategy| strategy.rate().abs() <= Decimal::ONE));
        let again = book.apply(&deltas, &at(1));
        prop_assert!(again.ignored.len() <= deltas.len());
        book.prune();
        prop_assert!(book.prune().is_empty());
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in ".*", id in ".{0,9}") {
        let _ = Playbook::read(&text);
        let json = json!({"schema_version": 1, "next": u64::MAX, "strategies": [{"id": id, "category": text, "content": text}]});
        if let Ok((mut book, _)) = Playbook::read(&json.to_string()) {
            book.apply(&[Delta::add("x", "y"), Delta::add("x", "z")], &at(0));
            prop_assert_eq!(&Playbook::read(&book.write()).expect("a playbook").0, &book);
        }
    }
}
