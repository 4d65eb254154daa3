//! Decisions about conditions of all kinds.

mod iterations;
mod meaning;
mod rule;
mod structural;

use trimtab_base::source::{Source, SourceId};
use trimtab_syntax::syntax;

use super::{Assumptions, Decision, Implication, SearchResult, decide, find, gap, holds, implies, overlap};
use crate::check::{self, Condition, Rule};

/// A checked rule with these clauses, beside rules `b` and `c`.
fn rule(clauses: &str) -> Rule {
    let text = format!(
        "edition 2026\npolicy p {{\n  rule a {{ {clauses} do notify \"x\" }}\n  rule b {{ do notify \"y\" }}\n  rule c {{ do notify \"z\" }}\n}}\n"
    );
    let source = Source::new(SourceId::default(), "a.trim", text.as_str());
    let (file, found) = syntax::parse(&source);
    let (checked, wrong) = check::check(&file);
    let mut policies = checked.unwrap_or_else(|| unreachable!("{text}\n{found:#?}{wrong:#?}")).policies;
    policies.remove(0).rules.remove(0)
}

fn of(condition: &str) -> Condition {
    rule(&format!("when {condition}")).condition
}

/// A window of 200,000 tokens, 10,000 of them kept free.
fn known() -> Assumptions {
    Assumptions { window: Some(200_000), reserve: Some(10_000), ..Assumptions::default() }
}

/// The decision as a word, after the evaluator has confirmed its witnesses.
fn decision(condition: &str, assumptions: &Assumptions) -> String {
    let condition = of(condition);
    match decide(&condition, assumptions) {
        Decision::Never => "never".to_owned(),
        Decision::Always => "always".to_owned(),
        Decision::Sometimes { holds: yes, fails: no } => {
            assert_eq!((holds(&condition, &yes), holds(&condition, &no)), (Some(true), Some(false)));
            "sometimes".to_owned()
        }
        Decision::TooLarge(why) => why,
    }
}

fn all(expected: &str, assumptions: &Assumptions, conditions: &[&str]) {
    for condition in conditions {
        assert_eq!(decision(condition, assumptions), expected, "{condition}");
    }
}

fn implied(a: &str, b: &str, assumptions: &Assumptions) -> bool {
    implies(&of(a), &of(b), assumptions) == Implication::Proved
}

fn format(found: SearchResult) -> String {
    match found {
        SearchResult::Impossible => "impossible".to_owned(),
        SearchResult::Witness(witness) => witness.to_string(),
        SearchResult::TooLarge(why) => why,
    }
}

#[test]
fn a_witness_is_formatted_like_a_condition() {
    let witness = |condition: &str, assumptions: &Assumptions| format(find(&of(condition), assumptions));
    let cases = [
        ("context.ratio >= 80% and iteration == 0", "context.ratio = 90% (180,000 of 200,000 tokens), iteration = 0"),
        ("context.tokens >= 80%", "context.tokens = 180,000 tokens, a window of 200,000 tokens"),
        ("not known(result.error)", "result.error is unknown"),
        ("repeats(within: 5 calls) == 5 calls", "repeats(within: 5 calls) = 5"),
    ];
    for (condition, expected) in cases {
        assert_eq!(witness(condition, &known()), expected);
    }
    let cases = [
        ("context.ratio >= 80%", "context.ratio = 90% (180,000 of 200,000 tokens)"),
        ("context.tokens >= 100k tokens", "context.tokens = 110,000 tokens"),
    ];
    for (condition, expected) in cases {
        assert_eq!(witness(condition, &Assumptions::default()), expected);
    }
}

#[test]
fn overlaps_gaps_and_implications_are_decided() {
    let (low, high) = (of("context.ratio < 60%"), of("context.ratio >= 70%"));
    for assumptions in [known(), Assumptions::default()] {
        assert_eq!(overlap(&low, &high, &assumptions), SearchResult::Impossible);
        assert!(format(gap(&[&low, &high], &assumptions)).starts_with("context.ratio = 65%"));
        assert_eq!(gap(&[&low, &of("context.ratio >= 60%")], &assumptions), SearchResult::Impossible);
        assert!(implied("context.ratio >= 70%", "context.ratio >= 60%", &assumptions));
        assert!(!implied("context.ratio >= 60%", "context.ratio >= 70%", &assumptions));
    }
}

#[test]
fn too_many_tests_are_not_decided() {
    let many: Vec<String> = (0..600).map(|number| format!("failures == {number}")).collect();
    assert_eq!(decision(&many.join(" or "), &known()), "600 comparisons are more than can be decided together");
    let many: Vec<String> = (0..100).map(|number| format!("failures == {}", number * 2)).collect();
    assert_eq!(
        decision(&many.join(" or "), &known()),
        "`failures` is compared with more constants than can be decided together"
    );
}
