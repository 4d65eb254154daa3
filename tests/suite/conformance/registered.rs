//! The effects of the second system are registered anew at each step and known by their position; here, the rules of a
//! policy are fixed and known by their names.

use super::changed::{host_runs, run, runs};
use super::{Scene, plan, user};

/// `registers (1 effect)`
#[test]
fn a_policy_has_the_rules_that_are_written_in_it() {
    let plan = plan("x.trim", "edition 2026 policy p { rule a { when changed() do notify \"\" } }");
    assert_eq!(plan.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(), ["a"]);
}

/// `runs on first process with (context, modifier)`
#[test]
fn a_rule_reads_facts_and_changes_the_step_when_it_first_runs() {
    let text = "edition 2026 policy p { rule a { do inject \"{iteration}: {context.messages}\" } }";
    let mut scene = Scene::policy("x.trim", text).iteration(0).messages([user("go")]);
    scene.request();
    assert_eq!(scene.lines(), ["user: go", "user: 0: 1"]);
}

/// `two effects both run`
#[test]
fn two_equal_rules_both_run() {
    let rules = "rule a { when changed() do notify \"\" } rule b { when changed() do notify \"\" }";
    assert_eq!(runs(rules, "given iterations 2"), [[0], [0]]);
}

/// `reset: 0 effects`
#[test]
fn a_new_run_clears_what_rules_remember_and_not_the_rules() {
    let mut scene = Scene::policy("x.trim", "edition 2026 policy p { rule a { when changed() do notify \"\" } }");
    scene.request();
    assert_eq!(scene.state.rules["a"].run.fired, 1);
    scene.state.begin_run();
    assert_eq!((scene.state.rules["a"].run.fired, scene.plan.rules.len()), (0, 1));
}

/// An effect that is dropped for a step and comes back is remembered.
#[test]
fn a_rule_remembers_values_while_its_condition_is_false() {
    assert_eq!(
        run("changed(failures) and failures.total < 1", "given failures 2 x4 given failures.total 0, 1, 0, 0"),
        [0]
    );
    assert_eq!(
        run("changed(failures) and failures.total < 1", "given failures 1, 2, 2 given failures.total 0, 1, 0"),
        [0, 2]
    );
}

/// An effect that is registered later.
#[test]
fn a_rule_whose_condition_holds_later_runs_then() {
    assert_eq!(run("changed() and iteration >= 1", "given iterations 4"), [1]);
}

/// An effect that has dependencies at some steps only.
#[test]
fn a_value_that_is_unknown_for_a_step_is_two_changes() {
    assert_eq!(host_runs("count", &["1", "null", "1", "1"]), [0, 1, 2]);
    assert_eq!(host_runs("count", &["0", "null", "2"]), [0, 1, 2]);
}

/// Boxed numbers are compared by their numbers, and proxies by their tags.
#[test]
fn notations_of_a_value_are_one_value() {
    assert_eq!(host_runs("money", &["\"$1.5\"", "\"$1.50\"", "\"$2\""]), [0, 2]);
    assert_eq!(host_runs("bool", &["true", "\"true\"", "false"]), [0, 2]);
}
