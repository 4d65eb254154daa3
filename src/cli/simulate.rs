//! `trimtab simulate`: replay transcripts under a policy.

mod assertion;
mod explain;
mod summariser;
mod unread;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use self::explain::Explain;
use self::summariser::Chosen;
use self::unread::UnreadFiles;
use super::console::{Console, Failure, Shown};
use super::isolated::isolated;
use super::load::{self, AgentFiles, Recording};
use super::model::known_model;
use super::project::ProjectArguments;
use super::{Exit, Verb, input};
use crate::check::Expectation;
use crate::plan::Plan;
use crate::report::{self, Reach, Replayed};
use crate::simulate::{Options, Sent, Tokens, replay};
use crate::test::Watch;
use crate::transcript::{self, ReadError};

pub(super) static VERB: Verb = Verb {
    name: "simulate",
    about: "Replay recorded transcripts under a policy: what the model would have seen",
    arguments: Simulate::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Simulate {
    /// A policy file; `-` is standard input
    #[arg(value_name = "POLICY")]
    policy_file: PathBuf,
    /// Recordings: files, directories (their .json, .jsonl and .ndjson files) or globs
    #[arg(required = true, value_name = "TRANSCRIPT")]
    transcripts: Vec<PathBuf>,
    /// The policy, when the file holds several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// How contexts are counted [default: reported where the recording holds usage, else estimate]
    #[arg(long, value_enum)]
    tokens: Option<Counter>,
    /// The context window in tokens, such as 200000 or 200k
    #[arg(long, value_name = "N", value_parser = window)]
    window: Option<u64>,
    /// The model, for its window and prices
    #[arg(long, value_name = "ID", value_parser = known_model)]
    model: Option<String>,
    /// Who writes summaries: extract, fixed:TEXT, fail, or command:CMD, which gets the conversation on standard input
    #[arg(long, value_name = "WHO", default_value = "extract", value_parser = summariser::parse)]
    summariser: Chosen,
    /// Write every context that would have been sent, a line each; holds the recording's texts
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// Show each rule's condition with its values at this call, from 0, or one rule at every call; holds the recording's
    /// texts
    #[arg(long, value_name = "CALL|RULE", value_parser = explain::parse)]
    explain: Option<Explain>,
    /// Fail unless this holds on every recording, such as 'peak context.ratio <= 90%': what `expect` takes in a test
    #[arg(long = "assert", value_name = "EXPECTATION")]
    assertions: Vec<String>,
    /// The format of the recordings, when it is not recognised
    #[arg(long, value_name = "NAME", value_parser = input_format)]
    input_format: Option<String>,
    /// What standard input is called
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fail when any recording cannot be read
    #[arg(long)]
    strict: bool,
    /// No recording at all is not an error
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Counter {
    /// Characters by kind, calibrated on the recording's usage
    Estimate,
    /// The recorded input, less what the policy has taken away
    Reported,
    /// The recorded input as it stands
    Recorded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A verdict, tables and a curve
    Human,
    /// One JSON object
    Json,
    /// One JSON object a transcript, as they are done
    Jsonl,
}

pub(super) fn window(text: &str) -> Result<u64, String> {
    let text = text.trim_end_matches(" tokens").trim();
    let thousands = text.strip_suffix(['k', 'K']).map(|number| (number, 1_000));
    let millions = || text.strip_suffix('M').map(|number| (number, 1_000_000));
    let (number, factor) = thousands.or_else(millions).unwrap_or((text, 1));
    let number: u64 =
        number.replace('_', "").parse().map_err(|_| "a whole number of tokens, such as 200000 or 200k")?;
    if number == 0 {
        return Err("a window holds at least one token".to_owned());
    }
    number.checked_mul(factor).ok_or_else(|| "that is more than any window".to_owned())
}

fn input_format(name: &str) -> Result<String, String> {
    let names: Vec<&str> = transcript::FORMATS.iter().map(|format| format.name).collect();
    match transcript::find(name) {
        Some(_) => Ok(name.to_owned()),
        None => Err(format!("known formats are {}", names.join(", "))),
    }
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Simulate::from_arg_matches(matches).map_err(|error| error.to_string())?;
    input::one_stdin(&[std::slice::from_ref(&arguments.policy_file), &arguments.transcripts])?;
    let mut console = Console::open(&arguments.shown)?;
    let name = input::shown(&arguments.policy_file, arguments.stdin_filename.as_deref());
    let project = arguments.project.open(std::slice::from_ref(&arguments.policy_file), &console)?;
    let plan = load::plan(&arguments.policy_file, &name, arguments.policy.as_deref(), &project, &console)?;
    let Some(plan) = plan else { return Ok(Exit::Findings) };
    let paths = input::files(&arguments.transcripts, load::RECORDINGS)?;
    if paths.is_empty() && !arguments.allow_empty {
        return Err(Failure::Said("no recording was found (--allow-empty if that is fine)".to_owned()));
    }
    arguments.explain.as_ref().map_or(Ok(()), |explain| explain.check(&plan))?;
    let asserted = assertion::all(&arguments.assertions, &plan, &console)?;
    let agents = AgentFiles::among(&paths);
    let work = Work { agents, plan: &plan, arguments: &arguments, options: arguments.options(), asserted };
    let done = work.all(&paths, &mut console)?;
    arguments.explain.as_ref().map_or(Ok(()), |explain| explain.check_calls(&done.replays))?;
    let reach = Reach { read: paths.len().saturating_sub(done.unread()), all: paths.len() };
    let text = work.render(&name, &done, reach, &console);
    console.result(&text)?;
    console.close()?;
    work.exit(&done, paths.len())
}

impl Simulate {
    fn options(&self) -> Options {
        let tokens = match self.tokens {
            None => Tokens::Best,
            Some(Counter::Estimate) => Tokens::Estimate,
            Some(Counter::Reported) => Tokens::Reported,
            Some(Counter::Recorded) => Tokens::Recorded,
        };
        let model = self.model.clone();
        let options = Options { tokens, window: self.window, model, ..Options::default() };
        match &self.explain {
            None => options,
            Some(explain) => explain.options(options),
        }
    }
}

/// Everything that came of the recordings, in input order.
#[derive(Default)]
struct Done {
    replays: Vec<Replayed>,
    errors: Vec<Json>,
    /// What is printed of the errors at once; files of formats that are not read come at the end.
    complaints: Vec<String>,
    unread: UnreadFiles,
    /// How many of the errors are bugs of this program.
    panicked: usize,
}

impl Done {
    fn fail(&mut self, file: &str, error: ReadError) {
        self.errors.push(json!({ "file": file, "message": error.message, "line": error.line }));
        match error.unread {
            Some(kind) => self.unread.add(kind, file.to_owned(), error.message),
            None => self.complaints.push(format!("error: {file}: {}", error.message)),
        }
    }

    fn take(&mut self, file: Self) {
        self.replays.extend(file.replays);
        self.errors.extend(file.errors);
        self.unread.take(file.unread);
        self.panicked += file.panicked;
    }

    /// How many files could not be read.
    fn unread(&self) -> usize {
        self.errors.len() - self.panicked
    }
}

/// Takes each context that is sent, with the id of its transcript.
type Sink<'a> = dyn FnMut(&str, &Sent<'_>) -> io::Result<()> + 'a;

struct Work<'a> {
    agents: AgentFiles,
    plan: &'a Plan,
    arguments: &'a Simulate,
    options: Options,
    asserted: Vec<Expectation>,
}

impl Work<'_> {
    /// Replays all recordings, several at once, and says what could not be read.
    fn all(&self, paths: &[PathBuf], console: &mut Console) -> Result<Done, Failure> {
        let mut contexts = self.arguments.contexts.as_deref().map(create).transpose()?;
        let mut done = Done::default();
        // Small enough that results stream, large enough to keep the cores busy.
        let batch = if contexts.is_some() { 1 } else { 64 };
        let progress = Progress { done: AtomicUsize::new(0), all: paths.len(), shows: self.shows_progress(console) };
        for paths in paths.chunks(batch) {
            let files: Vec<Done> = match &mut contexts {
                Some(file) => {
                    vec![self.file(&paths[0], &mut |id, sent| writeln!(file, "{}", report::context_json(id, sent)))]
                }
                None => paths.par_iter().map(|path| self.counted(path, &progress)).collect(),
            };
            for file in files {
                self.show(&file, console)?;
                done.take(file);
            }
            if self.arguments.format == Format::Jsonl {
                console.go_on()?;
            }
        }
        done.unread.lines().for_each(|line| Console::complain(&line));
        if let Some(mut file) = contexts {
            file.flush()?;
        }
        Ok(done)
    }

    /// Prints what a file gave as soon as it is there.
    fn show(&self, file: &Done, console: &mut Console) -> Result<(), Failure> {
        for one in &file.replays {
            let calls = one.trace.calls.len();
            console.detail(&format!("{}: {}, {calls} calls", one.id, one.trace.format));
            if self.arguments.format == Format::Jsonl {
                console.result(&format!("{}\n", report::transcript_json(one)))?;
            }
        }
        for complaint in &file.complaints {
            Console::complain(complaint);
        }
        Ok(())
    }

    /// Reads one file and replays its transcripts.
    fn file(&self, path: &Path, sink: &mut Sink<'_>) -> Done {
        let mut done = Done::default();
        let name = input::shown(path, self.arguments.stdin_filename.as_deref());
        let format = self.arguments.input_format.as_deref();
        let recordings = match load::recordings(path, &name, format, &self.agents) {
            Ok(recordings) => recordings,
            Err(error) => {
                done.fail(&name, error);
                return done;
            }
        };
        let mut lost = None;
        for one in &recordings {
            match isolated(|| self.replayed(&name, one, sink, &mut lost)) {
                Ok(replay) => done.replays.push(replay),
                Err(panic) => {
                    done.panicked += 1;
                    done.fail(&one.id, ReadError { message: panic, line: None, unread: None });
                }
            }
        }
        if let Some(error) = lost {
            let message = format!("cannot write contexts: {error}");
            let mut failed = Done::default();
            failed.fail(&name, ReadError { message, line: None, unread: None });
            return failed;
        }
        done
    }

    /// Replays one transcript of a file.
    fn replayed(&self, file: &str, one: &Recording, sink: &mut Sink<'_>, lost: &mut Option<io::Error>) -> Replayed {
        let mut summariser = self.arguments.summariser.make();
        let mut watch = Watch::new(&self.asserted);
        let options = watch.options(self.options.clone());
        let mut trace = replay(self.plan, &one.transcript, &options, summariser.as_mut(), &mut |sent| {
            watch.see(sent);
            if lost.is_none() {
                *lost = sink(&one.id, sent).err();
            }
        });
        let asserted = assertion::judged(&self.arguments.assertions, &watch, &trace);
        // The conditions of every call have been judged; many recordings' would fill the memory.
        let followed = std::mem::take(&mut trace.followed);
        trace.followed = self.arguments.explain.as_ref().map_or_else(Vec::new, |explain| explain.keep(followed));
        Replayed { file: file.to_owned(), id: one.id.clone(), trace, asserted }
    }

    fn render(&self, policy: &str, done: &Done, reach: Reach, console: &Console) -> String {
        match self.arguments.format {
            Format::Jsonl => String::new(),
            Format::Json => format!("{:#}\n", report::simulation_json(self.plan, policy, &done.replays, &done.errors)),
            Format::Human if done.replays.is_empty() => String::new(),
            Format::Human => {
                let text = match &self.arguments.explain {
                    None => report::simulation(self.plan, &done.replays, console.look),
                    Some(explain) => explain.text(&done.replays, console.look),
                };
                reach.head(console.look) + &text + &report::assertions(&done.replays, reach, console.look)
            }
        }
    }

    fn exit(&self, done: &Done, files: usize) -> Result<Exit, Failure> {
        let failed = done.errors.len();
        if done.panicked > 0 || failed > 0 && (self.arguments.strict || done.replays.is_empty()) {
            let files = files.max(done.replays.len() + failed);
            return Err(Failure::Said(format!("{failed} of {files} recordings could not be replayed")));
        }
        let broken = done.replays.iter().any(|one| !one.trace.invariants.broken.is_empty());
        let denied = done.replays.iter().flat_map(|one| &one.asserted).any(|one| !one.verdict.held);
        Ok(if broken || denied { Exit::Findings } else { Exit::Fine })
    }

    fn counted(&self, path: &Path, progress: &Progress) -> Done {
        let done = self.file(path, &mut |_, _| Ok(()));
        progress.step();
        done
    }

    /// Progress is for a person who waits for many recordings at a terminal.
    fn shows_progress(&self, console: &Console) -> bool {
        self.arguments.format != Format::Jsonl && console.shows_progress()
    }
}

/// How far the work has come.
struct Progress {
    done: AtomicUsize,
    all: usize,
    shows: bool,
}

impl Progress {
    /// Fewer recordings than this are done before anybody wonders.
    const MANY: usize = 16;

    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shows && self.all >= Self::MANY {
            Console::progress(&if done < self.all {
                format!("{done} of {} recordings", self.all)
            } else {
                String::new()
            });
        }
    }
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let file = File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(BufWriter::new(file))
}

#[cfg(test)]
mod tests;
