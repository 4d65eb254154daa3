//! What is printed of the replays, and how the verb ends.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::Value as Json;

use super::{Batch, Simulate};
use crate::cli::Exit;
use crate::cli::console::{Console, Failure};
use crate::plan::Plan;
use crate::report::{self, PolicyReplays, REPLAY_FORMATS, ReadCount, ReplayFormat, ReplayResult, Replays, SORTS, Sort};

#[derive(Args, Debug)]
pub(super) struct Output {
    /// The output format
    #[arg(long, default_value = REPLAY_FORMATS[0].name, value_parser = formats())]
    pub(super) format: &'static ReplayFormat,
    /// The order of the transcripts [default: saved for people, else input]
    #[arg(long, value_name = "KEY", value_parser = sorts())]
    sort: Option<&'static Sort>,
}

fn formats() -> impl TypedValueParser<Value = &'static ReplayFormat> {
    let names = REPLAY_FORMATS.iter().map(|one| PossibleValue::new(one.name).help(one.summary));
    PossibleValuesParser::new(names).map(|name| known(REPLAY_FORMATS, |one| one.name == name))
}

fn sorts() -> impl TypedValueParser<Value = &'static Sort> {
    let names = SORTS.iter().map(|one| PossibleValue::new(one.name).help(one.summary));
    PossibleValuesParser::new(names).map(|name| known(SORTS, |one| one.name == name))
}

/// The entry of a table that the parser has let through; the first one otherwise.
fn known<T>(table: &'static [&'static T], is: impl Fn(&T) -> bool) -> &'static T {
    table.iter().copied().find(|one| is(one)).unwrap_or(table[0])
}

impl Output {
    /// Whether people read it.
    fn is_for_people(&self) -> bool {
        std::ptr::eq(self.format, REPLAY_FORMATS[0])
    }

    /// Puts replays into the order in which they are shown.
    pub(super) fn sort(&self, replays: &mut [ReplayResult]) {
        if let Some(sort) = self.sort.or_else(|| self.is_for_people().then(|| SORTS[0])) {
            (sort.sort)(replays);
        }
    }
}

impl Simulate {
    /// The whole result.
    pub(super) fn render(&self, plans: &[(String, Plan)], done: &[Batch], files: usize, console: &Console) -> String {
        let policies: Vec<PolicyReplays<'_>> = plans
            .iter()
            .zip(done)
            .map(|((file, plan), done)| PolicyReplays { file, plan, replays: &done.replays })
            .collect();
        let errors = done.first().map_or(&[][..], |done| &done.errors);
        let all = Replays { policies: &policies, errors, style: console.style };
        let people = self.output.is_for_people();
        let text = match (&self.explain, done) {
            (Some(explain), [one]) if people => explain.text(&one.replays, console.style),
            _ => (self.output.format.render)(&all),
        };
        if !people {
            return text;
        }
        let reach = ReadCount { read: files - done.first().map_or(0, Batch::unread).min(files), all: files };
        let asserted = policies.iter().map(|one| report::assertions(one.replays, reach, console.style));
        let head = if text.is_empty() { String::new() } else { reach.head(console.style) };
        head + &text + &asserted.collect::<String>()
    }

    /// How the verb ends.
    pub(super) fn exit(&self, done: &[Batch], files: usize) -> Result<Exit, Failure> {
        let first = done.first().map_or(&[][..], |done| &done.errors);
        let later = done.iter().skip(1).flat_map(|done| &done.errors).filter(|error| !first.contains(error));
        let errors: Vec<&Json> = first.iter().chain(later).collect();
        let failed = errors.len();
        let replays = || done.iter().flat_map(|done| &done.replays);
        let panicked = done.iter().any(|done| done.panicked > 0);
        if panicked || failed > 0 && (self.strict || replays().next().is_none()) {
            let files = files.max(done.first().map_or(0, |done| done.replays.len() + done.errors.len()));
            return Err(Failure::Message(format!("{failed} of {files} recordings could not be replayed")));
        }
        let broken = replays().any(|one| !one.trace.invariants.broken.is_empty());
        let denied = replays().flat_map(|one| &one.assertions).any(|one| !one.verdict.is_met);
        Ok(if broken || denied { Exit::Findings } else { Exit::Success })
    }
}
