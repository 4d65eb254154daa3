//! One JSON object: of one policy its simulation, of several a list of simulations.

use std::collections::HashSet;

use super::{PolicyReplays, ReplayFormat, ReplayHead, ReplayStream, Replays};
use crate::report::Encoding;
use crate::report::replay_result::{ReplayError, ReplayResult, SummedAssertion};
use crate::report::result::PolicyName;
use crate::report::simulation::{JsonListWriter, JsonWriter};

pub(super) static FORMAT: ReplayFormat = ReplayFormat {
    name: "json",
    summary: "One JSON object",
    encoding: Encoding::Json,
    render: Some(render),
    stream: Some(|head| Box::new(Writer::new(head))),
};

/// Writes simulations replay by replay.
struct Writer {
    head: ReplayHead,
    result: JsonListWriter,
    /// The simulation that is being written.
    simulation: Option<JsonWriter>,
}

impl Writer {
    fn new(head: ReplayHead) -> Self {
        Self { result: JsonListWriter::new(head.policies != 1), head, simulation: None }
    }

    /// Counts a replay, and returns its text if it is listed.
    fn add(&mut self, replay: &ReplayResult, is_listed: bool) -> String {
        let Some(simulation) = &mut self.simulation else { return String::new() };
        let result = replay.result();
        simulation.count(&result);
        if is_listed { simulation.transcript(&result) } else { String::new() }
    }
}

impl ReplayStream for Writer {
    fn begin(&mut self, policy: &PolicyReplays<'_>) -> String {
        let of = PolicyName {
            file: policy.file.to_owned(),
            name: policy.plan.policy.to_string(),
            hash: policy.plan.hash.clone(),
        };
        let (simulation, text) = self.result.simulation(self.head.version, &of, &self.head.options);
        self.simulation = Some(simulation);
        text
    }

    fn replay(&mut self, _: &PolicyReplays<'_>, replay: &ReplayResult) -> String {
        self.add(replay, true)
    }

    fn end(&mut self, errors: &[ReplayError], summed: &[SummedAssertion]) -> String {
        self.simulation.take().map_or_else(String::new, |mut simulation| simulation.end(errors, summed))
    }

    fn finish(&mut self) -> String {
        self.result.end().to_owned()
    }
}

fn render(all: &Replays<'_>) -> String {
    let mut writer = Writer::new(all.head.clone());
    let mut out = String::new();
    for policy in all.policies {
        let listed: HashSet<*const ReplayResult> = all.listed(policy).into_iter().map(std::ptr::from_ref).collect();
        out += &writer.begin(policy);
        out.extend(
            policy.replays.iter().map(|replay| writer.add(replay, listed.contains(&std::ptr::from_ref(replay)))),
        );
        out += &writer.end(all.errors, policy.summed);
    }
    out + &writer.finish()
}
