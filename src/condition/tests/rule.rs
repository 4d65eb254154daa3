//! What the guards of a rule say, what can be left out of a condition, and where two only touch.

use super::{all, found, implied, known, of, rule};
use crate::condition::{Answer, Because, Found, World, boundary, due, find, implies, overlap, redundant};
use crate::source::Span;

#[test]
fn a_guard_tells_when_a_rule_may_be_due() {
    let world = known();
    let never = |clauses: &str| find(&due(&rule(clauses)), &world) == Found::Nothing;
    assert!(never("when iteration < 5 every 5 iterations"));
    assert!(!never("when iteration <= 5 every 5 iterations"));
    assert!(!never("when iteration < 5 once cooldown 9 iterations limit 1"));
    assert!(!never("when iteration < 0 until failures > 3"), "over-approximated: it could have been latched");
    let grown = due(&rule("when known(result.tokens) until failures > 3 once per result.tokens"));
    assert_eq!(implies(&grown, &of("known(result.tokens)"), &world), Answer::Yes);
}

#[test]
fn an_until_keeps_a_rule_due_where_its_end_does_not_hold() {
    let latched = due(&rule("when context.ratio >= 80% until context.ratio < 50%"));
    for world in [known(), World::default()] {
        assert_eq!(overlap(&latched, &of("context.ratio < 50%"), &world), Found::Nothing);
        assert!(matches!(overlap(&latched, &of("context.ratio < 60%"), &world), Found::Witness(_)));
    }
}

/// What can be left out of a condition, as written, and why.
fn left_out(condition: &str) -> Vec<(String, Because)> {
    let text = format!("edition 2026\npolicy p {{\n  rule a {{ when {condition}");
    let condition = of(condition);
    let part = |span: Span| text.get(span.range()).expect("a place in the text").to_owned();
    redundant(&condition, &known()).into_iter().map(|one| (part(one.part), one.because)).collect()
}

#[test]
fn a_part_that_says_less_than_another_can_be_left_out() {
    let parts = |condition: &str| left_out(condition).into_iter().map(|(part, _)| part).collect::<Vec<_>>();
    assert_eq!(parts("context.ratio > 80% and context.ratio > 60%"), ["context.ratio > 60%"]);
    assert_eq!(parts("context.ratio > 60% and context.ratio > 80%"), ["context.ratio > 60%"]);
    assert_eq!(parts("context.ratio > 80% or context.ratio > 60%"), ["context.ratio > 80%"]);
    assert_eq!(parts("failures > 2 and failures > 2"), ["failures > 2"]);
    assert_eq!(parts("iteration > 2 and (failures > 1 or failures > 3)"), ["failures > 3"]);
    assert_eq!(parts("context.ratio > 80% and failures > 2"), [""; 0]);
    assert_eq!(parts("failures > 2 and failures < 1"), [""; 0], "it never holds, which says more");
}

#[test]
fn the_reason_names_the_part_that_says_as_much() {
    let reasons = |condition: &str| left_out(condition).into_iter().map(|(_, because)| because).collect::<Vec<_>>();
    assert_eq!(reasons("failures > 2 and iteration >= 0"), [Because::Always]);
    assert_eq!(reasons("failures > 2 or repeats > 10"), [Because::Never]);
    assert!(matches!(reasons("failures > 2 and failures > 1")[..], [Because::Part(_)]));
    assert_eq!(
        reasons("iteration > 1 and (failures > 3 or repeats > 3) and (failures > 2 or repeats > 2 or run > 5)").len(),
        1
    );
    assert_eq!(reasons("failures != 1 and failures != 2 and failures <= 2 and failures < 1"), [Because::Others]);
}

#[test]
fn conditions_touch_where_one_ends_and_the_other_begins() {
    let touch = |a: &str, b: &str, world: &World| found(boundary(&of(a), &of(b), world));
    for world in [known(), World::default()] {
        let met = "context.ratio = 80% (160,000 of 200,000 tokens)";
        assert_eq!(touch("context.ratio <= 80%", "context.ratio >= 80%", &world), met);
        assert_eq!(touch("not context.ratio > 80%", "context.ratio >= 80%", &world), met);
        assert_eq!(touch("context.ratio < 80%", "context.ratio >= 80%", &world), "nothing");
        assert_eq!(touch("context.ratio <= 80%", "context.ratio >= 70%", &world), "nothing");
        assert_eq!(touch("context.ratio >= 80%", "context.ratio >= 80%", &world), "nothing");
    }
    assert_eq!(touch("failures <= 3", "failures >= 3", &known()), "failures = 3");
    assert_eq!(touch("failures <= 4", "failures >= 3", &known()), "nothing");
    assert_eq!(touch("repeats >= 10", "repeats >= 10", &known()), "nothing");
    assert_eq!(touch("failures <= 3 and run > 1", "failures >= 3 and run > 5", &known()), "failures = 3, run = 6");
}

#[test]
fn what_the_guards_say_is_said_of_implications_too() {
    all("never", &known(), &["iteration >= 5 and iteration < 5"]);
    assert!(implied("iteration >= 5", "iteration > 4", &known()));
}
