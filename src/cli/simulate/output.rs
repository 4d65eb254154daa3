//! Renders replays and decides the exit code.

use std::io::Write;

use clap::Args;
use trimtab_language::plan::Plan;
use trimtab_report::report::{
    self, PolicyReplays, REPLAY_FORMATS, ReadCount, Rendered, ReplayFormat, ReplayHead, ReplayStream, Replays, SORTS,
    Sort,
};

use super::Simulate;
use super::stream::Stream;
use crate::cli::choice::choice;
use crate::cli::console::{Console, Failure};
use crate::cli::replay::{Batch, Inputs};

#[derive(Args, Debug)]
pub(super) struct Output {
    /// The output format
    #[arg(long, default_value = REPLAY_FORMATS[0].name, value_parser = choice(REPLAY_FORMATS, |format| (format.name, format.summary)))]
    pub(super) format: &'static ReplayFormat,
    /// The order of the transcripts [default: saved for the human format, else input]
    #[arg(long, value_name = "KEY", value_parser = choice(SORTS, |format| (format.name, format.summary)))]
    sort: Option<&'static Sort>,
    /// List only the N transcripts that the policy changes most; totals are over all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
}

impl Output {
    /// Writes replays as they come, if the format does so and needs no order or choice of them.
    pub(super) fn stream(&self, head: &ReplayHead, needs_all: bool) -> Option<Box<dyn ReplayStream>> {
        let is_input = self.sort.is_none_or(|sort| sort.is_input);
        let is_possible = self.format.is_streamed() || self.top.is_none() && is_input && !needs_all;
        self.format.stream.filter(|_| is_possible).map(|stream| stream(head.clone()))
    }

    /// Whether the format is for people.
    pub(super) fn is_for_people(&self) -> bool {
        std::ptr::eq(self.format, REPLAY_FORMATS[0])
    }

    /// Fails if `--top` is given for a format that is written before all transcripts are known.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.top.is_some() && self.format.is_streamed() {
            let name = self.format.name;
            let reason =
                format!("--top cannot be used with --format {name}, which writes each transcript as it is replayed");
            return Err(Failure::Message(reason));
        }
        Ok(())
    }

    /// Sorts the results for the report.
    pub(super) fn sort(&self, done: &mut Batch) {
        if let Some(sort) = self.sort.or_else(|| self.is_for_people().then(|| SORTS[0])) {
            sort.replays(&mut done.replays);
            sort.errors(&mut done.errors);
        }
    }
}

/// Each policy with its replays.
fn policies<'a>(plans: &'a [(String, Plan)], done: &'a [Batch]) -> Vec<PolicyReplays<'a>> {
    let policy = |((file, plan), done): (&'a (String, Plan), &'a Batch)| PolicyReplays {
        file,
        plan,
        replays: &done.replays,
        summed: &done.summed,
    };
    plans.iter().zip(done).map(policy).collect()
}

impl Simulate {
    /// Writes the chart, if one is wanted.
    pub(super) fn write_chart(&self, plans: &[(String, Plan)], done: &[Batch]) -> Result<(), Failure> {
        let Some(path) = &self.svg else { return Ok(()) };
        let chart = report::context_chart(&policies(plans, done))
            .ok_or_else(|| Failure::Message("--svg: there is no model call to draw".to_owned()))?;
        let mut file = Stream::create(path)?;
        file.write_all(chart.as_bytes())?;
        file.commit()
    }

    /// The report.
    pub(super) fn render(
        &self,
        plans: &[(String, Plan)],
        head: &ReplayHead,
        done: &[Batch],
        inputs: &Inputs,
        console: &Console,
    ) -> Rendered {
        let policies = policies(plans, done);
        let errors = done.first().map_or(&[][..], |done| &done.errors);
        let top = self.output.top.map(|top| usize::try_from(top).unwrap_or(usize::MAX));
        let all = Replays { policies: &policies, head, errors, top, is_verbose: console.verbose, style: console.style };
        let people = self.output.is_for_people();
        let text = match (&self.explain, done) {
            (Some(explain), [policy]) if people => explain.text(&policy.replays, console.style),
            _ if !people => return self.output.format.render(&all),
            _ => self.output.format.text(&all),
        };
        let files = inputs.file_count();
        let read_count = ReadCount { read: files - done.first().map_or(0, Batch::unread).min(files), all: files };
        let asserted = policies.iter().map(|policy| report::assertions(policy, read_count, console.style));
        let sample = inputs.heading(self.input.sampling, console.style);
        let head = if text.is_empty() { String::new() } else { read_count.heading(console.style) };
        Rendered::from(&(sample + &head + &text + &asserted.collect::<String>()))
    }
}
