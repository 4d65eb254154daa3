//! Partial results of a simulation, merged to the result of all transcripts.

use std::collections::HashMap;

use rust_decimal::prelude::FromPrimitive;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json};
use trimtab_analysis::test::{SummedExpectation, TotalSum};
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Source, SourceId};
use trimtab_language::check::{self, Agent};

use super::figure::number;
use super::replay_result::{ReplayError, SummedAssertion};
use super::replays::{Ranked, Sort};
use super::result::{PolicyResults, SCHEMA_VERSION, SimulationResult, SummedAssertionResult, TranscriptResult};
use super::simulation::JsonListWriter;

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

/// What tells the forms of results apart.
#[derive(Deserialize)]
struct Form {
    schema_version: u64,
    policies: Option<IgnoredAny>,
}

/// A part, and its simulation of one policy.
type NamedSimulation<'a> = (&'a str, SimulationResult);

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
    let mut result = JsonListWriter::new(first.is_list);
    let mut parts: Vec<_> = parsed.into_iter().map(|part| (part.name, part.simulations.into_iter())).collect();
    loop {
        let of_policy: Vec<NamedSimulation<'_>> =
            parts.iter_mut().filter_map(|(name, simulations)| Some((*name, simulations.next()?))).collect();
        if of_policy.is_empty() {
            break;
        }
        merge_policy(of_policy, sort, &mut result, &mut merged)?;
    }
    merged.text += result.end();
    Ok(merged)
}

/// A partial result.
struct Part<'a> {
    name: &'a str,
    is_list: bool,
    /// One for each policy.
    simulations: Vec<SimulationResult>,
}

impl<'a> Part<'a> {
    fn of(name: &'a str, text: &'a str) -> Result<Self, String> {
        let invalid =
            |error: serde_json::Error| format!("{name} is not a result of `trimtab simulate --format json`: {error}");
        let form: Form = serde_json::from_str(text).map_err(invalid)?;
        if form.schema_version != SCHEMA_VERSION {
            let (version, known) = (form.schema_version, SCHEMA_VERSION);
            return Err(format!("{name} has version {version} of the format, but only {known} is known"));
        }
        let simulations = match form.policies {
            Some(_) => serde_json::from_str(text).map(|several: PolicyResults| several.policies),
            None => serde_json::from_str(text).map(|one| vec![one]),
        };
        Ok(Self { name, is_list: form.policies.is_some(), simulations: simulations.map_err(invalid)? })
    }

    fn is_like(&self, other: &Self) -> bool {
        self.is_list == other.is_list && self.simulations.len() == other.simulations.len()
    }
}

/// Appends the merged result of one policy.
fn merge_policy(
    parts: Vec<NamedSimulation<'_>>,
    sort: Option<&Sort>,
    result: &mut JsonListWriter,
    merged: &mut Merged,
) -> Result<(), String> {
    let Some((first, others)) = parts.split_first() else { return Ok(()) };
    others.iter().try_for_each(|other| check_same(first, other))?;
    let summed = summed(&parts)?;
    let (mut simulation, head) = result.simulation(&first.1.version, &first.1.policy, &first.1.options);
    let (mut listed, mut errors) = listed(parts)?;
    if let Some(sort) = sort {
        sort.ranked(&mut listed, ranked);
        sort.errors(&mut errors);
    }
    merged.text += &head;
    for transcript in listed {
        merged.has_findings |= transcript.has_findings();
        merged.text += &simulation.transcript(&transcript);
        simulation.count(&transcript);
    }
    merged.has_findings |= summed.iter().any(|assertion| !assertion.sum.verdict().is_met);
    merged.text += &simulation.end(&errors, &summed);
    Ok(())
}

/// The assertions on totals. All parts have the same ones, since their options are equal.
fn summed(parts: &[NamedSimulation<'_>]) -> Result<Vec<SummedAssertion>, String> {
    let Some((name, first)) = parts.first() else { return Ok(Vec::new()) };
    let invalid = |name: &str, text: &str| format!("{name} has an invalid expectation on a total: {text}");
    let parse = |part: &SummedAssertionResult| {
        let source = Source::new(SourceId(0), "total", format!("expect {}", part.expression));
        let expectation = check::assertion(&source, &[], &Agent::default()).ok();
        let sum = expectation.and_then(|expectation| SummedExpectation::of(&expectation.claim));
        let sum = sum.ok_or_else(|| invalid(name, &part.expression))?;
        Ok(SummedAssertion { text: part.expression.clone(), sum })
    };
    let mut all = first.total.assertions.iter().map(parse).collect::<Result<Vec<_>, String>>()?;
    for (name, part) in parts {
        if part.total.assertions.len() != all.len() {
            return Err(format!("{name} has other expectations on totals than {}", parts[0].0));
        }
        for (assertion, own) in all.iter_mut().zip(&part.total.assertions) {
            let value = Decimal::from_f64(own.value).ok_or_else(|| invalid(name, &own.expression))?;
            assertion.sum.add_sum(TotalSum { value, known: own.known, unknown: own.unknown });
        }
    }
    Ok(all)
}

/// Fails unless two results are of the same policy, replayed in the same way.
fn check_same((name, one): &NamedSimulation<'_>, (other_name, other): &NamedSimulation<'_>) -> Result<(), String> {
    let differ = |what: &str, one: &str, other: &str| {
        format!("cannot merge {name} and {other_name}: {what} is {one} in the first and {other} in the second")
    };
    if one.version != other.version {
        return Err(differ("the version of trimtab", &one.version, &other.version));
    }
    let policies = [("name", &one.policy.name, &other.policy.name), ("hash", &one.policy.hash, &other.policy.hash)];
    for (key, own, theirs) in policies {
        if own != theirs {
            return Err(differ(&format!("the {key} of the policy"), &quoted(own), &quoted(theirs)));
        }
    }
    for key in one.options.keys().chain(other.options.keys()) {
        let text = |options: &Map<String, Json>| options.get(key).map_or_else(|| "missing".to_owned(), Json::to_string);
        if one.options.get(key) != other.options.get(key) {
            return Err(differ(&format!("the option `{key}`"), &text(&one.options), &text(&other.options)));
        }
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// The transcripts and the errors of all parts.
fn listed(parts: Vec<NamedSimulation<'_>>) -> Result<(Vec<TranscriptResult>, Vec<ReplayError>), String> {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    let mut known: HashMap<String, &str> = HashMap::new();
    for (name, part) in parts {
        let (listed, counted) = (part.transcripts.len(), part.total.transcripts);
        if number(listed) != counted {
            return Err(format!("{name} lists {listed} of {counted} transcripts: simulate it without --top"));
        }
        for transcript in part.transcripts {
            if let Some(other) = known.insert(transcript.id.clone(), name) {
                return Err(format!("{other} and {name} have the same transcript: {}", transcript.id));
            }
            all.push(transcript);
        }
        errors.extend(part.errors);
    }
    Ok((all, errors))
}

fn ranked(transcript: &TranscriptResult) -> Ranked<'_> {
    let TranscriptResult { id, tokens_saved, after, calls, .. } = transcript;
    Ranked { id, saved: i128::from(*tokens_saved), peak: after.contexts.peak_tokens, calls: *calls }
}
