//! Properties of every pair of guards, written in one rule, inherited or joined by a fix.

use proptest::prelude::*;
use serde_json::Value as Json;
use trimtab::diagnostic::{Diagnostic, Fix};
use trimtab::lint::{Settings, apply_fixes};
use trimtab::pipeline;
use trimtab::plan::Plan;
use trimtab::source::SourceId;

use crate::compose::{page, plan};
use crate::laws::contexts;
use crate::{generated, lint};

/// One guard of each form and scope; guards with the same number replace each other.
const GUARDS: [(u8, &str); 14] = [
    (0, "once"),
    (0, "once in session"),
    (0, "once per failures"),
    (0, "once per failures in session"),
    (0, "once until context.ratio < 20%"),
    (0, "once until context.ratio < 20% in session"),
    (1, "until context.ratio < 30%"),
    (1, "until context.ratio < 30% in session"),
    (2, "every 4 iterations"),
    (2, "every 4 iterations in session"),
    (3, "cooldown 2 iterations"),
    (3, "cooldown 2 iterations in session"),
    (4, "limit 3"),
    (4, "limit 3 in session"),
];

/// Every ordered pair of guards that one rule may have.
fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = |one: (u8, &'static str)| {
        GUARDS.iter().filter(move |other| other.0 != one.0).map(move |other| (one.1, other.1))
    };
    GUARDS.into_iter().flat_map(of)
}

/// The guards of the only rule of a plan, in one order.
fn guards(plan: &Plan) -> Vec<String> {
    let json = plan.json();
    let mut all: Vec<String> = json["rules"][0]["guards"].as_array().unwrap().iter().map(Json::to_string).collect();
    all.sort();
    all
}

fn compiled(text: &str) -> Plan {
    plan(&pipeline::compile("case.trim", text))
}

#[test]
fn guards_of_two_policies_are_inspected_without_changing_their_meaning() {
    for (first, second) in pairs() {
        let text = format!(
            "edition 2026\npolicy base {{ rule a {{ when failures >= 1 unless iteration < 2 do notify \"x\" {first} }} }}\n\
             policy mine extends base {{ override rule a {{ {second} }} }}\n"
        );
        let whole = pipeline::compile("case.trim", &text);
        let page = page(&whole);
        let again = compiled(&page);
        assert_eq!(guards(&plan(&whole)).len(), 2, "{text}");
        assert_eq!(plan(&whole).hash, again.hash, "{text}\n{page}");
    }
}

#[test]
fn the_order_of_guards_does_not_change_the_hash() {
    let hash = |clauses: &str| compiled(&format!("edition 2026\npolicy p {{ rule a {{ {clauses} }} }}\n")).hash;
    for (first, second) in pairs() {
        let effect = "do notify \"x\"";
        let [one, other] = [(first, second), (second, first)].map(|(a, b)| hash(&format!("{a} {effect} {b}")));
        assert_eq!(one, other, "{first}, {second}");
    }
}

fn found(text: &str) -> Vec<Diagnostic> {
    let mut settings = Settings::default();
    settings.extend("all").unwrap();
    lint::found(text, &settings)
}

/// A rule with these clauses, separated by the layout.
fn rule(clauses: &[&str], between: &str) -> String {
    format!("edition 2026\n\npolicy p \"p\" {{\n  rule a {{{between}{}{between}}}\n}}\n", clauses.join(between))
}

/// Clauses that fixes remove, beside some that they keep.
const BETWEEN: [&[&str]; 7] = [
    &["limit 3"],
    &["cooldown 2 iterations"],
    &["limit 3", "cooldown 1 iteration"],
    &["on request"],
    &["unless failures < 1"],
    &["on request", "limit 2", "unless failures < 1"],
    &["limit 3 # at most"],
];

/// A text after one fix.
pub(crate) fn edited(text: &str, fix: &Fix) -> String {
    let mut out = text.to_owned();
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.span.start, edit.span.end)));
    for edit in edits {
        out.replace_range(edit.span.range(), &edit.text);
    }
    out
}

#[test]
fn no_fix_joins_two_guards_into_another() {
    let mut moved = 0;
    for ((first, second), between) in pairs().flat_map(|pair| BETWEEN.map(|between| (pair, between))) {
        let is_close = first == "once" && second.starts_with("until");
        for layout in if is_close { ["\n    ", " "].as_slice() } else { &["\n    "] } {
            let mut clauses = vec!["when failures >= 1", "do notify \"x\"", first];
            clauses.extend(between);
            clauses.push(second);
            let text = rule(&clauses, layout);
            let whole = pipeline::compile("case.trim", &text);
            if whole.checked.is_none() {
                continue;
            }
            let before = guards(&plan(&whole));
            let fixed = apply_fixes(&text, SourceId(0), true, &mut |text| found(text)).text;
            let fixes = found(&text).into_iter().flat_map(|finding| finding.fixes);
            for after in fixes.map(|fix| edited(&text, &fix)).chain([fixed]) {
                moved += usize::from(after.contains("30% once") || after.contains("30%\n    once"));
                assert!(guards(&compiled(&after)).iter().all(|guard| before.contains(guard)), "{text}\n{after}");
            }
        }
    }
    assert!(moved > 0, "`once` is moved after `until` somewhere");
}

#[test]
fn fixes_between_once_and_until_leave_until_first() {
    let text =
        rule(&["when failures >= 1", "do notify \"x\"", "once", "limit 3", "until context.ratio < 30%"], "\n    ");
    let fixed = apply_fixes(&text, SourceId(0), false, &mut |text| lint::found(text, &Settings::default()));
    let wanted = rule(&["when failures >= 1", "do notify \"x\"", "until context.ratio < 30%", "once"], "\n    ");
    assert_eq!(fixed.text.replace("\n  }", "\n    }"), wanted);
    let line = text.replace("once\n    limit 3\n    until", "once limit 3 until");
    let fixed = apply_fixes(&line, SourceId(0), false, &mut |text| lint::found(text, &Settings::default()));
    assert!(fixed.text.contains("until context.ratio < 30% once"), "{}", fixed.text);
}

/// The rules of a finding of `duplicate-rule`: the duplicate and the original.
fn repeated(text: &str) -> Option<(String, String)> {
    let one =
        lint::found(text, &Settings::default()).into_iter().find(|finding| finding.code.id == "duplicate-rule")?;
    let names: Vec<&str> = one.message.split('`').skip(1).step_by(2).collect();
    Some((names[0].to_owned(), names[1].to_owned()))
}

fn two(first: &str, second: &str) -> String {
    format!(
        "edition 2026\npolicy p {{\n  rule a {{ do notify \"x\" {first} }}\n  rule b {{ do notify \"x\" {second} }}\n}}\n"
    )
}

#[test]
fn a_duplicate_rule_is_found_regardless_of_its_guards() {
    let condition = "when failures >= 1";
    let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
    for (first, second) in pairs() {
        for (guards, turned) in [
            (first.to_owned(), first.to_owned()),
            (format!("{second} {condition} {first}"), format!("{first} {condition} {second}")),
        ] {
            let [guards, turned] =
                [guards, turned].map(|one| if one.contains("when") { one } else { format!("{condition} {one}") });
            assert_eq!(repeated(&two(&guards, &turned)), pair("b", "a"), "{guards}, {turned}");
            // A rule that is always due is not a duplicate of a guarded rule, but a guarded rule is a duplicate of it.
            let found = if guards.contains("30%") { None } else { pair("a", "b") };
            assert_eq!(repeated(&two(&guards, condition)), found, "{guards}");
        }
        assert_eq!(
            repeated(&two(&format!("{condition} {first}"), &format!("{condition} {second}"))),
            None,
            "{first}, {second}"
        );
    }
}

/// No, one or two guards.
fn some_guards() -> impl Strategy<Value = String> {
    prop::collection::btree_map(0..5u8, prop::sample::Index::arbitrary(), 0..3).prop_map(|chosen| {
        let one = |(kind, index): (u8, prop::sample::Index)| {
            let forms: Vec<&str> = GUARDS.iter().filter(|(of, _)| *of == kind).map(|(_, form)| *form).collect();
            *index.get(&forms)
        };
        chosen.into_iter().rev().map(one).collect::<Vec<_>>().join(" ")
    })
}

proptest! {
    #![proptest_config(generated::cases(128))]

    #[test]
    fn a_duplicate_rule_fires_only_if_the_original_does(
        events in generated::events(),
        conditions in prop::sample::subsequence(vec!["when failures >= 1", "when failures >= 2", "when context.ratio >= 20%", ""], 1..3),
        (guards, others) in (some_guards(), some_guards()),
        same in any::<bool>(),
    ) {
        let others = if same { &guards } else { &others };
        let first = format!("{} {guards}", conditions[0]);
        let second = format!("{} {others}", conditions.last().unwrap());
        let text = two(&first, &second);
        if let Some((spare, kept)) = repeated(&text) {
            let trace = contexts(&compiled(&text), &generated::transcript(&events), false).0;
            let calls = |name: &str| &trace.rules.iter().find(|rule| rule.name == name).unwrap().calls;
            prop_assert!(calls(&spare).iter().all(|call| calls(&kept).contains(call)), "{text}");
        }
    }
}
