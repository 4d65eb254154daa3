//! The descriptors of facts agree with replays: relations, when values rise and fall, and where they start.
//!
//! The analysis, the lints and test blocks draw conclusions from these fields, so a wrong one is a wrong proof.

use proptest::prelude::*;
use trimtab::check::Reading;
use trimtab::fact::{
    AtStart, CallsFrom, FACTS, Fact, Falls, ParameterKind, Recent, RecentDefault, Relation, Rises, Scope, Source,
    texts_argument, tools_argument,
};
use trimtab::quantity::{Decimal, Type, Unit, Value};
use trimtab::simulate::{Call, ConstantSummariser, Options, Trace, replay};
use trimtab::source::Span;

use crate::{generated, laws};

/// A policy without edits, in which one rule fires.
const PASSIVE: &str =
    "edition 2026\npolicy passive {\n  rule r0 { when iteration >= 2 do notify \"late\" every 3 iterations }\n}\n";

/// Every fact with every combination of arguments that a generated policy may use.
fn readings() -> Vec<Reading> {
    let choices = |kind: ParameterKind| match kind {
        ParameterKind::Number(_, number) => vec![Value::whole(2), Value::Number(number.into())],
        ParameterKind::Limit(_) => vec![Value::whole(0), Value::whole(2)],
        ParameterKind::Tools | ParameterKind::AfterTools => {
            [&[][..], &["bash"], &["mcp__*", "read"]].map(|tools| tools_argument(tools.iter().copied())).to_vec()
        }
        ParameterKind::Texts => [&["a"][..], &["a", "fn"]].map(|texts| texts_argument(texts.iter().copied())).to_vec(),
        ParameterKind::Recent(units, default) => recents(units, default),
        ParameterKind::CallsFrom => CallsFrom::WORDS.map(|word| Value::Text(word.into())).to_vec(),
        ParameterKind::Scope(_) => Scope::WORDS.map(|word| Value::Text(word.into())).to_vec(),
        ParameterKind::Tool => ["bash", "read"].map(|tool| Value::Text(tool.into())).to_vec(),
        ParameterKind::Variable | ParameterKind::HostFact => vec![Value::Text("mode".into())],
        ParameterKind::Facts => vec![Value::Text("".into())],
        ParameterKind::Rule | ParameterKind::OwnRule => vec![Value::Text("r0".into())],
    };
    let mut all = Vec::new();
    for fact in FACTS {
        let mut lists = vec![Vec::new()];
        for parameter in fact.parameters {
            let with = |list: &Vec<Value>, value: &Value| [list.as_slice(), std::slice::from_ref(value)].concat();
            let values = choices(parameter.kind);
            lists = lists.iter().flat_map(|list| values.iter().map(move |value| with(list, value))).collect();
        }
        let reading = |arguments| Reading::new(fact, arguments, Span::default());
        all.extend(lists.into_iter().map(reading));
    }
    all
}

/// Some ways to look back in these units.
fn recents(units: &[Unit], default: RecentDefault) -> Vec<Value> {
    let all =
        [Recent::Calls(2), Recent::Calls(10), Recent::Iterations(1), Recent::Time(60.into()), Recent::Time(90.into())];
    let some = all.into_iter().filter(|recent| units.contains(&recent.quantity().unit)).map(Some);
    some.chain((default == RecentDefault::Everything).then_some(None)).map(Recent::argument).collect()
}

fn number(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Bool(truth) => Some(Decimal::from(u8::from(*truth))),
        Value::Text(_) => None,
    }
}

fn agree(relation: &Relation, value: Option<&Value>, other: Option<&Value>) -> bool {
    match relation {
        Relation::AtMost(_) => match value.and_then(number).zip(other.and_then(number)) {
            Some((value, other)) => value <= other,
            None => true,
        },
        Relation::AtLeast(_) => match value.and_then(number).zip(other.and_then(number)) {
            Some((value, other)) => value >= other,
            None => true,
        },
        Relation::Disjoint(_) => match value.and_then(number).zip(other.and_then(number)) {
            Some((value, other)) => value + other <= Decimal::ONE,
            None => true,
        },
        Relation::TrueWhileZero(_) => value == Some(&Value::Bool(other == Some(&Value::whole(0)))),
        Relation::KnownWith(_) => value.is_some() == other.is_some(),
        Relation::ZeroWhileUnknown(_) => (value == Some(&Value::whole(0))) == other.is_none(),
        Relation::SameOrOneMore(_) => match value.and_then(number).zip(other.and_then(number)) {
            Some((value, other)) => [Decimal::ZERO, Decimal::ONE].contains(&(value - other)),
            None => false,
        },
        Relation::NothingWhileZero(_) => {
            other.and_then(number) != Some(Decimal::ZERO) || value.and_then(number) == Some(Decimal::ZERO)
        }
        // Between readings of one fact, and among three facts; see `contradicted_arguments` and `contradicted_wholes`.
        Relation::GrowsWithArguments(_)
        | Relation::SameOverSession(_)
        | Relation::Completes(_)
        | Relation::TotalledBy(_) => true,
    }
}

/// Whether the arguments of one reading of a fact include those of another: more names, a look further back, or the session
/// instead of the run.
fn includes(many: &Reading, few: &Reading) -> bool {
    let pairs = many.fact.parameters.iter().zip(many.arguments.iter().zip(&few.arguments));
    pairs.into_iter().all(|(parameter, (many, few))| match (parameter.kind, many) {
        (ParameterKind::Scope(_), many) => many == few || *many == Value::Text("session".into()),
        (ParameterKind::Recent(..), many) => match (Recent::read(many), Recent::read(few)) {
            (Some(many), Some(few)) => many.includes(few),
            (many, _) => many.is_none(),
        },
        (ParameterKind::Tools | ParameterKind::AfterTools, Value::Text(many)) if many.is_empty() => true,
        _ => many == few || *few == texts_argument(["a"]) && *many == texts_argument(["a", "fn"]),
    })
}

/// The values of readings of one fact that shrink although their arguments include more, or are others over the session.
fn contradicted_arguments(readings: &[Reading], call: &Call) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, few) in readings.iter().enumerate() {
        let has = |is: fn(&Relation) -> bool| few.fact.relations.iter().any(is);
        let grows = has(|relation| matches!(relation, Relation::GrowsWithArguments(_)));
        let is_same = has(|relation| matches!(relation, Relation::SameOverSession(_)));
        let others = readings.iter().enumerate().filter(|(_, many)| std::ptr::eq(many.fact, few.fact));
        for (other, _) in others.filter(|(_, many)| includes(many, few)) {
            let [value, wider] = [at, other].map(|at| call.values[at].as_ref().and_then(number));
            if grows && value > wider || is_same && value.is_some() && value != wider {
                wrong.push(format!("{} {:?}: {value:?} beside {wider:?}", few.fact.name, few.arguments));
            }
        }
    }
    wrong
}

/// The shares of a whole that do not add up.
fn contradicted_wholes(readings: &[Reading], call: &Call) -> Vec<String> {
    let value = |fact: &Fact| {
        let at = readings.iter().position(|reading| std::ptr::eq(reading.fact, fact))?;
        call.values[at].as_ref().and_then(number)
    };
    let wholes = FACTS.iter().flat_map(|fact| {
        fact.relations.iter().filter_map(|relation| match relation {
            Relation::Completes([first, second]) => Some([*fact, *first, *second]),
            _ => None,
        })
    });
    let sums = wholes.map(|parts| parts.into_iter().filter_map(value).sum::<Decimal>().round_dp(20));
    let is_wrong = |sum: &Decimal| !sum.is_zero() && *sum != Decimal::ONE;
    sums.filter(is_wrong).map(|sum| format!("shares add up to {sum}")).collect()
}

/// Whether a value may follow another one in the same run.
fn may_follow(reading: &Reading, before: Decimal, after: Decimal, is_unedited: bool) -> bool {
    let fact = reading.fact;
    let may_rise = fact.rises != Rises::Never;
    let may_fall = match fact.falls(&reading.arguments) {
        Falls::Never => false,
        Falls::Removals => !is_unedited,
        Falls::ContentEdits | Falls::Messages | Falls::AnyTime => true,
    };
    // Two calls may have the same timestamp.
    let is_duration = fact.ty == Type::Number(Unit::Duration);
    let must_rise = !may_fall && !is_duration && matches!(fact.rises, Rises::EveryCall | Rises::EveryMessage);
    (may_rise || after <= before) && (may_fall || after >= before) && (!must_rise || after > before)
}

/// Whether the arguments that both have are equal, and those that only the second has are omitted, but for how far back they
/// remember.
fn agrees(reading: &Reading, other: &Reading) -> bool {
    let own: Vec<_> = reading.fact.parameters.iter().zip(&reading.arguments).collect();
    other.fact.parameters.iter().zip(&other.arguments).all(|(parameter, argument)| {
        let same = own.iter().find(|(own, _)| own.name == parameter.name);
        let is_scope_parameter = matches!(parameter.kind, ParameterKind::Scope(_));
        is_scope_parameter || same.map_or(parameter.is_omitted(argument), |(_, own)| *own == argument)
    })
}

fn may_begin(fact: &Fact, arguments: &[Value], value: Option<&Value>) -> bool {
    match fact.at_start(arguments) {
        AtStart::Unknown => value.is_none(),
        AtStart::Zero => value.is_none_or(|value| number(value) == Some(Decimal::ZERO)),
        AtStart::ZeroInRun | AtStart::Any => true,
    }
}

/// The claims that a trace contradicts.
fn contradictions(readings: &[Reading], trace: &Trace, is_passive: bool) -> Vec<String> {
    let is_unedited =
        trace.rules.iter().all(|rule| rule.edits == 0) && trace.resets.is_empty() && trace.clearings.is_empty();
    let sent: Vec<_> = trace.calls.iter().filter(|call| !call.values.is_empty()).collect();
    // A session begins before any call, but a recording may begin with results of calls that it does not hold. Values
    // are read after the rules of the call, which may have paid for a summary.
    let results = readings.iter().position(|reading| reading.fact.name == "context.results").expect("a fact");
    let is_start =
        |call: &&&Call| call.run == 0 && call.iteration == 0 && call.values[results] == Some(Value::whole(0));
    let mut wrong: Vec<String> = sent
        .iter()
        .flat_map(|call| [contradicted_arguments(readings, call), contradicted_wholes(readings, call)])
        .flatten()
        .collect();
    for (at, reading) in readings.iter().enumerate() {
        let Reading { fact, arguments, .. } = reading;
        let mut claim = |claim: String| wrong.push(format!("{} {arguments:?}: {claim}", fact.name));
        for call in &sent {
            let value = call.values[at].as_ref();
            if let Some(number) = value.and_then(number)
                && !fact.domain.contains(number)
            {
                claim(format!("{number} is outside its domain"));
            }
            for relation in fact.relations {
                let is_other = |other: &Reading| {
                    std::ptr::eq(other.fact, relation.other())
                        && reading.scope() == other.scope()
                        && if matches!(relation, Relation::AtLeast(_)) {
                            agrees(other, reading)
                        } else {
                            agrees(reading, other)
                        }
                };
                for (other, _) in readings.iter().enumerate().filter(|(_, one)| is_other(one)) {
                    let other = call.values[other].as_ref();
                    if !agree(relation, value, other) {
                        claim(format!("{value:?} beside {other:?} contradicts {relation:?}"));
                    }
                }
            }
        }
        let begins = sent.first().filter(|_| is_passive && trace.resets.is_empty()).filter(is_start);
        if let Some(call) = begins
            && !may_begin(fact, arguments, call.values[at].as_ref())
        {
            claim(format!("begins with {:?}", call.values[at]));
        }
        if matches!(fact.source, Source::ShareOf(_) | Source::FreeBeside(_)) {
            continue;
        }
        let remembers_runs = reading.scope() == Scope::Session;
        for pair in sent.windows(2).filter(|pair| remembers_runs || pair[0].run == pair[1].run) {
            let values = [0, 1].map(|which| pair[which].values[at].as_ref().and_then(number));
            if let [Some(before), Some(after)] = values
                && !may_follow(reading, before, after, is_unedited)
            {
                claim(format!("{after} follows {before}"));
            }
        }
    }
    wrong
}

#[test]
fn every_relation_of_a_fact_is_checked_by_the_grid() {
    let pairs = |pairs: &[[&str; 2]], a: &str, b: &str| pairs.contains(&[a, b]);
    for fact in FACTS {
        for relation in fact.relations {
            let (a, b) = (fact.name, relation.other().name);
            let is_known = match relation {
                Relation::AtMost(_) => pairs(&crate::analysis::AT_MOST, a, b),
                Relation::AtLeast(_) => pairs(&crate::analysis::AT_MOST, b, a),
                Relation::KnownWith(_) => {
                    crate::analysis::KNOWN_TOGETHER.iter().any(|all| all.contains(&a) && all.contains(&b))
                }
                Relation::ZeroWhileUnknown(_) => pairs(&crate::analysis::ZERO_WHILE_UNKNOWN, a, b),
                Relation::Disjoint(_) => [a, b].iter().all(|name| crate::analysis::DISJOINT.contains(name)),
                Relation::TrueWhileZero(_) => pairs(&crate::analysis::TRUE_WHILE_ZERO, a, b),
                Relation::SameOrOneMore(_) => pairs(&crate::analysis::SAME_OR_ONE_MORE, a, b),
                Relation::NothingWhileZero(_) => pairs(&crate::analysis::NOTHING_WHILE_ZERO, a, b),
                Relation::GrowsWithArguments(_) => a == b && crate::analysis::GROWS_WITH_ARGUMENTS.contains(&a),
                Relation::SameOverSession(_) => a == b && crate::analysis::SAME_OVER_SESSION.contains(&a),
                Relation::Completes([_, c]) => {
                    [a, b, c.name].iter().all(|name| crate::analysis::DISJOINT.contains(name))
                }
                Relation::TotalledBy(_) => true,
            };
            assert!(is_known, "add `{a}` and `{b}` to the tables of tests/suite/analysis/grid.rs");
        }
    }
}

proptest! {
    #![proptest_config(generated::cases(96))]

    #[test]
    fn replays_never_contradict_a_descriptor(events in generated::events(), policy in generated::policy(), passive in any::<bool>()) {
        let is_passive = passive || !policy.contains("rule r0");
        let text = if is_passive { PASSIVE.to_owned() } else { policy };
        let (plan, readings) = (laws::plan(&text), readings());
        let options = Options { observed: readings.clone(), ..Options::default() };
        let mut summariser = ConstantSummariser("short {n}".to_owned());
        let trace = replay(&plan, &generated::transcript(&events), &options, &mut summariser, &mut |_| {});
        let wrong = contradictions(&readings, &trace, is_passive);
        prop_assert!(wrong.is_empty(), "{text}\n{wrong:#?}");
    }
}
