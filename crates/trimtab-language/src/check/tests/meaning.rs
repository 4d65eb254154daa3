//! The content of checked policies.

use trimtab_base::quantity::{Decimal, Value};

use super::super::policy::{
    Argument, Comparison, Condition, FailureAction, Guard, Label, Operand, Relation, TextPiece,
};
use super::{checked, rule_from};
use crate::phase::Phase;

fn tests(condition: &Condition) -> Vec<String> {
    match condition {
        Condition::Constant(truth) => vec![truth.to_string()],
        Condition::All(parts) => parts.iter().flat_map(tests).collect(),
        Condition::Any(parts) => vec![format!("any {}", parts.iter().flat_map(tests).collect::<Vec<_>>().join(" | "))],
        Condition::Not(inner) => vec![format!("not {}", tests(inner).join(" & "))],
        Condition::Test(test) => {
            let relation = match &test.relation {
                Relation::Holds => "holds".to_owned(),
                Relation::Known => "known".to_owned(),
                Relation::Compare(sign, Operand::Value(value)) => format!("{} {value:?}", sign.symbol()),
                Relation::Compare(sign, Operand::ShareOfWindow(share)) => {
                    format!("{} {share} of window", sign.symbol())
                }
                Relation::OneOf(values) => format!("in {values:?}"),
                Relation::Contains(part) => format!("contains {part}"),
            };
            vec![format!("{} {relation}", test.reading.fact.name)]
        }
    }
}

fn condition(text: &str) -> Vec<String> {
    tests(&rule_from(&format!("when {text} do notify \"x\"")).condition)
}

#[test]
fn shares_are_compared_with_the_window() {
    assert_eq!(condition("context.ratio >= busy"), ["context.ratio >= 0.60 of window"]);
    assert_eq!(condition("context.tokens >= 80%"), ["context.tokens >= 0.80 of window"]);
    assert_eq!(condition("80% <= context.ratio"), ["context.ratio >= 0.80 of window"]);
    assert_eq!(condition("context.ratio < 50k tokens"), ["context.tokens < Number(50000)"]);
    assert_eq!(condition("context.tokens > 50% of cap"), ["context.tokens > Number(100000)"]);
}

#[test]
fn when_and_unless_make_one_condition() {
    let rule = rule_from("when failures > 1 unless run == 0 do notify \"x\"");
    assert_eq!(tests(&rule.condition), ["failures > Number(1)", "not run == Number(0)"]);
    assert_eq!(rule_from("do notify \"x\"").condition, Condition::Constant(true));
    assert_eq!(tests(&rule_from("unless run == 0 do notify \"x\"").condition), ["not run == Number(0)"]);
    assert_eq!(rule.phase, Phase::Request);
    assert_eq!(rule_from("on reply do notify \"x\"").phase, Phase::Reply);
}

#[test]
fn lists_texts_and_booleans_keep_their_values() {
    assert_eq!(condition("(call.name ?? \"\") in readers"), ["call.name in [Text(\"bash\"), Text(\"read_file\")]"]);
    assert_eq!(condition("failures in [1, 2 results]"), ["failures in [Number(1), Number(2)]"]);
    assert_eq!(condition("yes and (result.error ?? false)"), ["true", "result.error holds"]);
}

#[test]
fn arguments_stand_in_the_order_of_the_parameters() {
    let rule = rule_from("when repeats(in: run, within: 5 calls) >= 3 do notify \"{repeats}\" once per repeats");
    let expected = [Value::Number(Decimal::from(5)), Value::Text("run".into())];
    let Condition::Test(test) = &rule.condition else { unreachable!("a test") };
    assert_eq!(test.reading.arguments, expected);
    assert!(matches!(&rule.guards[0].node, Guard::OncePer(reading) if reading.arguments == expected));
    let text = rule.actions[0].text.as_ref().expect("a text");
    assert!(matches!(&text.pieces[0], TextPiece::Fact(reading) if reading.arguments == expected));
}

#[test]
fn a_bare_fact_has_the_default_of_the_condition_unless_it_is_known() {
    let fallback = |clauses: &str| {
        let rule = rule_from(clauses);
        match &rule.actions[0].text.as_ref().expect("a text").pieces[0] {
            TextPiece::Fact(reading) => reading.fallback.clone(),
            other => unreachable!("a fact: {other:?}"),
        }
    };
    assert_eq!(fallback("when (call.name ?? \"x\") != \"y\" do notify \"{call.name}\""), Some(Value::Text("x".into())));
    assert_eq!(fallback("when known(call.name) do notify \"{call.name}\""), None);
    assert_eq!(fallback("do notify \"{failures}\""), None);
    assert_eq!(fallback("do notify \"{budget.cost ?? \\\"?\\\"}\""), Some(Value::Text("?".into())));
}

#[test]
fn labels_that_are_left_out_have_their_defaults() {
    let rule = rule_from("do mask results except readers down_to busy");
    let action = &rule.actions[0];
    let plain = |Label { descriptor, argument, .. }: &Label| match argument {
        Argument::Quantity(quantity) => format!("{} {quantity}", descriptor.name),
        Argument::Names(names) => format!("{} {}", descriptor.name, names.join(",")),
        Argument::Word(word) => format!("{} {word}", descriptor.name),
        Argument::Pins(pins) => format!("{} {pins}", descriptor.name),
        Argument::Ends(head, tail) => format!("{} ends {head}, {tail}", descriptor.name),
        Argument::Text(_) => format!("{} text", descriptor.name),
        Argument::Fields(_) => format!("{} fields", descriptor.name),
    };
    let labels: Vec<String> = action.labels.iter().map(plain).collect();
    assert_eq!(action.title(), "mask results");
    assert_eq!(labels, ["keep 10 messages", "preview 80 chars", "except bash,read_file", "errors keep", "down_to 60%"]);
}

#[test]
fn texts_are_folded_and_prompts_are_literal() {
    let rule = rule_from("do notify \"{busy} of {cap} {run} {{x}}\" then summarise all using handover");
    let pieces = &rule.actions[0].text.as_ref().expect("a text").pieces;
    let plain: String = pieces
        .iter()
        .map(|piece| match piece {
            TextPiece::Literal(text) => text.clone(),
            TextPiece::Fact(reading) => format!("<{}>", reading.fact.name),
            TextPiece::Variable(name) => format!("<own {name}>"),
        })
        .collect();
    assert_eq!(plain, "60% of 200000 <run> {x}");
    let prompt = rule.actions[1].labels.iter().find(|label| label.descriptor.name == "using").expect("a prompt");
    let Argument::Text(prompt) = &prompt.argument else { unreachable!("a text") };
    assert_eq!(prompt.pieces, [TextPiece::Literal("Sum up {this}.".to_owned())]);
}

#[test]
fn failing_ends_as_the_rule_says() {
    let failing = |clauses: &str| rule_from(clauses).on_failure;
    assert!(matches!(failing("do mask results").then, FailureAction::Keep));
    let way = failing("do summarise all on_failure retry 2 stop");
    assert!(way.retries == 2 && matches!(way.then, FailureAction::Stop));
    assert!(matches!(failing("do summarise all on_failure retry 3").then, FailureAction::Keep));
    let way = failing("do summarise all on_failure retry 1 then trim results");
    assert!(matches!(way.then, FailureAction::Then(action) if action.effect.name == "trim"));
}

#[test]
fn guards_stand_in_the_order_written() {
    let rule = rule_from("do notify \"x\" limit 2 every 5 iterations until run > 1 cooldown 3 once");
    let guards: Vec<Guard> = rule.guards.into_iter().map(|guard| guard.node).collect();
    assert!(matches!(
        guards.as_slice(),
        [Guard::Limit(2), Guard::Every(5), Guard::Until(_), Guard::Cooldown(3), Guard::Once]
    ));
}

#[test]
fn the_agent_block_says_what_the_host_is() {
    let text = "edition 2026\nagent { model \"m\" window 200k tokens reserve 16k tokens tools [bash, a/b.*] }\n";
    let agent = checked(text).0.expect("no mistakes").agent;
    assert_eq!(agent.model.map(|model| model.node), Some("m".into()));
    assert_eq!(agent.window.map(|window| window.node), Some(200_000));
    assert_eq!((agent.reserve, agent.overhead), (Some(16_000), None));
    assert_eq!(agent.tools, Some(vec!["bash".into(), "a/b.*".into()]));
}

#[test]
fn a_comparison_with_the_constant_first_is_flipped() {
    for (text, expected) in [
        ("5 < failures", Comparison::More),
        ("5 <= failures", Comparison::AtLeast),
        ("5 > failures", Comparison::Less),
        ("5 >= failures", Comparison::AtMost),
        ("5 == failures", Comparison::Equal),
        ("5 != failures", Comparison::Unequal),
        ("failures < 5", Comparison::Less),
        ("failures >= 5", Comparison::AtLeast),
    ] {
        let rule = rule_from(&format!("when {text} do notify \"x\""));
        let Condition::Test(test) = &rule.condition else { unreachable!("a test") };
        assert!(matches!(test.relation, Relation::Compare(sign, _) if sign == expected), "{text}");
    }
}

#[test]
fn the_policies_of_the_project_have_no_findings() {
    for text in [
        include_str!("../../../../../policies/coding_agent.trim"),
        include_str!("../../../../../policies/research_assistant.trim"),
        include_str!("../../../../../policies/stuck_agent.trim"),
        include_str!("../../../../../policies/support_desk.trim"),
    ] {
        let (checked, found) = checked(text);
        assert!(found.is_empty(), "{found:#?}");
        assert!(checked.is_some_and(|checked| checked.policies.len() == 1));
    }
}
