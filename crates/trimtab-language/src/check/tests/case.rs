//! Checking of test blocks: their content and their errors.

use trimtab_base::quantity::Type;
use trimtab_base::source::{Source, SourceId};

use super::super::{Agent, ExpectationKind, Frequency, TestCase, assertion, format_reading};
use super::{checked, messages};
use crate::fact::{FACTS, Fact};

/// A rule that reads every fact that the tests here give.
const READS: &str = "rule b { when failures > 1 or (budget.time ?? 0s) > 30s or known(budget.cost) or known(call.name) or \
                     has_tool(\"note\") or repeats(within: 5 calls) > 1 do notify \"y\" }";

/// A file with two rules and one test.
fn file(statements: &str) -> String {
    format!(
        "edition 2026\nlet busy = 60%\npolicy p {{ rule a {{ when context.ratio >= busy do notify \"x\" }}\n{READS} }}\n\
         test \"t\" {{ {statements} }}"
    )
}

fn case(statements: &str) -> TestCase {
    let (checked, found) = checked(&file(statements));
    assert!(found.is_empty(), "{statements}: {found:#?}");
    checked.and_then(|mut checked| checked.tests.pop()).expect("one test")
}

/// The values of the first series; `-` where the fact is unknown.
fn values(given: &str) -> String {
    let case = case(&format!("given {given} expect a never fires"));
    let series = &case.given.series[0];
    let show = |value: &Option<trimtab_base::quantity::Value>| {
        value.as_ref().map_or_else(|| "-".to_owned(), |value| value.format_bare(series.reading.fact.ty))
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
        ("a fires", Frequency::Ever),
        ("a never due", Frequency::Never),
        ("a not idle", Frequency::Never),
        ("a fires at 5, 2, 5", Frequency::At(vec![2, 5])),
        ("a only fires at 2", Frequency::OnlyAt(vec![2])),
        ("a fires only at 2", Frequency::OnlyAt(vec![2])),
        ("a not blocked at 2", Frequency::NotAt(vec![2])),
        ("a not held at 2", Frequency::NotAt(vec![2])),
        ("a first fires at 2", Frequency::FirstAt(2)),
        ("a last fires at 9", Frequency::LastAt(9)),
        ("a fires 3 times", Frequency::Count(Equal, 3)),
        ("a fires 1 time", Frequency::Count(Equal, 1)),
        ("a fires at least 3 times", Frequency::Count(AtLeast, 3)),
        ("a fires at most 0 times", Frequency::Count(AtMost, 0)),
    ] {
        let case = case(&format!("given iterations 12 expect {written}"));
        assert!(
            matches!(&case.expected[0].claim, ExpectationKind::Rule(_, _, times) if *times == expected),
            "{written}"
        );
    }
}

#[test]
fn a_test_of_a_broken_policy_has_no_errors() {
    let broken = "edition 2026\npolicy p { rule a { when contxt.ratio >= 60% do notify \"x\" } }\n\
        test \"t\" { given context.ratio 70% expect b fires at 0 expect a fires }";
    assert_eq!(messages(broken).len(), 1, "{:?}", messages(broken));
}

#[test]
fn a_test_names_one_of_several_policies_and_its_rules_are_known() {
    let text = |statement: &str| {
        format!(
            "edition 2026\npolicy p {{ rule a {{ do notify \"x\" }} }}\npolicy q {{ rule b {{ do notify \"x\" }} }}\n\
             test \"t\" {{ given iterations 1 {statement} }}"
        )
    };
    assert_eq!(messages(&text("given policy q expect b fires")), Vec::<String>::new());
    assert_eq!(messages(&text("given policy q expect a fires")), ["4 E204 unknown rule `a`"]);
    assert_eq!(messages(&text("expect a fires")), ["4 E427 this file has 2 policies"]);
    assert_eq!(messages(&text("given policy r expect a fires")), ["4 E427 unknown policy `r`"]);
}

#[test]
fn an_assertion_is_checked_like_an_expectation() {
    let check = |text: &str| {
        assertion(&Source::new(SourceId(0), "--assert", format!("expect {text}")), &["a".into()], &Agent::default())
    };
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
        assert!(found.iter().any(|finding| finding.code.id.starts_with(code)), "{bad}: {found:#?}");
    }
}

/// The findings in a test of a policy with one rule.
fn found_in(rule: &str, statements: &str) -> Vec<String> {
    messages(&format!(
        "edition 2026 agent {{ fact mode text }}\npolicy p {{ rule a {{ {rule} }} }}\ntest \"t\" {{\n{statements}\n}}"
    ))
}

#[test]
fn a_given_fact_that_nothing_reads_is_an_error_with_a_suggestion() {
    let rule = "when repeats(within: 5 calls) >= 3 do notify \"x\"";
    assert_eq!(found_in(rule, "given repeats(within: 5 calls) 1, 2, 3 expect a only fires at 2"), Vec::<String>::new());
    let messages = ["4 E428 nothing in this test reads `repeats`"];
    assert_eq!(found_in(rule, "given repeats 1, 2, 3, 4 expect a never fires"), messages);
    let text = format!(
        "edition 2026\npolicy p {{ rule a {{ {rule} }} }}\ntest \"t\" {{ given repeats 1 expect a never fires }}"
    );
    let (_, found) = checked(&text);
    assert_eq!(found[0].help.as_deref(), Some("write `repeats(within: 5 calls)`, which the policy reads"));
    assert_eq!(found[0].fixes[0].edits[0].text, "repeats(within: 5 calls)");
    assert_eq!(
        found_in(rule, "given failures 1 expect a never fires"),
        ["4 E428 nothing in this test reads `failures`"]
    );
}

#[test]
fn a_given_fact_is_used_if_any_condition_or_text_reads_it() {
    for (rule, statements) in [
        ("when context.tokens > 5k tokens do notify \"x\"", "given context.ratio 40% expect a fires"),
        ("when context.ratio > 5% do notify \"x\"", "given context.free 40k tokens expect a fires"),
        ("do notify \"{failures} in a row\"", "given failures 2 expect a fires"),
        ("when iteration > 0 do notify \"x\" once per failures", "given failures 2 expect a never fires"),
        ("do notify \"x\" until failures > 2", "given failures 2 expect a fires"),
        ("do notify \"x\" unless failures > 2", "given failures 2 expect a fires"),
        ("do notify \"x\"", "given user \"go\" given failures 2 expect peak failures == 2"),
    ] {
        assert_eq!(found_in(rule, statements), Vec::<String>::new(), "{rule} | {statements}");
    }
}

#[test]
fn impossible_values_and_calls_are_errors() {
    let rule = "when repeats(within: 5 calls) >= 3 or repeats(within: 9 calls, in: run) > 2 do notify \"x\"";
    for (statements, message) in [
        ("given repeats(within: 5 calls) 9 expect a fires", "E423 `repeats(within: 5 calls)` can never reach 9 calls"),
        (
            "given repeats(within: 5 calls) 1..6 expect a fires",
            "E423 `repeats(within: 5 calls)` can never reach 6 calls",
        ),
        (
            "given repeats(within: 9 calls, in: run) 9, 10 x3 expect a fires",
            "E423 `repeats(within: 9 calls, in: run)` can never reach 10 calls",
        ),
        ("given repeats(within: 5 calls) 1, 2 expect a not fires at 99", "E429 call 99 is out of range"),
        ("given iterations 12 expect a fires at 3, 12", "E429 call 12 is out of range"),
        ("given user \"go\" given call bash x3 expect a not fires at 4", "E429 call 4 is out of range"),
        ("given user \"go\" expect context at 1 contains \"go\"", "E429 call 1 is out of range"),
        ("given user \"go\" expect context.messages at 1 > 0", "E429 call 1 is out of range"),
    ] {
        assert_eq!(found_in(rule, statements), [format!("4 {message}")], "{statements}");
    }
    assert_eq!(found_in(rule, "given user \"go\" given call bash x3 expect a not fires at 3"), Vec::<String>::new());
}

#[test]
fn calls_of_one_reply_have_commas_between_them() {
    let rule = "when failures >= 1 do notify \"x\"";
    for statements in [
        "given call bash \"make\" fails x5 expect a fires",
        "given call bash fails expect a fires",
        "given call bash \"a\" \"b\" expect a fires",
        "given call bash \"a\" # , \n grep \"b\" expect a fires",
    ] {
        let found = found_in(rule, statements);
        assert!(
            found.len() == 1 && found[0].contains("E422 unexpected value after a complete call"),
            "{statements}: {found:?}"
        );
    }
    let (_, found) = checked(&format!(
        "edition 2026\npolicy p {{ rule a {{ {rule} }} }}\ntest \"t\" {{ given call bash \"make\" fails expect a fires }}"
    ));
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("`given failure of bash(\"make\")`"), "{help}");
    for statements in ["given call bash \"make\", fails x5", "given call bash \"a\", # why\n grep \"b\""] {
        assert_eq!(found_in(rule, &format!("{statements} expect a never fires")), Vec::<String>::new(), "{statements}");
    }
}

/// A given value for every fact, with a condition that reads it.
fn instances() -> Vec<(&'static Fact, String, &'static str)> {
    // A test counts these itself, or sets them for the agent.
    let excluded = ["iteration", "run", "changed", "fired", "since", "failed", "model", "window"];
    let mut all = Vec::new();
    for fact in FACTS.iter().filter(|fact| !excluded.contains(&fact.name)) {
        for example in fact.examples {
            let (checked, found) = checked(&format!(
                "edition 2026 agent {{ fact mode text }}\npolicy p {{ rule a {{ when {example} do notify \"x\" }} }}\n"
            ));
            let checked = checked.unwrap_or_else(|| unreachable!("{example}: {found:#?}"));
            let readings = checked.policies[0].rules[0].readings();
            let sample = match fact.ty {
                Type::Number(unit) => unit.sample(),
                Type::Bool => "true",
                _ => "\"a\"",
            };
            let named = readings.iter().filter(|reading| std::ptr::eq(reading.fact, *fact));
            all.extend(named.map(|reading| (*fact, format!("given {} {sample}", format_reading(reading)), *example)));
        }
    }
    all
}

#[test]
fn every_fact_can_be_given_as_it_is_read_and_no_fact_for_another() {
    let all = instances();
    assert!(all.len() > FACTS.len() / 2);
    for (fact, given, _) in &all {
        for (other, as_read, example) in &all {
            let group = |fact: &Fact| fact.name.split('.').next().unwrap_or_default().to_owned();
            let size = ["context", "reported"].contains(&group(fact).as_str()) && group(fact) == group(other);
            if example.contains(fact.name) && given != as_read || size {
                continue;
            }
            let found = found_in(&format!("when {example} do notify \"x\""), &format!("{given} expect a fires"));
            if given == as_read {
                assert_eq!(found, Vec::<String>::new(), "{given}, read by {example}");
            } else {
                assert!(found.len() == 1 && found[0].contains("E428"), "{given}, read by {example}: {found:?}");
            }
        }
    }
}
