//! When effects of the second system run: without dependencies, with none, and with some; here, conditions with `changed`.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use trimtab::plan;
use trimtab::run::{Environment, Session};
use trimtab::simulate::{FactSeries, FailingSummariser, Options, dry_run, replay};
use trimtab::transcript;

use super::{Scene, assistant, user};
use crate::{generated, laws};

/// The iterations at which each rule runs, in the order of the rules, if the facts have these values.
pub(super) fn runs(rules: &str, given: &str) -> Vec<Vec<usize>> {
    let text = format!("edition 2026 policy p {{ {rules} }} test \"t\" {{ {given} expect a fires }}");
    let compiled = trimtab::pipeline::compile("x.trim", &text);
    let checked = compiled.checked.unwrap_or_else(|| panic!("{text}\n{:#?}", compiled.diagnostics));
    let plan = plan::lower(&checked, None).unwrap();
    let given = &checked.tests[0].given;
    let options = Options { given: FactSeries(given.series.clone()), ..Options::default() };
    let trace = dry_run(&plan, given.length(), &options);
    trace.rules.iter().map(|rule| rule.calls.clone()).collect()
}

/// The iterations at which a rule with this condition runs.
pub(super) fn run(condition: &str, given: &str) -> Vec<usize> {
    runs(&format!("rule a {{ when {condition} do notify \"a\" }}"), given).remove(0)
}

const THREE: &str = "given iterations 3";

/// The notices of a replay in which the host supplies values, each with its call. A step is the lines of the recording
/// before a reply.
fn notices(agent: &str, rules: &str, steps: &[&str]) -> Vec<(usize, String)> {
    let policy = format!("edition 2026 agent {{ {agent} }} policy p {{ {rules} }}");
    let step = |(at, lines): (usize, &&str)| format!("{lines}\n{{\"role\":\"assistant\",\"content\":\"{at}\"}}\n");
    let steps: String = steps.iter().enumerate().map(step).collect();
    let recording = format!("{{\"trimtab\":1}}\n{{\"role\":\"user\",\"content\":\"go\"}}\n{steps}");
    let transcript = transcript::read(recording.as_bytes(), None).unwrap().transcripts.remove(0);
    let trace = replay(&laws::plan(&policy), &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {});
    trace.notices().map(|(at, _, text)| (at, text.to_owned())).collect()
}

/// A line of a recording in which the host supplies a value, which is JSON.
fn fact(name: &str, value: &str) -> String {
    format!("{{\"fact\":\"{name}\",\"value\":{value}}}")
}

/// The steps at which a rule runs if the host supplies these values of a fact of this type.
pub(super) fn host_runs(ty: &str, values: &[&str]) -> Vec<usize> {
    let steps: Vec<String> = values.iter().map(|value| fact("x", value)).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let notices = notices(&format!("fact x {ty}"), "rule a { when changed(host.x) do notify \"\" }", &steps);
    notices.into_iter().map(|(at, _)| at).collect()
}

/// Dependencies of the second system are values of the application: a counter, a flag, an object.
#[test]
fn a_value_of_the_application_is_a_dependency() {
    let rules = "rule a { when changed(host.count) do notify \"count {host.count}\" }
        rule b { when changed(host.flag, host.state) do notify \"{host.flag ?? \\\"-\\\"} {host.state ?? \\\"-\\\"}\" }";
    let set =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| fact(name, value)).collect::<Vec<_>>().join("\n");
    let steps = [
        String::new(),
        set(&[("count", "\"1\""), ("flag", "\"true\"")]),
        set(&[("count", "\"1\""), ("state", "\"{}\"")]),
        set(&[("count", "\"2\""), ("state", "\"{}\"")]),
        set(&[("flag", "\"false\"")]),
        set(&[("count", "null")]),
    ];
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let told = notices("fact count count default 0 fact flag bool fact state text", rules, &steps);
    let expected = [
        (0, "count 0"),
        (0, "- -"),
        (1, "count 1"),
        (1, "true -"),
        (2, "true {}"),
        (3, "count 2"),
        (4, "false {}"),
        (5, "count 0"),
    ];
    assert_eq!(told, expected.map(|(at, text)| (at, text.to_owned())));
}

/// `no deps over 3 steps`
#[test]
fn a_rule_without_changed_runs_whenever_it_is_tried() {
    assert_eq!(run("iteration >= 0", THREE), [0, 1, 2]);
}

/// `[] single step`
#[test]
fn changed_without_facts_runs_once() {
    assert_eq!(run("changed()", "given iterations 1"), [0]);
    assert_eq!(run("changed()", THREE), [0]);
    assert_eq!(run("changed", THREE), [0]);
}

/// `[count] with increments`
#[test]
fn a_value_that_rises_runs_each_time() {
    assert_eq!(run("changed(failures)", "given failures 0, 1, 2"), [0, 1, 2]);
    assert_eq!(run("changed(iteration)", THREE), [0, 1, 2]);
}

/// `constant dep over 3 steps`
#[test]
fn a_value_that_stays_runs_once() {
    assert_eq!(run("changed(failures)", "given failures 3 x3"), [0]);
}

/// `[a,b]`
#[test]
fn any_of_several_values_is_enough() {
    let given = |a: &str, b: &str| format!("given failures {a} given failures.total {b}");
    assert_eq!(run("changed(failures, failures.total)", &given("0, 1, 2", "1, 1, 2")), [0, 1, 2]);
    assert_eq!(run("changed(failures, failures.total)", &given("0, 0, 1, 1", "1, 2, 2, 2")), [0, 1, 2]);
}

/// `boolean toggle`
#[test]
fn a_truth_value_that_turns_is_a_change() {
    assert_eq!(run("changed(has_tool(\"x\"))", "given has_tool(\"x\") false, true, true, false"), [0, 1, 3]);
}

/// `mixed`
#[test]
fn rules_of_all_three_kinds_do_not_affect_each_other() {
    let rules = "rule a { do notify \"\" } rule b { when changed(failures) do notify \"\" } rule c { when changed() do notify \"\" }";
    assert_eq!(runs(rules, "given failures 0, 1, 2"), [vec![0, 1, 2], vec![0, 1, 2], vec![0]]);
}

/// `order [1,2,3]`
#[test]
fn rules_with_changed_run_in_the_order_written() {
    let mut scene = Scene::policy(
        "x.trim",
        "edition 2026 policy p { rule a { when changed() do inject \"1\" } rule b { when changed() do inject \"2\" }
         rule c { when changed() do inject \"3\" } }",
    )
    .messages([user("go")]);
    scene.request();
    assert_eq!(scene.lines(), ["user: go", "user: 1", "user: 2", "user: 3"]);
}

/// `[NaN]`
#[test]
fn an_unknown_value_equals_an_unknown_value() {
    assert_eq!(run("changed(budget.cost)", "given budget.cost unknown x3"), [0]);
}

/// `undefined then null`
#[test]
fn a_value_that_becomes_known_or_unknown_is_a_change() {
    assert_eq!(run("changed(call.name)", "given call.name unknown, bash, bash, unknown, unknown"), [0, 1, 3]);
}

/// `[+0] then [-0]`
#[test]
fn numbers_of_different_notation_are_equal() {
    assert_eq!(run("changed(budget.cost)", "given budget.cost $0, $0.00, $1.5, $1.50"), [0, 2]);
    assert_eq!(run("changed(budget.time)", "given budget.time 90s, 1m30s, 2m"), [0, 2]);
}

/// `fresh object each step`
#[test]
fn texts_are_compared_by_value() {
    assert_eq!(run("changed(call.arguments)", "given call.arguments \"{}\", \"{}\", \"{ }\""), [0, 2]);
}

/// `same object mutated in place`
#[test]
fn a_value_that_changes_in_place_is_a_change() {
    let mut scene =
        Scene::policy("x.trim", "edition 2026 policy p { rule a { when changed(context.messages) do notify \"\" } }")
            .messages([user("go")]);
    assert_eq!(scene.next().due.len(), 1);
    scene.push([assistant("so")]);
    assert_eq!([scene.next().due.len(), scene.next().due.len()], [1, 0]);
}

/// `[1] then [1,2]`
#[test]
fn a_longer_list_is_a_change_once() {
    // The facts that a rule names are fixed; what grows is a list of the application, given as a text.
    assert_eq!(host_runs("text", &["\"[1]\"", "\"[1,2]\"", "\"[1,2]\""]), [0, 1]);
}

/// `"1" instead of 1`
#[test]
fn a_value_has_the_type_of_its_fact() {
    assert_eq!(host_runs("count", &["1", "\"1\"", "2"]), [0, 2]);
    assert_eq!(host_runs("text", &["\"1\"", "\"1.0\""]), [0, 1]);
}

/// `a date with the same milliseconds`
#[test]
fn times_of_the_application_are_compared_as_durations() {
    assert_eq!(host_runs("duration", &["\"90s\"", "\"1m30s\"", "\"91s\""]), [0, 2]);
}

/// `state may also change back`
#[test]
fn values_are_compared_with_the_last_firing_and_not_with_the_last_try() {
    let rule = "changed(failures) and failures.total >= 1";
    assert_eq!(run(rule, "given failures 1, 2, 1, 2 given failures.total 1, 0, 0, 1"), [0, 3]);
    assert_eq!(run(rule, "given failures 1, 2, 1, 1 given failures.total 1, 0, 0, 1"), [0]);
}

/// `the memory is stored before the effect runs`
#[test]
fn an_effect_that_changes_its_own_fact_runs_again() {
    let mut scene = Scene::policy(
        "x.trim",
        "edition 2026 policy p { rule a { when changed(context.messages) do inject \"more\" limit 3 } }",
    )
    .messages([user("go")]);
    let fired: Vec<usize> = (0..5).map(|_| scene.next().due.len()).collect();
    assert_eq!(fired, [1, 1, 1, 0, 0]);
}

/// `a callback that does nothing`
#[test]
fn an_idle_rule_is_tried_again() {
    let mut scene =
        Scene::policy("x.trim", "edition 2026 policy p { rule a { when changed() do mask results keep 0 messages } }")
            .messages([user("go")]);
    let has_fired = |scene: &mut Scene| scene.next().due.iter().any(|rule| rule.firing.is_some());
    assert!(!has_fired(&mut scene));
    scene.push([super::call("a", "f", "{}"), super::ok("a", &super::long("x", 500))]);
    assert!(has_fired(&mut scene));
    scene.push([super::call("b", "f", "{}"), super::ok("b", &super::long("x", 500))]);
    assert!(!has_fired(&mut scene));
}

/// `exception in a callback`
#[test]
fn a_stop_remembers_and_later_rules_are_not_tried() {
    let mut scene = Scene::policy(
        "x.trim",
        "edition 2026 policy p { rule a { when changed() do stop \"\" } rule b { when changed() do notify \"\" } }",
    );
    assert_eq!(scene.request().due.len(), 1);
    assert_eq!(scene.state.rules["b"].run.fired, 0);
    // Without a new run, `a` has run and `b` has not.
    let due: Vec<usize> = scene.next().due.iter().map(|rule| rule.rule).collect();
    assert_eq!(due, [1]);
}

/// `deps same, reset, register 2, process again 2`
#[test]
fn a_new_run_forgets_the_values() {
    let policy = "edition 2026 policy p { rule a { when changed() do notify \"\" }
                  rule b { when changed(context.messages) do notify \"\" } }";
    let mut scene = Scene::policy("x.trim", policy).messages([user("go")]);
    assert_eq!([scene.request().due.len(), scene.next().due.len()], [2, 0]);
    scene.begin_run_with([user("go")]);
    assert_eq!([scene.request().due.len(), scene.next().due.len()], [2, 0]);
}

/// `dep 1, reset, 2`
#[test]
fn a_new_run_with_another_value_runs_once() {
    let policy = "edition 2026 policy p { rule b { when changed(context.messages) do notify \"\" } }";
    let mut scene = Scene::policy("x.trim", policy).messages([user("go")]);
    assert_eq!([scene.request().due.len(), scene.next().due.len()], [1, 0]);
    scene.begin_run_with([user("go"), user("on")]);
    assert_eq!([scene.request().due.len(), scene.next().due.len()], [1, 0]);
}

/// `[1], reset, [1,2]`
#[test]
fn a_new_run_with_a_longer_list_runs_once() {
    let next_run = "{\"role\":\"user\",\"content\":\"on\"}\n".to_owned() + &fact("list", "\"[1,2]\"");
    let rules = "rule a { when changed(host.list) do notify \"{run}: {host.list ?? \\\"\\\"}\" }";
    let told = notices("fact list text", rules, &[&fact("list", "\"[1]\""), &next_run]);
    assert_eq!(told, [(0, "0: [1]".to_owned()), (1, "1: [1,2]".to_owned())]);
}

/// `clearEffects, same dep`
#[test]
fn a_restored_session_remembers_the_values() {
    let plan = "edition 2026 policy p { rule a { when changed(context.messages) do notify \"\" } }";
    let plan = Arc::new(laws::plan(plan));
    let mut session = Session::new(Arc::clone(&plan), Environment::default(), 0);
    let mut history = vec![Arc::new(user("go"))];
    let mut fired = Vec::new();
    for message in [None, Some(super::call("a", "f", "{}")), Some(super::ok("a", "x"))] {
        history.extend(message.map(Arc::new));
        session.before_request(&history, None);
        fired.push(session.take_outcomes().iter().map(|(_, outcome)| outcome.signals.len()).sum::<usize>());
        let saved = serde_json::to_string(&session.save()).unwrap();
        session = Session::restore(&plan, &serde_json::from_str(&saved).unwrap()).unwrap();
        session.before_request(&history, None);
        fired.push(session.take_outcomes().iter().map(|(_, outcome)| outcome.signals.len()).sum::<usize>());
    }
    assert_eq!(fired, [1, 0, 1, 0, 1, 0]);
}

/// A rule of the property: the facts that it compares and what else it requires.
fn rule() -> impl Strategy<Value = String> {
    let facts = ["failures", "failures.total", "iteration", "tools.used", "call.name", "context.results", "run"];
    let compared = prop::collection::vec(prop::sample::select(facts.to_vec()), 0..3);
    let guard = prop::sample::select(vec!["", "limit 2", "every 2 iterations", "once until failures == 0"]);
    (prop::option::weighted(0.8, compared), guard).prop_map(|(compared, guard)| {
        let when = compared.map_or_else(String::new, |compared| format!("when changed({})", compared.join(", ")));
        format!("{when} do notify \"x\" {guard}")
    })
}

/// The calls at which each rule fires.
fn fired(rules: &[(usize, String)], events: &[generated::Event]) -> BTreeMap<usize, Vec<usize>> {
    let text: String = rules.iter().map(|(name, rule)| format!("rule r{name} {{ {rule} }} ")).collect();
    let plan = laws::plan(&format!("edition 2026 policy p {{ {text} }}"));
    let transcript = generated::transcript(events);
    let trace = replay(&plan, &transcript, &Options::default(), &mut FailingSummariser, &mut |_| {});
    rules.iter().map(|(name, _)| *name).zip(trace.rules.iter().map(|rule| rule.calls.clone())).collect()
}

proptest! {
    #![proptest_config(generated::cases(100))]

    /// `inserting, removing and reordering effects`
    #[test]
    fn other_rules_never_make_a_rule_run_or_be_skipped(
        rules in prop::collection::vec(rule(), 1..6),
        order in any::<u64>(),
        kept in prop::collection::vec(any::<bool>(), 6),
        events in generated::events(),
    ) {
        let all: Vec<(usize, String)> = rules.into_iter().enumerate().collect();
        let expected = fired(&all, &events);
        let mut some: Vec<_> = all.into_iter().filter(|(name, _)| kept[*name]).collect();
        some.sort_by_key(|(name, _)| (order >> (name * 8)) & 0xff);
        prop_assume!(!some.is_empty());
        for (name, calls) in fired(&some, &events) {
            prop_assert_eq!(&calls, &expected[&name], "r{} of {:?}", name, some);
        }
    }
}
