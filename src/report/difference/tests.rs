use super::*;
use crate::diff::compare;
use crate::pipeline::compile;
use crate::plan::lower;
use crate::report::Look;

fn plan(rules: &str) -> Plan {
    let compiled = compile("p.trim", &format!("edition 2026\npolicy p {{ {rules} }}\n"));
    lower(&compiled.checked.expect("a policy without errors"), None).expect("one policy")
}

fn shown(before: &str, after: &str) -> (String, String) {
    let (before, after) = (plan(before), plan(after));
    let versus = Versus {
        before: Side { file: "a.trim", plan: &before },
        after: Side { file: "b.trim", plan: &after },
        difference: &compare(&before, &after),
        replays: None,
        unread: &[],
    };
    (difference(&versus, Look { width: 80, color: false, unicode: true }), difference_markdown(&versus))
}

#[test]
fn a_rule_that_changed_has_a_line_and_others_have_none() {
    let (people, _) = shown(
        "rule a { when context.ratio >= 80% do mask results } rule b { do notify \"x\" }",
        "rule a { when context.ratio >= 70% do mask results } rule b { do notify \"x\" }",
    );
    assert!(people.starts_with("a (request): fires more, e.g. context.ratio = 7"), "{people}");
    assert_eq!(people.lines().count(), 1, "{people}");
}

#[test]
fn effects_are_shown_before_and_after() {
    let (people, page) = shown("rule a { do notify \"x|y\" }", "rule a { do notify \"z\" }");
    assert_eq!(people, "a (request): does something else\n  before  notify \"x|y\"\n  after   notify \"z\"\n");
    assert!(page.contains("| a (request) | does something else | notify \"x\\|y\" | notify \"z\" |"), "{page}");
}

#[test]
fn what_means_the_same_is_the_same() {
    let (people, page) =
        shown("rule a { when run > 0 do notify \"x\" }", "rule a { when not run <= 0 do notify \"x\" }");
    assert!(people.starts_with("the same: every rule"), "{people}");
    assert!(page.contains("the same: every rule"), "{page}");
}
