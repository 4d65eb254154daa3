//! Tests of the language: what they hold, and what is found in them.

use super::super::{Case, Claim, Times, assertion};
use super::{checked, said};
use crate::source::{Source, SourceId};

/// A file with one rule and one test.
fn file(statements: &str) -> String {
    format!(
        "edition 2026\nlet busy = 60%\npolicy p {{ rule a {{ when context.ratio >= busy do notify \"x\" }} }}\n\
         test \"t\" {{ {statements} }}"
    )
}

fn case(statements: &str) -> Case {
    let (checked, found) = checked(&file(statements));
    assert!(found.is_empty(), "{statements}: {found:#?}");
    checked.and_then(|mut checked| checked.tests.pop()).expect("one test")
}

/// The values of the first series; `-` where the fact is unknown.
fn values(given: &str) -> String {
    let case = case(&format!("given {given} expect a never fires"));
    let series = &case.given.series[0];
    let show = |value: &Option<crate::quantity::Value>| {
        value.as_ref().map_or_else(|| "-".to_owned(), |value| value.spoken(series.reading.fact.ty))
    };
    series.values.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_series_is_values_ranges_and_repeats() {
    for (written, expected) in [
        ("context.ratio 40%, 55% 62%", "40% 55% 62%"),
        ("context.ratio 40% x3, busy, 90%", "40% 40% 40% 60% 90%"),
        ("context.ratio 40%..60% by 10%, 10%", "40% 50% 60% 10%"),
        ("context.ratio 40%..55% by 10%", "40% 50%"),
        ("context.ratio 60%..40% by 10%", "60% 50% 40%"),
        ("context.tokens 10k..40k by 10k tokens", "10000 20000 30000 40000"),
        ("failures 1..3, 0 x2", "1 2 3 0 0"),
        ("failures 4..1 by 2", "4 2"),
        ("budget.time 30s, 2m", "30s 2m"),
        ("budget.cost unknown x2, $1.50", "- - $1.50"),
        ("call.name bash, \"read file\", unknown", "bash read file -"),
        ("has_tool(\"note\") true, false x2", "true false false"),
        ("repeats(within: 5 calls) 1 call, 3", "1 3"),
    ] {
        assert_eq!(values(written), expected, "{written}");
    }
}

#[test]
fn an_outcome_of_a_rule_says_when_and_how_often() {
    use crate::check::Comparison::{AtLeast, AtMost, Equal};
    for (written, expected) in [
        ("a fires", Times::Ever),
        ("a never due", Times::Never),
        ("a not idle", Times::Never),
        ("a fires at 5, 2, 5", Times::At(vec![2, 5])),
        ("a only fires at 2", Times::OnlyAt(vec![2])),
        ("a fires only at 2", Times::OnlyAt(vec![2])),
        ("a not held at 2", Times::NotAt(vec![2])),
        ("a first fires at 2", Times::FirstAt(2)),
        ("a last fires at 9", Times::LastAt(9)),
        ("a fires 3 times", Times::Count(Equal, 3)),
        ("a fires 1 time", Times::Count(Equal, 1)),
        ("a fires at least 3 times", Times::Count(AtLeast, 3)),
        ("a fires at most 0 times", Times::Count(AtMost, 0)),
    ] {
        let case = case(&format!("given iterations 12 expect {written}"));
        assert!(matches!(&case.expected[0].claim, Claim::Rule(_, _, times) if *times == expected), "{written}");
    }
}

#[test]
fn nothing_is_found_in_a_test_of_what_is_broken_elsewhere() {
    let broken = "edition 2026\npolicy p { rule a { when contxt.ratio >= 60% do notify \"x\" } }\n\
        test \"t\" { given context.ratio 70% expect b fires at 0 expect a fires }";
    assert_eq!(said(broken).len(), 1, "{:?}", said(broken));
}

#[test]
fn a_test_says_which_of_several_policies_it_means_and_knows_its_rules() {
    let text = |statement: &str| {
        format!(
            "edition 2026\npolicy p {{ rule a {{ do notify \"x\" }} }}\npolicy q {{ rule b {{ do notify \"x\" }} }}\n\
             test \"t\" {{ given iterations 1 {statement} }}"
        )
    };
    assert_eq!(said(&text("given policy q expect b fires")), Vec::<String>::new());
    assert_eq!(said(&text("given policy q expect a fires")), ["4 E204 unknown rule `a`"]);
    assert_eq!(said(&text("expect a fires")), ["4 E427 this file holds 2 policies"]);
    assert_eq!(said(&text("given policy r expect a fires")), ["4 E427 unknown policy `r`"]);
}

#[test]
fn an_assertion_is_checked_as_an_expectation_is() {
    let check = |text: &str| assertion(&Source::new(SourceId(0), "--assert", format!("expect {text}")), &["a".into()]);
    for good in ["peak context.ratio <= 90%", "a fires at 2", "tokens_saved >= 20k tokens", "invariants hold"] {
        assert!(check(good).is_ok(), "{good}");
    }
    for (bad, code) in [
        ("b fires", "E204"),
        ("peak context.ratio <= 90", "E301"),
        ("", "E1"),
        ("a fires expect a fires", "E1"),
        ("a fires }", "E1"),
        ("((((((((((((((((((((((((((((((((((((", "E1"),
    ] {
        let found = check(bad).expect_err("it is wrong");
        assert!(found.iter().any(|one| one.code.id.starts_with(code)), "{bad}: {found:#?}");
    }
}
