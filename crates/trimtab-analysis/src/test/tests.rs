//! Outcomes of test blocks.

use trimtab_base::conversation::{Message, Role};
use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::{CheckedFile, TestCase, check};
use trimtab_recordings::transcript::Transcript;
use trimtab_syntax::syntax;

use super::{CaseOutcome, Recordings, TestResult, run};

/// One recording with two calls, and one with two conversations.
struct Shelf;

impl Recordings for Shelf {
    fn find(&self, path: &str) -> Result<Vec<Transcript>, String> {
        let say = |role, text: &str| std::sync::Arc::new(Message::text(role, text));
        let messages = vec![
            say(Role::User, "one"),
            say(Role::Assistant, "two"),
            say(Role::User, "three"),
            say(Role::Assistant, "four"),
        ];
        let transcript =
            |id: &str| Transcript { id: id.to_owned(), messages: messages.clone(), ..Transcript::default() };
        match path {
            "one.jsonl" => Ok(vec![transcript("")]),
            "two.jsonl" => Ok(vec![transcript("a"), transcript("b")]),
            _ => Err("there is no such file".to_owned()),
        }
    }
}

fn checked(text: &str) -> CheckedFile {
    let (file, found) = syntax::parse(&Source::new(SourceId(0), "x.trim", text));
    assert!(found.is_empty(), "{text}\n{found:#?}");
    let (checked, found) = check(&file);
    checked.unwrap_or_else(|| unreachable!("{text}\n{found:#?}"))
}

/// What happened where expectations of a test were not met; nothing if it passed.
fn actual(rules: &str, statements: &str) -> Vec<String> {
    let checked = checked(&format!("edition 2026 policy p {{ {rules} }} test \"t\" {{ {statements} }}"));
    let cases: Vec<&TestCase> = checked.tests.iter().collect();
    run(&checked, &cases, &Shelf).into_iter().flat_map(format_outcome).collect()
}

fn format_outcome(outcome: CaseOutcome<'_>) -> Vec<String> {
    match outcome.result {
        TestResult::Passed => Vec::new(),
        TestResult::Failed(failures) => failures.into_iter().map(|failure| failure.actual).collect(),
        TestResult::Broken(_, reason) => vec![format!("broken: {reason}")],
    }
}

#[track_caller]
fn passes(rules: &str, statements: &str) {
    assert_eq!(actual(rules, statements), Vec::<String>::new(), "{rules} | {statements}");
}

#[track_caller]
fn fails(rules: &str, statements: &str, expected: &str) {
    let seen = actual(rules, statements);
    assert!(seen.len() == 1 && seen[0].contains(expected), "{rules} | {statements}\n{seen:#?}");
}

const FULL: &str = "rule full { when context.ratio >= 60% do notify \"x\" }";
const CALM: &str = "rule calm { when failures >= 9 do notify \"x\" }";

#[test]
fn a_series_has_one_value_for_each_iteration_and_repeats_the_last() {
    passes(FULL, "given context.ratio 40%, 55%, 62%, 70% expect full first fires at 2 expect full fires only at 2, 3");
    passes(FULL, "given context.ratio 40%..95% by 5% expect full first fires at 4 expect full fires 8 times");
    passes(FULL, "given context.ratio 90%..30% by 30% expect full fires only at 0, 1");
    passes(FULL, "given context.ratio 40% x3, 90% given iterations 6 expect full fires only at 3, 4, 5");
    passes(FULL, "given context.tokens 100k..140k by 20k tokens expect full fires only at 1, 2");
    passes(FULL, "given context.free 90k tokens, 70k tokens expect full fires only at 1");
}

#[test]
fn facts_of_every_type_can_be_given_and_several_at_once() {
    let rule =
        "rule r { when (call.name ?? \"none\") == \"bash\" and has_tool(\"note\") and failures >= 2 do notify \"x\" }";
    let given =
        "given call.name unknown, bash, \"bash\", edit given has_tool(\"note\") false, true given failures 1, 1, 2";
    passes(rule, &format!("{given} expect r fires only at 2"));
    let known = "rule r { when known(reported.tokens) and reported.tokens > 5k tokens do notify \"x\" }";
    passes(known, "given reported.tokens unknown x2, 6k tokens expect r fires only at 2");
    let argument = "rule r { when repeats(within: 5 calls) >= 3 or repeats >= 9 do notify \"x\" }";
    passes(argument, "given repeats(within: 5 calls) 1, 3 given repeats 3, 3, 9 expect r fires at 1, 2");
    passes(argument, "given repeats 3 expect r never fires");
}

#[test]
fn guards_and_state_work_without_a_conversation() {
    let rule = |guard: &str| format!("rule r {{ when context.ratio >= 60% do mask results {guard} }}");
    let given = "given context.ratio 70% x5";
    passes(&rule("once"), &format!("{given} expect r fires only at 0 expect r blocked at 1, 4"));
    passes(&rule("cooldown 2 iterations"), &format!("{given} expect r fires only at 0, 2, 4"));
    passes(&rule("every 2 iterations"), &format!("{given} expect r fires only at 2, 4"));
    passes(&rule("limit 3"), &format!("{given} expect r last fires at 2"));
    let latch = "rule r { when context.ratio >= 70% do mask results until context.ratio < 40% }";
    passes(latch, "given context.ratio 70%, 50%, 45%, 39%, 50% expect r fires only at 0, 1, 2");
    let after = "rule a { when context.ratio >= 60% do notify \"x\" } rule b { when fired(a) >= 2 do notify \"y\" }";
    passes(after, &format!("{given} expect b first fires at 1"));
}

/// A chat of four runs, each with one call.
const CHAT: &str = "given user \"a\" given assistant \"b\" given user \"c\" given assistant \"d\" given user \"e\" \
                    given assistant \"f\" given user \"g\" given assistant \"h\"";

#[test]
fn guards_of_the_session_outlast_the_run() {
    let cases = [
        ("once", "0, 1, 2, 3"),
        ("once in session", "0"),
        ("limit 2 in session", "0, 1"),
        ("cooldown 2 iterations in session", "0, 2"),
        ("every 2 iterations in session", "2"),
        ("once until run == 2", "0, 1, 2, 3"),
        ("once until run == 2 in session", "0, 2"),
        ("once per iteration", "0, 1, 2, 3"),
        ("once per iteration in session", "0"),
        ("once per run in session", "0, 1, 2, 3"),
    ];
    for (guard, calls) in cases {
        passes(&format!("rule r {{ do notify \"x\" {guard} }}"), &format!("{CHAT} expect r only fires at {calls}"));
    }
    let latch = |scope: &str| format!("rule r {{ when run == 1 do notify \"x\" until run == 3{scope} }}");
    passes(&latch(""), &format!("{CHAT} expect r only fires at 1"));
    passes(&latch(" in session"), &format!("{CHAT} expect r only fires at 1, 2"));
    passes("rule r { do notify \"x\" every 2 iterations }", &format!("{CHAT} expect r never fires"));
}

#[test]
fn a_prevented_call_is_no_iteration_of_the_session() {
    let rules =
        "rule r { do notify \"x\" cooldown 1 iteration in session } rule s { when run == 1 do stop \"enough\" }";
    passes(rules, &format!("{CHAT} expect r only fires at 0, 1, 3"));
    // The call of a run that a rule stops after the reply was made.
    let rules = "rule r { do notify \"x\" every 2 iterations in session } \
                 rule s { on reply when run == 0 do stop \"enough\" }";
    passes(rules, &format!("{CHAT} expect r only fires at 2"));
}

#[test]
fn facts_of_the_session_count_over_all_runs() {
    let first = "rule first { when run == 0 do notify \"x\" }";
    let cases = [
        ("fired(first) >= 1", "0"),
        ("fired(first, in: session) >= 1", "0, 1, 2, 3"),
        ("known(since(first)) and since(first) == 0", "0"),
        ("known(since(first, in: session)) and since(first, in: session) == 2", "2"),
        ("changed()", "0, 1, 2, 3"),
        ("changed(in: session)", "0"),
        ("changed(iteration, in: session)", "0"),
        ("changed(run, in: session)", "0, 1, 2, 3"),
    ];
    for (condition, calls) in cases {
        let rules = format!("{first} rule r {{ when {condition} do notify \"x\" }}");
        passes(&rules, &format!("{CHAT} expect r only fires at {calls}"));
    }
    let calls = "given user \"a\" given failure of bash x2 given result of edit \"ok\" given assistant \"b\" \
                 given user \"c\" given result of bash \"ok\" given assistant \"d\"";
    let cases = [
        ("used_tool(edit)", "3"),
        ("used_tool(edit, in: session)", "3, 4, 5"),
        ("used_tool(edit, within: 2 iterations, in: session)", "3, 4"),
        ("tools.used(in: session) == 2", "3, 4, 5"),
        ("tools.calls(of: bash, in: session) == 3", "5"),
        ("failures.total(in: session) == 2", "2, 3, 4, 5"),
        ("failures.total == 2", "2, 3"),
        ("misses(in: session) > 0", ""),
    ];
    for (condition, at) in cases {
        let expected = if at.is_empty() { "never fires".to_owned() } else { format!("only fires at {at}") };
        passes(&format!("rule r {{ when {condition} do notify \"x\" }}"), &format!("{calls} expect r {expected}"));
    }
}

#[test]
fn a_view_for_the_session_outlasts_the_run_and_is_overridden_in_shorter_ones() {
    let rules = |lifetime: &str, rest: &str| {
        format!(
            "rule plan {{ when run == 0 do set mode \"plan\" for {lifetime} }} {rest} \
             rule r {{ when (var(mode) ?? \"\") == \"plan\" do notify \"x\" }}"
        )
    };
    passes(&rules("run", ""), &format!("{CHAT} expect r only fires at 0"));
    passes(&rules("session", ""), &format!("{CHAT} expect r only fires at 0, 1, 2, 3"));
    let other = |lifetime: &str| format!("rule other {{ when run == 1 do set mode \"act\" for {lifetime} }}");
    passes(&rules("session", &other("step")), &format!("{CHAT} expect r only fires at 0, 2, 3"));
    passes(&rules("session", &other("run")), &format!("{CHAT} expect r only fires at 0, 2, 3"));
    passes(&rules("session", &other("session")), &format!("{CHAT} expect r only fires at 0"));
}

#[test]
fn every_due_rule_fires_without_a_conversation_and_edits_nothing() {
    let rule = "rule stop_it { when failures >= 2 do stop \"enough\" } rule tidy { do mask results }";
    passes(
        rule,
        "given failures 1, 2, 3 expect stop_it fires at 1, 2 expect tidy fires 3 times expect tidy never idle",
    );
}

#[test]
fn a_failure_names_the_calls_at_which_a_rule_fired() {
    fails(FULL, "given context.ratio 70%, 50%, 70% x3 expect full never fires", "it fires at 0, 2 to 4");
    fails(FULL, "given context.ratio 50% expect full fires", "it never fires");
    let recorded = "given transcript \"one.jsonl\" given window 1k tokens given context.ratio 70%";
    fails(FULL, &format!("{recorded} expect full fires at 3"), "it fires at 0, 1; the last call is 1");
    fails(FULL, &format!("{recorded} expect full not fires at 3"), "the last call is 1");
    fails(FULL, "given context.ratio 70% x3 expect full fires at most 2 times", "it fires at 0 to 2");
    fails(FULL, "given context.ratio 70% expect full not fires at 0", "it fires at 0");
    fails(FULL, "given context.ratio 10%, 70% expect full fires only at 0", "it fires at 1");
    fails(FULL, "given context.ratio 10%, 70% expect full first fires at 0", "it fires at 1");
}

#[test]
fn a_failure_contains_the_condition_at_the_contradicting_call() {
    let text = format!(
        "edition 2026 policy p {{ {FULL} }} test \"t\" {{ given context.ratio 40%, 59% expect full first fires at 1 }}"
    );
    let checked = checked(&text);
    let cases: Vec<&TestCase> = checked.tests.iter().collect();
    let outcomes = run(&checked, &cases, &Shelf);
    let TestResult::Failed(failures) = &outcomes[0].result else { unreachable!("it fails") };
    assert_eq!(failures[0].at, Some(1));
    let (phase, explanation) = &failures[0].explained[0];
    assert_eq!((*phase, explanation.rule.as_str()), ("request", "full"));
    assert_eq!(explanation.when.value.as_deref(), Some("59%: 118,000 tokens, threshold 120,000 tokens"));
}

#[test]
fn a_conversation_is_replayed_call_by_call() {
    let mask = "rule tidy { when context.results > 2 do mask results keep 1 result }";
    let talk = "given system \"be brief\" given user \"go\" given result of bash 8k chars x4";
    passes(mask, &format!("{talk} expect calls == 5 expect tidy first fires at 3 expect edits == 3"));
    passes(mask, &format!("{talk} expect final context contains \"text\" expect tokens_saved >= 2k tokens"));
    passes(mask, &format!("{talk} expect context at 0 contains \"be brief\" before \"go\" expect invariants hold"));
    passes(mask, &format!("{talk} expect every context contains \"go\" expect any context not contains \"bash\""));
    passes(mask, &format!("{talk} expect context.results at 3 == 3 expect peak context.messages <= 20"));
    fails(CALM, "given transcript \"one.jsonl\" expect context at 9 contains \"go\"", "the last call is 1");
    fails(
        mask,
        &format!("{talk} expect context at 1 contains \"go\" before \"brief\""),
        "it is not in the context of call 1",
    );
    fails(mask, &format!("{talk} expect peak context.results < 4"), "it is 4 results, at call 4");
}

#[test]
fn failures_repeats_and_stops_follow_from_a_conversation() {
    let rules = "rule stuck { when repeats >= 3 do notify \"{repeats} times {call.name ?? \"-\"}\" once per repeats }\
         rule over { when failures.total >= 3 do stop \"enough\" }";
    passes(rules, "given user \"go\" given call bash \"ls\" x3 expect stuck fires only at 3 expect notices == 1");
    passes(rules, "given user \"go\" given result of bash 10 chars x5 expect stuck never fires");
    passes(rules, "given user \"go\" given result of bash(\"ls\") 10 chars x3 expect stuck fires at 3");
    let failed = "given user \"go\" given failure of edit x3 given failure of edit \"no\" x2";
    passes(rules, &format!("{failed} expect stops at 3 expect calls == 3 expect over fires 1 time"));
    fails(rules, &format!("{failed} expect never stops"), "it stops at 3 (`over`: enough)");
    fails(rules, &format!("{failed} expect context at 4 contains \"x\""), "call 4 was not made");
}

#[test]
fn summaries_can_be_given() {
    let rule = "rule sum { when context.messages >= 6 do summarise older keep 2 messages on_failure keep }";
    let talk = "given user \"the task\" given result of look 3k chars x5";
    passes(
        rule,
        &format!("{talk} given summary \"in short\" expect summaries >= 1 expect final context contains \"in short\""),
    );
    passes(rule, &format!("{talk} given summary fails expect sum first fails at 3 expect summaries == 0"));
    passes(
        rule,
        &format!(
            "{talk} given summary fails x2, \"in short\" expect sum fails only at 3, 4 expect sum first fires at 5"
        ),
    );
    passes(
        &rule.replace("keep }", "retry 1 keep }"),
        &format!("{talk} given summary fails, \"in short\" expect sum never fails expect sum first fires at 3"),
    );
}

#[test]
fn facts_can_be_given_with_a_conversation() {
    let rule = "rule tidy { when context.ratio >= 60% do mask results keep 0 results }";
    let talk = "given user \"go\" given result of bash 9k chars x3 given context.ratio 10% x2, 70%";
    passes(
        rule,
        &format!("{talk} expect tidy first fires at 2 expect tidy idle at 0 expect edits == 3")
            .replace("expect tidy idle at 0 ", ""),
    );
}

#[test]
fn windows_models_and_tools_can_be_given() {
    passes(FULL, "given context.tokens 500 tokens given window 800 tokens expect full fires");
    passes(FULL, "given context.tokens 500 tokens expect full never fires");
    passes(FULL, "given context.tokens 130k tokens given model \"gpt-4o\" expect full fires");
    let facts = "rule r { when (window ?? 0 tokens) < 1k tokens and (model ?? \"\") contains \"gpt\" do notify \"x\" }";
    passes(facts, "given iterations 1 given window 800 tokens given model \"gpt-4o\" expect r fires");
    passes(facts, "given iterations 1 given window 800 tokens given model \"claude-haiku-4-5\" expect r never fires");
    passes(facts, "given iterations 1 given window 2k tokens given model \"gpt-4o\" expect r never fires");
    let tool = "rule r { when has_tool(\"note\") do notify \"x\" }";
    passes(tool, "given tools [note] given iterations 2 expect r fires 2 times");
    passes(tool, "given tools [] given iterations 2 expect r never fires");
}

#[test]
fn recordings_are_found_by_their_path() {
    passes(CALM, "given transcript \"one.jsonl\" expect calls == 2 expect runs == 2 expect calm never fires");
    passes(CALM, "given transcript \"two.jsonl#b\" expect calls == 2");
    fails(
        CALM,
        "given transcript \"two.jsonl\" expect calls == 2",
        "contains 2 conversations; select one, for example two.jsonl#a",
    );
    fails(CALM, "given transcript \"two.jsonl#c\" expect calls == 2", "no conversation `c`");
    fails(CALM, "given transcript \"none.jsonl\" expect calls == 2", "broken: there is no such file");
}

#[test]
fn coverage_counts_rules_and_both_outcomes_of_comparisons() {
    let rules = "rule a { when context.ratio >= 60% and failures >= 2 do notify \"x\" } \
         rule b { when iteration > 0 do notify \"y\" once until context.ratio < 30% }";
    let text = format!(
        "edition 2026 policy p {{ {rules} }} test \"t\" {{ given context.ratio 40%, 70% expect a never fires }}"
    );
    let checked = checked(&text);
    let cases: Vec<&TestCase> = checked.tests.iter().collect();
    let coverage = run(&checked, &cases, &Shelf).remove(0).coverage.expect("it ran");
    let fired: Vec<bool> = coverage.rules.iter().map(|rule| rule.fired).collect();
    assert_eq!(fired, [false, true]);
    let sides: Vec<(bool, bool)> =
        coverage.comparisons.iter().map(|comparison| (comparison.was_true, comparison.was_false)).collect();
    assert_eq!(sides, [(true, true), (false, true), (true, true), (false, true)]);
    assert_eq!(coverage.counts(), (7, 10));
    let places: Vec<&str> =
        coverage.comparisons.iter().filter_map(|comparison| text.get(comparison.span.range())).collect();
    assert_eq!(places, ["context.ratio >= 60%", "failures >= 2", "iteration > 0", "context.ratio < 30%"]);
}

#[test]
fn the_explanation_of_a_blocked_rule_mentions_its_failed_summaries() {
    let blocked = |guard: &str, at: usize| {
        let rule = format!("rule sum {{ when context.messages >= 3 do summarise older keep 1 message {guard} }}");
        let text = format!(
            "edition 2026 policy p {{ {rule} }} test \"t\" {{ given user \"go\" given result of look 3k chars x8
             given summary fails expect sum fires at {at} }}"
        );
        let checked = checked(&text);
        let cases: Vec<&TestCase> = checked.tests.iter().collect();
        let outcomes = run(&checked, &cases, &Shelf);
        let TestResult::Failed(failures) = &outcomes[0].result else { unreachable!("it fails") };
        failures[0].explained[0].1.blocked_by.clone()
    };
    assert_eq!(blocked("limit 3", 6), ["limit 3: its summary has failed 3 times"]);
    assert_eq!(blocked("limit 1", 6), ["limit 1: its summary has failed once"]);
    assert_eq!(
        blocked("cooldown 4 iterations", 3),
        ["cooldown 4 iterations: its summary failed at iteration 2, this is iteration 3"]
    );
}
