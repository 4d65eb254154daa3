//! The playbook of the fourth system: strategies with counts, their selection, pruning, persistence and distillation.

use serde_json::json;
use trimtab::playbook::{
    Delta, Playbook, Reflector, RuleReflector, Strategy, StrategyId, Tag, Timestamp, ToolBatch, ToolUse,
};
use trimtab::quantity::Decimal;

/// A playbook with one strategy a category, in this order.
fn book(categories: &[&str]) -> Playbook {
    let mut book = Playbook::default();
    let adds: Vec<Delta> =
        categories.iter().map(|category| Delta::add(category, &format!("about {category}"))).collect();
    book.apply(&adds, &Timestamp::Call(0));
    book
}

fn id(text: &str) -> StrategyId {
    StrategyId::parse(text).unwrap()
}

fn tag(book: &mut Playbook, strategy: &str, tags: &[(Tag, usize)]) {
    for (tag, times) in tags {
        let deltas = vec![Delta::tag(&id(strategy), *tag); *times];
        assert_eq!(book.apply(&deltas, &Timestamp::Call(1)).ignored, []);
    }
}

fn effectiveness(tags: &[(Tag, usize)]) -> Decimal {
    let mut book = book(&["testing"]);
    tag(&mut book, "tes-00000", tags);
    Decimal::try_from(book.strategies()[0].effectiveness()).unwrap()
}

/// A number with two decimals.
fn decimal(hundredths: i64) -> Decimal {
    Decimal::new(hundredths, 2)
}

#[test]
fn a_new_playbook_is_empty_and_an_added_strategy_survives_a_file() {
    assert_eq!(Playbook::default().len(), 0);
    let book = book(&["file_operations"]);
    assert_eq!(book.len(), 1);
    assert_eq!(Playbook::read(&book.write()), Ok((book, vec![])));
}

#[test]
fn strategies_of_two_categories_survive_a_file() {
    let mut book = book(&["file_operations", "error_handling"]);
    tag(&mut book, "err-00001", &[(Tag::Harmful, 1)]);
    let (read, skipped) = Playbook::read(&book.write()).unwrap();
    assert_eq!((&read, skipped.len()), (&book, 0));
    let categories: Vec<&str> = read.strategies().iter().map(|strategy| strategy.category.as_str()).collect();
    assert_eq!(categories, ["file_operations", "error_handling"]);
}

#[test]
fn ids_are_three_letters_and_a_counter_over_all_categories() {
    let book = book(&["file_operations", "error_handling", "file_operations_2"]);
    let ids: Vec<&str> = book.strategies().iter().map(|strategy| strategy.id.as_str()).collect();
    assert_eq!(ids, ["fil-00000", "err-00001", "fil-00002"]);
}

#[test]
fn effectiveness_is_between_minus_one_and_one_and_zero_when_untested() {
    use Tag::{Harmful, Helpful, Neutral};
    assert_eq!(effectiveness(&[]), decimal(0));
    assert_eq!(effectiveness(&[(Helpful, 3)]), decimal(100));
    assert_eq!(effectiveness(&[(Helpful, 3), (Harmful, 1)]), decimal(50));
    assert_eq!(effectiveness(&[(Harmful, 2)]), decimal(-100));
    assert_eq!(effectiveness(&[(Neutral, 5)]), decimal(0));
    assert_eq!(effectiveness(&[(Helpful, 1), (Neutral, 3)]), decimal(25));
}

#[test]
fn a_tag_counts_and_sets_the_last_use_and_an_unknown_tag_changes_nothing() {
    let mut book = book(&["testing"]);
    tag(&mut book, "tes-00000", &[(Tag::Helpful, 1), (Tag::Neutral, 2)]);
    let Strategy { helpful, harmful, neutral, last_used, .. } = &book.strategies()[0];
    assert_eq!((*helpful, *harmful, *neutral, last_used), (1, 0, 2, &Some(Timestamp::Call(1))));
    let before = book.clone();
    let unknown = Delta::Tag { id: "tes-00000".into(), tag: "splendid".into() };
    assert_eq!(book.apply(&[unknown], &Timestamp::Call(2)).ignored.len(), 1);
    assert_eq!(book, before);
}

#[test]
fn the_text_lists_strategies_by_category_under_a_heading() {
    let mut book = book(&["file_operations", "error_handling"]);
    tag(&mut book, "err-00001", &[(Tag::Harmful, 1)]);
    let expected = "\n## Learned Strategies\n\n\
                    ### Error Handling\n- [err-00001] about error_handling (helpful=0, harmful=1)\n\n\
                    ### File Operations\n- [fil-00000] about file_operations (helpful=0, harmful=0)\n";
    assert_eq!(book.text(30), expected);
    assert_eq!(Playbook::default().text(30), "");
}

#[test]
fn the_most_effective_strategies_are_selected_and_then_those_that_helped_most() {
    let mut book = book(&["a", "b", "c", "d"]);
    tag(&mut book, "b-00001", &[(Tag::Helpful, 1)]);
    tag(&mut book, "c-00002", &[(Tag::Helpful, 2)]);
    tag(&mut book, "d-00003", &[(Tag::Harmful, 1)]);
    let selected =
        |at_most| -> Vec<String> { book.selection(at_most).iter().map(|strategy| strategy.category.clone()).collect() };
    assert_eq!(selected(9), ["c", "b", "a", "d"]);
    assert_eq!(selected(2), ["c", "b"]);
}

#[test]
fn harmful_strategies_are_pruned_after_three_judged_uses() {
    let prune = |tags: &[(Tag, usize)]| {
        let mut book = book(&["testing"]);
        tag(&mut book, "tes-00000", tags);
        !book.prune().is_empty()
    };
    assert!(prune(&[(Tag::Harmful, 2), (Tag::Helpful, 1)]), "-0.33");
    assert!(!prune(&[(Tag::Harmful, 2)]), "-1, but used twice only");
    assert!(prune(&[(Tag::Harmful, 3)]));
    assert!(!prune(&[(Tag::Neutral, 5)]));
    assert!(!prune(&[(Tag::Helpful, 3), (Tag::Harmful, 1)]));
}

#[test]
fn malformed_strategies_of_a_file_are_skipped_with_a_warning() {
    let file = json!({
        "schema_version": 1,
        "strategies": [{"category": "x", "content": "y"}, {"id": "x-00001", "category": "x", "content": "z"}],
    });
    let (book, skipped) = Playbook::read(&file.to_string()).unwrap();
    assert_eq!(book.strategies().iter().map(|strategy| strategy.id.as_str()).collect::<Vec<_>>(), ["x-00001"]);
    assert_eq!(skipped[0].to_string(), "strategy 0 was skipped: missing field `id`");
}

#[test]
fn deltas_add_update_tag_and_remove_and_ignore_unknown_ids() {
    let mut book = book(&["a", "b"]);
    let deltas = json!([
        {"operation": "add", "category": "c", "content": "about c"},
        {"operation": "update", "id": "a-00000", "content": "more about a"},
        {"operation": "tag", "id": "c-00002", "tag": "helpful"},
        {"operation": "remove", "id": "b-00001"},
        {"operation": "remove", "id": "b-00001"},
        {"operation": "tag", "id": "b-00001", "tag": "helpful"},
    ]);
    let deltas: Vec<Delta> = serde_json::from_value(deltas).unwrap();
    let ignored: Vec<usize> =
        book.apply(&deltas, &Timestamp::Call(2)).ignored.iter().map(|(index, _)| *index).collect();
    assert_eq!(ignored, [4, 5]);
    let found: Vec<(&str, u64)> =
        book.strategies().iter().map(|strategy| (strategy.content.as_str(), strategy.helpful)).collect();
    assert_eq!(found, [("more about a", 0), ("about c", 1)]);
}

#[test]
fn the_same_sentence_is_not_added_twice() {
    let mut book = book(&["a"]);
    book.apply(&[Delta::add("a", "about a"), Delta::add("a", "about  a")], &Timestamp::Call(1));
    assert_eq!((book.len(), book.strategies()[0].observed), (1, 3));
}

#[test]
fn a_reply_uses_the_strategies_whose_ids_it_contains() {
    let book = book(&["error_handling", "file_operations"]);
    assert_eq!(book.cited("Following [fil-00001] and err-00000."), [id("fil-00001"), id("err-00000")]);
    assert!(book.cited("Nothing like xerr-00000 or err-000000.").is_empty());
}

fn step(tool: &str, arguments: &serde_json::Value) -> ToolUse {
    ToolUse { tool: tool.into(), arguments: arguments.to_string(), result: Some("done".into()), is_error: false }
}

fn run(command: &str) -> ToolUse {
    step("run_command", &json!({ "command": command }))
}

fn failed(call: ToolUse) -> ToolUse {
    ToolUse { is_error: true, ..call }
}

/// The sentence and the category that the embedded reflector distils.
fn distilled(reflector: &RuleReflector, calls: Vec<ToolUse>) -> Option<(String, String)> {
    let deltas = reflector.reflect(&ToolBatch { calls, ..ToolBatch::default() });
    assert!(deltas.len() <= 1, "one strategy a batch");
    deltas.into_iter().next().map(|delta| match delta {
        Delta::Add { category, content } => (category, content),
        other => panic!("{other:?}"),
    })
}

/// The category and a part of the sentence.
fn assert_distils(calls: Vec<ToolUse>, category: &str, part: &str) {
    let (found, content) = distilled(&RuleReflector::default(), calls).expect(part);
    assert_eq!(found, category);
    assert!(content.contains(part), "{content}");
}

fn assert_distils_nothing(calls: Vec<ToolUse>) {
    assert_eq!(distilled(&RuleReflector::default(), calls), None);
}

fn read(path: &str) -> ToolUse {
    step("read_file", &json!({ "path": path }))
}

fn list() -> ToolUse {
    step("list_files", &json!({ "path": "." }))
}

fn search() -> ToolUse {
    step("search", &json!({ "pattern": "x" }))
}

fn write() -> ToolUse {
    step("write_file", &json!({ "path": "a", "content": "b" }))
}

#[test]
fn listing_before_reading_gives_a_strategy() {
    assert_distils(vec![list(), read("a")], "file_operations", "List a directory before reading");
    assert_distils_nothing(vec![read("a"), list()]);
}

#[test]
fn each_pattern_of_the_rule_table_gives_its_strategy() {
    assert_distils(vec![read("a"), write()], "file_operations", "Read a file before changing it");
    assert_distils(vec![read("a"), read("b"), read("c")], "code_navigation", "Read all files");
    assert_distils(vec![search(), read("a")], "code_navigation", "Search for a name first");
    assert_distils(vec![search(), search()], "code_navigation", "several spellings");
    assert_distils(vec![write(), run("cargo test -q")], "testing", "after each change");
    assert_distils(vec![run("python -m pytest tests/"), step("edit_file", &json!({}))], "testing", "after each change");
    assert_distils(vec![read("tests/test_a.py"), run("pytest")], "testing", "Read the tests");
    assert_distils(vec![run("npm install"), run("npm start")], "shell_commands", "Install dependencies");
    assert_distils(vec![run("ls"), run("git status")], "version_control", "git status");
    assert_distils(vec![failed(read("a")), run("ls")], "error_handling", "When a file cannot be read");
    assert_distils(vec![failed(run("ls")), run("pwd")], "error_handling", "When a command fails");
}

#[test]
fn calls_without_a_pattern_give_no_strategy() {
    assert_distils_nothing(vec![]);
    assert_distils_nothing(vec![write(), read("a")]);
    assert_distils_nothing(vec![run("npm start"), run("npm install")]);
    assert_distils_nothing(vec![run("git status"), run("git status -s")]);
    assert_distils_nothing(vec![write(), run("test -f a && cat latest.log tests/a.txt")]);
    assert_distils_nothing(vec![step("weather", &json!({})), failed(step("weather", &json!(7)))]);
}

#[test]
fn the_first_matching_pattern_wins() {
    assert_distils(vec![list(), read("a"), write(), run("make test")], "file_operations", "List a directory");
    assert_distils(vec![failed(list()), failed(read("a"))], "file_operations", "List a directory");
    assert_distils(vec![failed(read("a")), failed(run("ls"))], "error_handling", "When a file cannot be read");
}

#[test]
fn a_single_call_gives_a_strategy_only_if_it_is_a_failed_command() {
    assert_distils(vec![failed(run("make"))], "error_handling", "When a command fails");
    assert_distils_nothing(vec![run("make")]);
    assert_distils_nothing(vec![failed(read("a"))]);
    assert_distils_nothing(vec![failed(list())]);
    assert_distils_nothing(vec![failed(search())]);
}

/// Each rule counts up to its own confidence.
#[test]
fn rules_below_the_confidence_give_no_strategy() {
    let cases = [
        (75, vec![list(), read("a")]),
        (80, vec![read("a"), write()]),
        (70, vec![read("a"), read("b"), read("c")]),
        (80, vec![search(), read("a")]),
        (70, vec![search(), search()]),
        (85, vec![write(), run("cargo test -q")]),
        (70, vec![read("tests/test_a.py"), run("pytest")]),
        (80, vec![run("npm install"), run("npm start")]),
        (75, vec![run("ls"), run("git status")]),
        (70, vec![failed(read("a")), run("ls")]),
        (65, vec![failed(run("ls")), run("pwd")]),
    ];
    for (confidence, calls) in cases {
        let with = |min_confidence| RuleReflector { min_confidence, ..RuleReflector::default() };
        assert!(distilled(&with(confidence), calls.clone()).is_some(), "{confidence} of {calls:?}");
        assert_eq!(distilled(&with(confidence + 1), calls.clone()), None, "{confidence} of {calls:?}");
    }
    assert_eq!(RuleReflector::default().min_confidence, 65);
}

#[test]
fn the_number_of_calls_can_be_raised() {
    let three = RuleReflector { min_tool_calls: 3, ..RuleReflector::default() };
    assert_eq!(distilled(&three, vec![list(), read("a")]), None);
    assert!(distilled(&three, vec![list(), read("a"), read("b")]).is_some());
    assert!(distilled(&three, vec![failed(run("make"))]).is_some(), "a failed command counts alone");
}

#[test]
fn tools_are_known_by_their_usual_names() {
    let of = |tool: &str| step(tool, &json!({ "command": "cargo test", "file_path": "a" }));
    for (first, second) in [("LS", "Read"), ("Glob", "view"), ("mcp__files__list_directory", "read-file")] {
        assert_distils(vec![of(first), of(second)], "file_operations", "List a directory");
    }
    for (first, second) in [("Edit", "Bash"), ("apply_patch", "shell"), ("str_replace_editor", "exec")] {
        assert_distils(vec![of(first), of(second)], "testing", "after each change");
    }
}

#[test]
fn a_cited_strategy_turned_out_as_the_calls_of_its_reply_did() {
    let outcome = |calls: Vec<ToolUse>| ToolBatch { calls, ..ToolBatch::default() }.outcome();
    assert_eq!(outcome(vec![run("a"), read("b")]), Tag::Helpful);
    assert_eq!(outcome(vec![run("a"), failed(read("b"))]), Tag::Harmful);
    assert_eq!(outcome(vec![]), Tag::Neutral);
    let pending = ToolUse { result: None, ..run("a") };
    assert_eq!(outcome(vec![run("a"), pending.clone()]), Tag::Neutral);
    assert_eq!(outcome(vec![failed(run("a")), pending]), Tag::Harmful);
}

/// The later version scores from 0 to 1, with 0.5 for untested strategies and half a point for a neutral use. Ours is the
/// score of the documented version; both put the tested strategies of these cases in the same order.
#[test]
fn the_later_cases_of_effectiveness_have_the_same_order_here() {
    use Tag::{Harmful, Helpful, Neutral};
    let cases: [&[(Tag, usize)]; 5] =
        [&[(Helpful, 10)], &[(Helpful, 7), (Harmful, 3)], &[(Helpful, 5), (Neutral, 10)], &[], &[(Harmful, 10)]];
    let ours = cases.map(effectiveness);
    assert_eq!(
        ours.map(|score| score.round_dp(2)),
        [decimal(100), decimal(40), decimal(33), decimal(0), decimal(-100)]
    );
    assert!(ours.is_sorted_by(|a, b| a > b));
    let later = [100, 70, 67, 50, 0].map(decimal);
    let converted = ours.map(|score| ((score + Decimal::ONE) / Decimal::TWO).round_dp(2));
    assert_eq!(converted, later, "(ours + 1) / 2 is the later score");
}

#[test]
fn two_strategies_of_a_limit_of_ten_are_both_selected() {
    assert_eq!(book(&["a", "b"]).selection(10).len(), 2);
}

#[test]
fn ten_of_fifty_strategies_are_selected() {
    let categories: Vec<String> = (0..50).map(|number| format!("c{number}")).collect();
    let book = book(&categories.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(book.selection(10).len(), 10);
    assert_eq!(book.selection(50).len(), 50);
}

#[test]
fn effective_and_untested_strategies_are_selected_before_an_ineffective_one() {
    let mut book = book(&["ineffective", "untested", "effective"]);
    tag(&mut book, "ine-00000", &[(Tag::Harmful, 5)]);
    tag(&mut book, "eff-00002", &[(Tag::Helpful, 5)]);
    let selected: Vec<&str> = book.selection(2).iter().map(|strategy| strategy.category.as_str()).collect();
    assert_eq!(selected, ["effective", "untested"]);
}
