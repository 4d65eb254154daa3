//! Compiled plans: the JSON form of a plan, loaded without the policy, is the same plan.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value as Json, json};
use trimtab::plan::{self, Plan, PlanLoadError};
use trimtab::{host, pipeline};

use crate::generated;
use crate::laws::{contexts, plan};

fn loaded(plan: &Plan) -> Plan {
    let json = plan.json();
    let loaded = Plan::from_json(&json.to_string()).unwrap_or_else(|error| panic!("{error}\n{json:#}"));
    assert_eq!(loaded.json(), json);
    assert_eq!((&loaded.hash, &loaded.title), (&plan.hash, &plan.title));
    loaded
}

/// The message of the error in a changed plan, whose hash is made to fit.
fn refused(change: impl FnOnce(&mut Json)) -> String {
    let mut json = plan(POLICY).json();
    change(&mut json);
    json["hash"] = plan::hash_of_json(&json).into();
    match Plan::from_json(&json.to_string()) {
        Ok(_) => panic!("this is a plan: {json:#}"),
        Err(error) => error.to_string(),
    }
}

const POLICY: &str = "edition 2026 agent { window 200k tokens } prompt p \"\"\"Sum up.\"\"\" policy made \"Why.\" {
  rule a { when context.ratio >= 60% and failures > 2 do mask results keep 4 messages then notify \"{failures}\" }
  rule b { when repeats(within: 5 calls) >= 3 or (call.name ?? \"\") in [bash, read] or (call.arguments ?? \"\") contains \"x\"
           do summarise older keep 8 messages using p on_failure retry 2 stop once per failures limit 3 }
  rule c { on reply when known(call.name) unless failures > 1 do trim results to 500 chars until failures == 0 } }";

#[test]
fn every_policy_of_the_repository_is_the_same_plan_when_loaded() {
    let (mut files, mut plans) = (Vec::new(), 0);
    for folder in ["policies", "examples", "docs", "tests"] {
        crate::layers::files(Path::new(folder), &mut files);
    }
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "trim" || end == "yaml")) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let name = path.display().to_string();
        let compiled = pipeline::compile_with(&name, &text, &mut host::Files::around(&name));
        let policies = compiled.checked.iter().flat_map(|checked| &checked.policies);
        for policy in policies {
            let Ok(plan) = plan::lower(compiled.checked.as_ref().unwrap(), Some(&policy.name)) else { continue };
            loaded(&plan);
            plans += 1;
        }
    }
    assert!(plans > 100, "{plans}");
}

#[test]
fn conditions_that_need_their_unless_are_loaded() {
    for rule in [
        "when reported.ratio >= 60% unless not known(reported.ratio) do mask results",
        "when failures > 1 and reported.ratio >= 60% unless not (known(reported.ratio) and iteration > 2) do mask results",
        "when reported.ratio >= 60% unless failures > 2 or not known(reported.ratio) do notify \"{reported.ratio}\"",
        "unless not known(call.name) do notify \"{call.name}\"",
        "when known(call.name) and false do notify \"{call.name}\"",
        "when failures > 1 unless true do mask results until failures == 0",
        "when failures > 1 unless false do mask results until failures == 0",
        "when true unless not (failures > 1 and failures < 5) do mask results until failures == 0",
        "when reported.ratio >= 60% unless not known(reported.ratio) do mask results until failures > 1 or failures == 0",
        "when (budget.cost ?? $1.50) >= $2 do notify \"{budget.cost} {budget.time ?? \\\"0\\\"} {budget.time ?? 0s} {{x}}\"",
        "when not not (failures > 1 or not (failures < 5)) do inject \"\" as user",
        "when not (known(budget.cost) and budget.cost > $1) and known(budget.cost) and budget.cost > $1 do mask results until false",
        "when (not known(budget.cost) or budget.cost > $1) and known(budget.cost) and budget.cost < $3 do mask results until false",
        "when has_tool(\"and so on\") and used_tool(bash) do mask results only [b, a, b, \"mcp *\"] preview 0 chars",
    ] {
        loaded(&plan(&format!("edition 2026 policy p {{ rule r {{ {rule} }} }}")));
    }
}

#[test]
fn an_error_names_its_place_in_the_json() {
    type Change = fn(&mut Json);
    let cases: [(Change, &str); 22] = [
        (|json| json["schema_version"] = 2.into(), "schema_version: the plan has version 2 of the format; only 1"),
        (|json| json["rules"][0]["do"][0]["effect"] = "maks".into(), "rules[0].do[0].effect: unknown effect `maks`"),
        (|json| json["rules"][0]["phase"] = "later".into(), "rules[0].phase: unknown phase `later`"),
        (
            |json| json["rules"][0]["condition"]["all"][1]["fact"] = "failers".into(),
            "rules[0].condition.all[1].fact: unknown fact",
        ),
        (
            |json| json["rules"][0]["do"][0]["labels"]["kept"] = 1.into(),
            "rules[0].do[0].labels.kept: `mask` has no label `kept`",
        ),
        (
            |json| json["rules"][0]["do"][0]["labels"]["keep"] = 1.into(),
            "rules[0].do[0].labels.keep: expected an object, found a number",
        ),
        (|json| json["rules"][0]["do"][0]["labels"]["keep"]["unit"] = "chars".into(), "rules[0].do[0].labels.keep: "),
        (
            |json| json["rules"][0]["do"][0]["labels"]["keep"]["unit"] = "miles".into(),
            "rules[0].do[0].labels.keep.unit: ",
        ),
        (|json| json["rules"][0]["do"][0]["labels"]["keep"]["amount"] = "0.5".into(), "rules[0].do[0].labels.keep: "),
        (
            |json| json["rules"][0]["do"][0]["labels"]["keep"]["amount"] = "-1".into(),
            "rules[0].do[0].labels.keep.amount: ",
        ),
        (|json| json["rules"][0]["do"][0]["target"] = "thoughts".into(), "rules[0].do[0].target: `mask` has no target"),
        (|json| json["rules"][0]["condition"]["all"][1][">"] = "2.5".into(), "rules[0].condition.all[1][\">\"]: "),
        (
            |json| json["rules"][0]["condition"]["all"][0][">="]["share_of_window"] = "60".into(),
            "rules[0].condition.all[0][\">=\"].share_of_window: ",
        ),
        (|json| json["rules"][0]["condition"]["all"][0]["fact"] = "call.name".into(), "rules[0].condition.all[0]"),
        (|json| json["rules"][1]["guards"][0] = "often".into(), "rules[1].guards[0]: unknown guard `often`"),
        (|json| json["rules"][1]["guards"][1]["limit"] = 0.into(), "rules[1].guards[1].limit: "),
        (|json| json["rules"][1]["on_failure"] = "panic".into(), "rules[1].on_failure: "),
        (|json| json["rules"][2]["unless"] = true.into(), "rules[2].condition"),
        (|json| json["rules"][2]["do"] = json!([]), "rules[2].do: expected one or more effects"),
        (|json| json["rules"][1]["name"] = "a".into(), "rules[1].name: "),
        (|json| json["rules"][0]["extra"] = 1.into(), "rules[0].extra: nothing is expected here"),
        (|json| drop(json["rules"][0].as_object_mut().unwrap().remove("retries")), "rules[0].retries: missing"),
    ];
    for (change, message) in cases {
        let error = refused(change);
        assert!(error.starts_with(message), "{error}\n{message}");
    }
}

#[test]
fn all_errors_of_a_plan_are_reported_at_once() {
    let message = refused(|json| {
        json["policy"] = "no name".into();
        json["agent"]["window"] = "wide".into();
        json["agent"]["tools"] = 1.into();
        json["rules"][0]["phase"] = "never".into();
        json["rules"][0]["condition"]["all"][0]["fact"] = "contxt.ratio".into();
        json["rules"][0]["condition"]["all"][1][">"] = 2.into();
        json["rules"][0]["do"][0]["effect"] = "maks".into();
        json["rules"][1]["do"][0]["target"] = "thoughts".into();
        json["rules"][1]["do"][0]["labels"]["kep"] = 1.into();
        json["rules"][1]["guards"][0] = "often".into();
        json["rules"][1]["guards"][1]["limit"] = "3".into();
        json["rules"][1]["retries"] = "2".into();
        json["rules"][2] = 7.into();
    });
    let expected = [
        "agent.window: expected a whole number, found a string",
        "agent.tools: expected a list, found a number",
        "rules[0].phase: unknown phase `never`",
        "rules[0].condition.all[0].fact: unknown fact `contxt.ratio`",
        "rules[0].condition.all[1][\">\"]: expected a number in a string, found a number",
        "rules[0].do[0].effect: unknown effect `maks`",
        "rules[1].guards[0]: unknown guard `often`",
        "rules[1].guards[1].limit: expected a whole number, found a string",
        "rules[1].do[0].target: `summarise` has no target `thoughts`",
        "rules[1].do[0].labels.kep: `summarise` has no label `kep`",
        "rules[1].retries: expected a whole number, found a string",
        "rules[2]: expected an object, found a number",
        "policy: `no name` is not a name",
    ];
    assert_eq!(message.lines().collect::<Vec<_>>(), expected);
    // The checker and the comparison with the plan report all of their errors, too.
    let message = refused(|json| {
        json["rules"][1]["name"] = "a".into();
        json["rules"][1]["guards"][1]["limit"] = 0.into();
    });
    assert_eq!(message.lines().count(), 2, "{message}");
    let message = refused(|json| {
        json["extra"] = 1.into();
        json["rules"][0]["extra"] = 1.into();
    });
    let expected = ["extra: nothing is expected here", "rules[0].extra: nothing is expected here"];
    assert_eq!(message.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_changed_hash_and_text_that_is_no_plan_are_refused() {
    let mut json = plan(POLICY).json();
    json["hash"] = "0".repeat(64).into();
    assert!(matches!(Plan::from_json(&json.to_string()), Err(PlanLoadError::WrongHash { .. })));
    json["rules"][0]["condition"]["all"][1][">"] = "3".into();
    assert!(matches!(Plan::from_json(&json.to_string()), Err(PlanLoadError::WrongHash { .. })));
    for text in ["", "{", "edition 2026", &format!("{json}x")] {
        assert!(matches!(Plan::from_json(text), Err(PlanLoadError::NotJson(_))), "{text}");
    }
    for text in ["{}", "[]", "null", "1", "{\"schema_version\":1}", "{\"schema_version\":null}"] {
        let error = Plan::from_json(text).unwrap_err();
        assert!(!matches!(error, PlanLoadError::NotJson(_)), "{text}: {error}");
    }
    assert!(Plan::from_json(&"[".repeat(100_000)).is_err());
}

#[test]
fn the_deepest_condition_is_loaded_and_deeper_json_is_not() {
    let condition = (0..30)
        .fold("failures > 1".to_owned(), |inner, at| format!("not (failures > {at} or iteration > {at} and {inner})"));
    let plan = plan(&format!("edition 2026 policy p {{ rule r {{ when {condition} do mask results }} }}"));
    let json = loaded(&plan).json().to_string();
    let deep = "{\"not\":".repeat(200) + "true" + &"}".repeat(200);
    let error =
        Plan::from_json(&json.replacen("\"condition\":", &format!("\"condition\":{deep},\"x\":"), 1)).unwrap_err();
    assert_eq!(error.to_string(), "the plan is not JSON: it is nested deeper than 192 levels");
}

/// Conditions of any shape, with constants, optional facts and `known` in any place.
fn condition() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let test = prop_oneof![
        (operator.clone(), 0..120u32).prop_map(|(operator, share)| format!("context.ratio {operator} {share}%")),
        (operator, 0..9u32).prop_map(|(operator, count)| format!("failures(in: run) {operator} {count}")),
        prop::sample::select(vec![
            "known(call.name)",
            "(known(budget.cost) and budget.cost > $1)",
            "call.name ?? \"\" in [b, a, b]",
            "(budget.time ?? 90s) >= 2m",
            "has_tool(write_note)",
            "context.ratio >= 50k tokens",
            "context.tokens < 80%",
            "true",
            "false",
        ])
        .prop_map(str::to_owned),
    ];
    test.prop_recursive(4, 20, 4, |inner| {
        let join = |word: &'static str| {
            prop::collection::vec(inner.clone(), 2..4).prop_map(move |parts| format!("({})", parts.join(word)))
        };
        prop_oneof![join(" and "), join(" or "), inner.clone().prop_map(|inner| format!("not ({inner})"))]
    })
}

/// The places of all values of a JSON value.
fn pointers(json: &Json, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match json {
        Json::Object(map) => {
            for (key, value) in map {
                pointers(value, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        Json::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), all);
            }
        }
        _ => {}
    }
}

/// Changes one value: to another value of the plan, to a foreign one, or by removing it.
fn change(json: &mut Json, at: Index, other: Index, kind: u8) {
    let mut all = Vec::new();
    pointers(json, "", &mut all);
    let (place, other) = (at.get(&all), json.pointer(other.get(&all).as_str()).cloned().unwrap_or_default());
    let foreign = [json!(null), json!("x"), json!("7"), json!(0), json!({}), json!([]), json!(true), json!(-1.5)];
    let (parent, key) = place.rsplit_once('/').unwrap_or(("", ""));
    match (kind % 12, json.pointer_mut(parent)) {
        (8, Some(Json::Object(map))) => drop(map.remove(key)),
        (9, Some(Json::Object(map))) => drop(map.insert("extra".to_owned(), other)),
        (10, Some(Json::Array(list))) => list.push(other),
        (11, _) => *json.pointer_mut(place).unwrap() = other,
        (kind, _) => *json.pointer_mut(place).unwrap() = foreign[usize::from(kind) % foreign.len()].clone(),
    }
}

proptest! {
    #![proptest_config(generated::cases(150))]

    #[test]
    fn a_loaded_plan_makes_the_same_replay(events in generated::events(), policy in generated::policy(), fails in any::<bool>()) {
        let (plan, transcript) = (plan(&policy), generated::transcript(&events));
        let loaded = loaded(&plan);
        let (trace, sent) = contexts(&plan, &transcript, fails);
        let (again, sent_again) = contexts(&loaded, &transcript, fails);
        prop_assert_eq!(sent, sent_again, "{}", policy);
        prop_assert_eq!(format!("{trace:?}"), format!("{again:?}"), "{}", policy);
    }

    #[test]
    fn a_loaded_condition_is_the_same(when in condition(), unless in prop::option::of(condition()), until in prop::option::of(condition())) {
        let unless = unless.map_or_else(String::new, |unless| format!("unless {unless}"));
        let until = until.map_or_else(String::new, |until| format!("until {until}"));
        let text = format!("edition 2026 policy p {{ rule r {{ when {when} {unless} do mask results {until} }} }}");
        let compiled = pipeline::compile("made.trim", &text);
        prop_assume!(compiled.checked.is_some());
        loaded(&plan(&text));
    }

    #[test]
    fn a_changed_plan_is_refused_or_is_itself_a_plan(policy in generated::policy(), at in any::<Index>(), other in any::<Index>(), kind in any::<u8>()) {
        let mut json = plan(&policy).json();
        change(&mut json, at, other, kind);
        if json.is_object() {
            json["hash"] = plan::hash_of_json(&json).into();
        }
        match Plan::from_json(&json.to_string()) {
            Ok(loaded) => prop_assert_eq!(loaded.json(), json),
            Err(error) => prop_assert!(!error.to_string().is_empty() && error.path().is_some(), "{}", error),
        }
    }
}
