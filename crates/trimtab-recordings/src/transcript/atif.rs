//! Trajectories in the Agent Trajectory Interchange Format (ATIF) that Harbor writes: one object with `agent` and
//! `steps`.
//!
//! A step of the agent is a reply, followed by its observations as results. An observation of a step without calls is
//! what the harness sent next, so it becomes a user message. Steps copied from an earlier trajectory have no usage;
//! where they repeat steps of the same trajectory they are skipped. Embedded trajectories of sub-agents become
//! transcripts of their own.

mod step;

use serde::Deserialize;

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, List, Raw, Str};
use super::{Format, Quirk, ReadError, Reader, Transcript, error, line, tool};

/// Trajectories of Harbor.
pub(super) static ATIF: Format = Format {
    name: "atif",
    title: "ATIF trajectories",
    summary: "trajectories in the Agent Trajectory Interchange Format, which Harbor writes, versions 1.0 to 1.8",
    sniff,
    reader: Reader::File(read),
    line: Some(|text| line::by_key(text, &["steps"], &[])),
    quirks: &[Quirk::UnmarkedErrors],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_trajectory)
}

fn is_trajectory(record: &ShallowValue<'_>) -> bool {
    let is_atif = |version: &str| version.starts_with("ATIF");
    record.has("steps") && record.has("agent") && record.string("schema_version").is_some_and(|text| is_atif(&text))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Trajectory<'a> {
    #[serde(borrow)]
    session_id: Str<'a>,
    #[serde(rename = "trajectory_id")]
    id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    agent: Agent<'a>,
    steps: List<'a>,
    continued_trajectory_ref: Option<Raw<'a>>,
    subagent_trajectories: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Agent<'a> {
    #[serde(borrow)]
    model_name: Str<'a>,
    tool_definitions: Option<Raw<'a>>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for record in input.deep_records(&mut skipped) {
        match record.parse::<Trajectory<'_>>() {
            Some(trajectory) if trajectory.steps.0.is_some() => {
                read_trajectory(&trajectory, false, &mut transcripts, &mut skipped);
            }
            Some(_) => skipped.count("record without steps"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "atif", input)
}

/// Reads a trajectory and those of its sub-agents.
fn read_trajectory(
    trajectory: &Trajectory<'_>,
    is_sub_agent: bool,
    transcripts: &mut Vec<Transcript>,
    skipped: &mut Skipped,
) {
    let mut builder = step::MessageBuilder::default();
    for raw in trajectory.steps.0.iter().flatten() {
        builder.add(*raw, skipped);
    }
    if trajectory.continued_trajectory_ref.is_some() {
        skipped.count("continuation in another file");
    }
    let ids = [&trajectory.id, &trajectory.session_id];
    let id = ids.into_iter().find_map(Str::non_empty).unwrap_or_default();
    transcripts.push(Transcript {
        agent: is_sub_agent.then(|| id.clone()),
        id: id.into(),
        model: trajectory.agent.model_name.non_empty(),
        tools: tool::parse_tools(trajectory.agent.tool_definitions),
        messages: builder.finish().into_iter().map(Into::into).collect(),
        ..Transcript::default()
    });
    for raw in trajectory.subagent_trajectories.0.iter().flatten() {
        match raw.object() {
            Some(trajectory) => read_trajectory(&trajectory, true, transcripts, skipped),
            None => skipped.count("record without steps"),
        }
    }
}

#[cfg(test)]
mod tests;
