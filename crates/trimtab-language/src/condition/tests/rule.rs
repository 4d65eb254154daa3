//! Guards of a rule, redundant parts of a condition, and overlaps on boundaries.

use trimtab_base::source::Span;

use super::{all, format, implied, known, of, rule};
use crate::condition::{
    Assumptions, Implication, Redundancy, SearchResult, boundary, due, find, implies, overlap, redundant,
};

#[test]
fn a_guard_restricts_when_a_rule_may_be_due() {
    let assumptions = known();
    let never = |clauses: &str| find(&due(&rule(clauses)), &assumptions) == SearchResult::Impossible;
    assert!(never("when iteration < 5 every 5 iterations"));
    assert!(!never("when iteration <= 5 every 5 iterations"));
    assert!(!never("when iteration < 5 once cooldown 9 iterations limit 1"));
    assert!(!never("when iteration < 0 until failures > 3"), "over-approximated: it could have been latched");
    let grown = due(&rule("when known(result.tokens) until failures > 3 once per result.tokens"));
    assert_eq!(implies(&grown, &of("known(result.tokens)"), &assumptions), Implication::Proved);
}

#[test]
fn a_rule_with_until_stays_due_until_the_end_condition_holds() {
    let latched = due(&rule("when context.ratio >= 80% until context.ratio < 50%"));
    for assumptions in [known(), Assumptions::default()] {
        assert_eq!(overlap(&latched, &of("context.ratio < 50%"), &assumptions), SearchResult::Impossible);
        assert!(matches!(overlap(&latched, &of("context.ratio < 60%"), &assumptions), SearchResult::Witness(_)));
    }
}

/// The redundant parts of a condition as written, and why they are redundant.
fn redundant_parts(condition: &str) -> Vec<(String, Redundancy)> {
    let text = format!("edition 2026\npolicy p {{\n  rule a {{ when {condition}");
    let condition = of(condition);
    let part = |span: Span| text.get(span.range()).expect("a place in the text").to_owned();
    redundant(&condition, &known()).into_iter().map(|redundant| (part(redundant.part), redundant.reason)).collect()
}

#[test]
fn a_part_that_another_implies_is_redundant() {
    let parts = |condition: &str| redundant_parts(condition).into_iter().map(|(part, _)| part).collect::<Vec<_>>();
    assert_eq!(parts("context.ratio > 80% and context.ratio > 60%"), ["context.ratio > 60%"]);
    assert_eq!(parts("context.ratio > 60% and context.ratio > 80%"), ["context.ratio > 60%"]);
    assert_eq!(parts("context.ratio > 80% or context.ratio > 60%"), ["context.ratio > 80%"]);
    assert_eq!(parts("failures > 2 and failures > 2"), ["failures > 2"]);
    assert_eq!(parts("iteration > 2 and (failures > 1 or failures > 3)"), ["failures > 3"]);
    assert_eq!(parts("context.ratio > 80% and failures > 2"), [""; 0]);
    assert_eq!(parts("failures > 2 and failures < 1"), [""; 0], "the whole never holds");
}

#[test]
fn the_reason_names_the_part_that_implies_it() {
    let reasons =
        |condition: &str| redundant_parts(condition).into_iter().map(|(_, reason)| reason).collect::<Vec<_>>();
    assert_eq!(reasons("failures > 2 and iteration >= 0"), [Redundancy::Always]);
    assert_eq!(reasons("failures > 2 or repeats > 10"), [Redundancy::Never]);
    assert!(matches!(reasons("failures > 2 and failures > 1")[..], [Redundancy::Part(_)]));
    assert_eq!(
        reasons("iteration > 1 and (failures > 3 or repeats > 3) and (failures > 2 or repeats > 2 or run > 5)").len(),
        1
    );
    assert_eq!(reasons("failures != 1 and failures != 2 and failures <= 2 and failures < 1"), [Redundancy::Others]);
}

#[test]
fn conditions_may_overlap_on_their_boundaries_only() {
    let overlap = |a: &str, b: &str, assumptions: &Assumptions| format(boundary(&of(a), &of(b), assumptions));
    for assumptions in [known(), Assumptions::default()] {
        let met = "context.ratio = 80% (160,000 of 200,000 tokens)";
        assert_eq!(overlap("context.ratio <= 80%", "context.ratio >= 80%", &assumptions), met);
        assert_eq!(overlap("not context.ratio > 80%", "context.ratio >= 80%", &assumptions), met);
        assert_eq!(overlap("context.ratio < 80%", "context.ratio >= 80%", &assumptions), "impossible");
        assert_eq!(overlap("context.ratio <= 80%", "context.ratio >= 70%", &assumptions), "impossible");
        assert_eq!(overlap("context.ratio >= 80%", "context.ratio >= 80%", &assumptions), "impossible");
    }
    assert_eq!(overlap("failures <= 3", "failures >= 3", &known()), "failures = 3");
    assert_eq!(overlap("failures <= 4", "failures >= 3", &known()), "impossible");
    assert_eq!(overlap("repeats >= 10", "repeats >= 10", &known()), "impossible");
    assert_eq!(overlap("failures <= 3 and run > 1", "failures >= 3 and run > 5", &known()), "failures = 3, run = 6");
}

#[test]
fn comparisons_of_iterations_are_decided() {
    all("never", &known(), &["iteration >= 5 and iteration < 5"]);
    assert!(implied("iteration >= 5", "iteration > 4", &known()));
}
