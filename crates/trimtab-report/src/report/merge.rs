//! Partial results of a simulation, merged to the result of all transcripts.

use std::collections::HashMap;

use rust_decimal::prelude::FromPrimitive;
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use trimtab_analysis::test::SummedExpectation;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::{self, Agent};

use super::replay_result::SummedAssertion;
use super::replays::{Ranked, Sort};
use super::simulation::{ResultText, Summand};

/// The result of merging.
#[derive(Debug)]
pub struct Merged {
    /// The JSON text.
    pub text: String,
    /// Whether an assertion does not hold or an invariant is broken on some transcript.
    pub has_findings: bool,
}

/// A partial result: the name of its file, and its text.
pub type PartialResult = (String, String);

/// A result of one policy or several.
#[derive(Deserialize)]
struct Outer<'a> {
    schema_version: u64,
    #[serde(borrow)]
    policies: Option<Vec<&'a RawValue>>,
}

/// The result of one policy on some of the transcripts.
#[derive(Deserialize)]
struct Simulation<'a> {
    version: String,
    policy: Json,
    options: Json,
    #[serde(borrow)]
    transcripts: Vec<&'a RawValue>,
    total: PartTotal,
    errors: Vec<Json>,
}

/// What the sums of a part say of it.
#[derive(Deserialize)]
struct PartTotal {
    transcripts: usize,
    assertions: Vec<PartAssertion>,
}

/// An assertion on a total of a part.
#[derive(Deserialize)]
struct PartAssertion {
    expression: String,
    value: f64,
}

/// A transcript of a part.
struct Listed<'a> {
    part: &'a str,
    raw: &'a RawValue,
    summand: Summand,
}

/// Merges partial results, in their order or sorted.
///
/// # Errors
///
/// The reason, if a text is not a result of `simulate`, if results have different policies, options or versions, if one lacks
/// transcripts that it counts, or if two have the same transcript.
pub fn merge(parts: &[PartialResult], sort: Option<&Sort>) -> Result<Merged, String> {
    let parsed: Result<Vec<Part<'_>>, String> = parts.iter().map(|(name, text)| Part::of(name, text)).collect();
    let parsed = parsed?;
    let Some(first) = parsed.first() else { return Err("there is no result to merge".to_owned()) };
    if let Some(other) = parsed.iter().find(|part| !part.is_like(first)) {
        return Err(format!("{} and {} have results of different numbers of policies", first.name, other.name));
    }
    let mut merged = Merged { text: String::new(), has_findings: false };
    let mut result = ResultText::new(first.is_list);
    for at in 0..first.simulations.len() {
        let of_policy: Vec<_> = parsed.iter().map(|part| (part.name, &part.simulations[at])).collect();
        merge_policy(&of_policy, sort, &mut result, &mut merged)?;
    }
    merged.text += result.end();
    Ok(merged)
}

/// A partial result.
struct Part<'a> {
    name: &'a str,
    is_list: bool,
    /// One for each policy.
    simulations: Vec<Simulation<'a>>,
}

impl<'a> Part<'a> {
    fn of(name: &'a str, text: &'a str) -> Result<Self, String> {
        let invalid =
            |error: serde_json::Error| format!("{name} is not a result of `trimtab simulate --format json`: {error}");
        let outer: Outer<'_> = serde_json::from_str(text).map_err(invalid)?;
        if outer.schema_version != 1 {
            return Err(format!("{name} has version {} of the format, but only 1 is known", outer.schema_version));
        }
        let is_list = outer.policies.is_some();
        let simulations: Result<Vec<_>, _> = match outer.policies {
            Some(policies) => policies.into_iter().map(|raw| serde_json::from_str(raw.get())).collect(),
            None => serde_json::from_str(text).map(|one| vec![one]),
        };
        Ok(Self { name, is_list, simulations: simulations.map_err(invalid)? })
    }

    fn is_like(&self, other: &Self) -> bool {
        self.is_list == other.is_list && self.simulations.len() == other.simulations.len()
    }
}

/// Appends the merged result of one policy.
fn merge_policy(
    parts: &[(&str, &Simulation<'_>)],
    sort: Option<&Sort>,
    result: &mut ResultText,
    merged: &mut Merged,
) -> Result<(), String> {
    let Some((first, others)) = parts.split_first() else { return Ok(()) };
    others.iter().try_for_each(|other| check_same(first, other))?;
    let mut listed = listed(parts)?;
    let mut errors: Vec<Json> = parts.iter().flat_map(|(_, part)| part.errors.iter().cloned()).collect();
    if let Some(sort) = sort {
        sort.ranked(&mut listed, Listed::ranked);
        sort.error_forms(&mut errors);
    }
    let (mut simulation, head) = result.simulation(&first.1.version, &first.1.policy, &first.1.options);
    merged.text += &head;
    for Listed { part, raw, summand } in listed {
        let json: Json = serde_json::from_str(raw.get()).map_err(|error| format!("{part}: {error}"))?;
        merged.has_findings |= summand.has_findings();
        merged.text += &simulation.transcript(&json);
        simulation.count(summand);
    }
    let summed = summed(parts)?;
    merged.has_findings |= summed.iter().any(|assertion| !assertion.sum.verdict().is_met);
    merged.text += &simulation.end(&errors, &summed);
    Ok(())
}

/// The assertions on totals. All parts have the same ones, since their options are equal.
fn summed(parts: &[(&str, &Simulation<'_>)]) -> Result<Vec<SummedAssertion>, String> {
    let Some((name, first)) = parts.first() else { return Ok(Vec::new()) };
    let invalid = |name: &str, text: &str| format!("{name} has an invalid assertion on a total: {text}");
    let parse = |part: &PartAssertion| {
        let source = Source::new(SourceId(0), "total", format!("expect {}", part.expression));
        let expectation = check::assertion(&source, &[], &Agent::default()).ok();
        let sum = expectation.and_then(|expectation| SummedExpectation::of(&expectation.claim));
        let sum = sum.ok_or_else(|| invalid(name, &part.expression))?;
        Ok(SummedAssertion { text: part.expression.clone(), sum })
    };
    let mut all = first.total.assertions.iter().map(parse).collect::<Result<Vec<_>, String>>()?;
    for (name, part) in parts {
        if part.total.assertions.len() != all.len() {
            return Err(format!("{name} has other assertions on totals than {}", parts[0].0));
        }
        for (assertion, own) in all.iter_mut().zip(&part.total.assertions) {
            let value = Decimal::from_f64(own.value).ok_or_else(|| invalid(name, &own.expression))?;
            assertion.sum.add_value(value);
        }
    }
    Ok(all)
}

/// Fails unless two results are of the same policy, replayed in the same way.
fn check_same(
    (name, one): &(&str, &Simulation<'_>),
    (other_name, other): &(&str, &Simulation<'_>),
) -> Result<(), String> {
    let differ = |what: &str, one: &str, other: &str| {
        format!("cannot merge {name} and {other_name}: {what} is {one} in the first and {other} in the second")
    };
    if one.version != other.version {
        return Err(differ("the version of trimtab", &one.version, &other.version));
    }
    for key in ["name", "hash"] {
        if one.policy.get(key) != other.policy.get(key) {
            let text = |policy: &Json| policy.get(key).map_or_else(|| "missing".to_owned(), Json::to_string);
            return Err(differ(&format!("the {key} of the policy"), &text(&one.policy), &text(&other.policy)));
        }
    }
    let keys =
        |options: &Json| options.as_object().into_iter().flat_map(|keys| keys.keys().cloned()).collect::<Vec<_>>();
    for key in keys(&one.options).into_iter().chain(keys(&other.options)) {
        let text = |options: &Json| options.get(&key).map_or_else(|| "missing".to_owned(), Json::to_string);
        if one.options.get(&key) != other.options.get(&key) {
            return Err(differ(&format!("the option `{key}`"), &text(&one.options), &text(&other.options)));
        }
    }
    Ok(())
}

/// The transcripts of all parts.
fn listed<'a>(parts: &[(&'a str, &'a Simulation<'_>)]) -> Result<Vec<Listed<'a>>, String> {
    let (mut all, mut known): (Vec<Listed<'_>>, HashMap<String, &str>) = (Vec::new(), HashMap::new());
    for (name, part) in parts {
        let (listed, counted) = (part.transcripts.len(), part.total.transcripts);
        if listed != counted {
            return Err(format!("{name} lists {listed} of {counted} transcripts: simulate it without --top"));
        }
        for raw in &part.transcripts {
            let summand: Summand = serde_json::from_str(raw.get())
                .map_err(|error| format!("{name} has a transcript that cannot be summed up: {error}"))?;
            if let Some(other) = known.insert(summand.id.clone(), name) {
                return Err(format!("{other} and {name} have the same transcript: {}", summand.id));
            }
            all.push(Listed { part: name, raw, summand });
        }
    }
    Ok(all)
}

impl Listed<'_> {
    fn ranked(&self) -> Ranked<'_> {
        let Summand { id, tokens_saved, after, calls, .. } = &self.summand;
        Ranked { id, saved: i128::from(*tokens_saved), peak: after.peak_tokens, calls: *calls }
    }
}
