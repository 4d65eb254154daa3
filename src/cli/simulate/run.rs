//! One policy on all recordings.

use std::io::{self, Write};
use std::sync::Mutex;

use trimtab_analysis::test::Observer;
use trimtab_language::plan::Plan;
use trimtab_model::model::TokenizerError;
use trimtab_recordings::transcript::ReadError;
use trimtab_report::report::{self, Encoding, PolicyReplays, ReplayResult, ReplayStream};
use trimtab_simulate::simulate::{Options, Sent, check_counter, replay};

use super::Simulate;
use super::assertion::Assertions;
use super::events::EventsFile;
use super::stream::Stream;
use crate::cli::console::{Console, Failure};
use crate::cli::load::Recording;
use crate::cli::recordings::{Done, Item, shows_progress};
use crate::cli::replay::{self, Batch, Inputs, Summarisers};

/// One policy and how it is replayed.
pub(super) struct PolicyRun<'a> {
    pub(super) policy: PolicyReplays<'a>,
    /// Whether it is the first policy, which reports unreadable recordings.
    pub(super) first: bool,
    pub(super) inputs: &'a Inputs,
    pub(super) summarisers: &'a Summarisers,
    pub(super) plan: &'a Plan,
    pub(super) arguments: &'a Simulate,
    pub(super) options: Options,
    pub(super) assertions: Assertions,
}

/// The file of `--contexts`, written while a recording is replayed, and why that failed.
struct ContextsFile(Mutex<(Stream, Option<io::Error>)>);

impl PolicyRun<'_> {
    /// Replays all recordings in parallel and reports those that could not be read.
    pub(super) fn replay_recordings(
        &self,
        mut stream: Option<&mut (dyn ReplayStream + 'static)>,
        console: &mut Console,
    ) -> Result<Batch, Failure> {
        let arguments = self.arguments;
        let contexts = arguments.contexts.as_deref().map(Stream::create).transpose()?.map(ContextsFile::new);
        let mut events = EventsFile::create(arguments.events.as_deref())?;
        let mut done = Batch { summed: self.assertions.summed.clone(), ..Batch::default() };
        if let Some(stream) = &mut stream {
            console.write(arguments.output.format.encoding.finish(stream.begin(&self.policy)))?;
        }
        for (file, error) in self.inputs.unread() {
            self.fail(&mut done, file, error.clone(), console);
        }
        // Contexts are written in the order in which they are sent.
        let jobs = if contexts.is_some() { 1 } else { arguments.input.jobs.count() };
        let shows_progress = shows_progress(console, stream.is_some() || arguments.replaces_report());
        let recordings = self.inputs.recordings(&arguments.input, jobs, contexts.is_some(), shows_progress);
        recordings.each(
            |_, recording| self.replayed(recording, contexts.as_ref()),
            |item| {
                contexts.as_ref().map_or(Ok(()), ContextsFile::check)?;
                self.take(item, &mut done, &mut events, stream.as_deref_mut(), console)
            },
        )?;
        done.unsupported.lines().filter(|_| self.first).for_each(|line| console.error(&line));
        self.inputs.note_on_copies().filter(|_| self.first).iter().for_each(|note| console.note(note));
        if replay::has_result(std::slice::from_ref(&done)) {
            events.finish()?;
            contexts.map_or(Ok(()), ContextsFile::finish)?;
        }
        Ok(done)
    }

    /// Adds what became of a transcript or a file, and prints it if the format is written meanwhile.
    fn take(
        &self,
        item: Item<Result<ReplayResult, TokenizerError>>,
        done: &mut Batch,
        events: &mut EventsFile,
        stream: Option<&mut (dyn ReplayStream + 'static)>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        match item {
            Item::Done(Done { id, value: Err(error), .. }) => {
                let error = ReadError::new(error.to_string());
                self.fail(done, &id, error, console);
            }
            Item::Done(Done { file, id, value: Ok(mut value), skipped, .. }) => {
                (value.id, value.file) = (id, file.name.clone());
                for (kind, count) in skipped {
                    *value.trace.skipped.entry(kind).or_default() += count;
                }
                events.write(&mut value)?;
                let calls = value.trace.calls.len();
                console.detail(&format!("{}: {}, {calls} calls", value.id, value.trace.format));
                console.transcript_done(&value.id, value.trace.format, calls);
                let is_written = stream.is_some();
                if let Some(stream) = stream {
                    console.write(self.arguments.output.format.encoding.finish(stream.replay(&self.policy, &value)))?;
                    // A format that is only streamed is read as it comes.
                    if self.arguments.output.format.is_streamed() {
                        console.ensure_open()?;
                    }
                }
                let is_done = is_written && self.arguments.svg.is_none();
                let condenses = self.arguments.explain.is_none() && !self.arguments.per_call;
                done.add(value, is_done, condenses);
            }
            Item::Panicked { id, message } => {
                done.panicked += 1;
                self.fail(done, &id, ReadError::new(message), console);
            }
            Item::Unread { file, error } => self.fail(done, &file.name, error, console),
            Item::FileEnd { .. } => {}
        }
        Ok(())
    }

    fn fail(&self, done: &mut Batch, file: &str, error: ReadError, console: &Console) {
        if let Some(message) = done.fail(file, error).filter(|_| self.first) {
            console.error(&message);
        }
    }

    /// Replays one transcript of a file.
    fn replayed(&self, recording: &Recording, contexts: Option<&ContextsFile>) -> Result<ReplayResult, TokenizerError> {
        check_counter(self.plan, &recording.transcript, &self.options)?;
        let mut summariser = (self.summarisers)();
        let mut watch = Observer::new(&self.assertions.expectations);
        let options = watch.options(self.options.clone());
        let mut trace = replay(self.plan, &recording.transcript, &options, summariser.as_mut(), &mut |sent| {
            watch.record(sent);
            if let Some(file) = contexts {
                file.write(&recording.id, sent);
            }
        });
        let assertions = self.assertions.results(&watch, &trace);
        // The assertions have been checked; keeping the conditions of every call would take too much memory.
        let followed = std::mem::take(&mut trace.all_explained);
        trace.all_explained = self.arguments.explain.as_ref().map_or_else(Vec::new, |explain| explain.keep(followed));
        Ok(ReplayResult { file: String::new(), id: recording.id.clone(), trace, assertions })
    }
}

impl ContextsFile {
    fn new(stream: Stream) -> Self {
        Self(Mutex::new((stream, None)))
    }

    /// Writes a context, unless writing has failed.
    fn write(&self, id: &str, sent: &Sent<'_>) {
        let Ok(mut file) = self.0.lock() else { return };
        let (stream, error) = &mut *file;
        if error.is_none() {
            *error = writeln!(stream, "{}", Encoding::Json.finish(report::context_json(id, sent).to_string())).err();
        }
    }

    /// Fails if writing has failed.
    fn check(&self) -> Result<(), Failure> {
        let error = self.0.lock().ok().and_then(|mut file| file.1.take());
        error.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Ends the file.
    fn finish(self) -> Result<(), Failure> {
        self.check()?;
        self.0.into_inner().map_or(Ok(()), |(stream, _)| stream.commit())
    }
}
