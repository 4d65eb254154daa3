//! An agent that works in a directory with real tools, under a policy. Its model is a script, so that it needs no key.
//!
//! `cargo run --example agent -- [DIRECTORY [POLICY [SCRIPT]]]` runs it in a directory, which then contains the files of the
//! agent, the recording of its session, the log of its events, its playbook, and the state with which an interrupted
//! session continues.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example has tools and shows what it does")]

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use trimtab::{
    Dialect, Event, Hook, HookChain, HookResult, Host, Next, Plan, PlaybookFile, PreparedRequest, RECALL_TOOL,
    RuleFiring, SavedSession, Session,
};

use self::script::Script;
use self::tools::{Call, Tools};

#[path = "common/script.rs"]
mod script;
#[path = "common/tools.rs"]
mod tools;

const SYSTEM: &str = "You count words. Use the tools.\n<style>\nAnswer in one sentence.\n</style>\n\
                      <notes>\nnote.md is the only file that you write.\n</notes>";

/// The most model calls for a request of a person.
const MAX_ITERATIONS: u64 = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().map_or_else(|| std::env::temp_dir().join("trimtab-agent"), PathBuf::from);
    let policy = arguments.next().unwrap_or_else(|| "examples/agent.trim".to_owned());
    let script = fs::read_to_string(arguments.next().as_deref().unwrap_or("examples/agent.script"))?;
    let plan = trimtab::compile_file(policy)?.plan(None)?;
    let mut agent = Agent::start(&plan, &script, &directory)?;
    while agent.step()? {}
    println!("The recording is {}.", agent.path("session.jsonl").display());
    Ok(())
}

/// An agent and its files.
pub struct Agent {
    directory: PathBuf,
    script: Script,
    tools: Tools,
    session: Session,
    playbook: PlaybookFile,
    /// The history without the edits of the policy.
    messages: Vec<Value>,
    /// Seconds since the session began, by which the example counts time.
    clock: i64,
    sent: Vec<PreparedRequest>,
    firings: Vec<RuleFiring>,
}

/// What an interrupted agent needs besides its playbook.
#[derive(Serialize, Deserialize)]
struct State {
    session: Option<SavedSession>,
    messages: Vec<Value>,
    clock: i64,
    /// The lengths of the files that grow, so that what was written after the state was saved is not written twice.
    lengths: [u64; 2],
}

/// The files that grow.
const GROWING: [&str; 2] = ["session.jsonl", "events.jsonl"];

/// What the session needs after its questions are answered.
enum Answered {
    Send(PreparedRequest),
    Ready,
    Stopped(String),
}

impl Answered {
    /// The reason if a rule has stopped the run.
    fn stop(self) -> Option<String> {
        if let Self::Stopped(reason) = self { Some(reason) } else { None }
    }
}

impl Agent {
    /// Starts an agent in a directory, or continues the one that was interrupted there.
    ///
    /// # Errors
    /// The directory cannot be written, or its state is not that of an agent under this plan.
    pub fn start(plan: &Plan, script: &str, directory: &Path) -> Result<Self, Box<dyn Error>> {
        let tools = Tools::new(directory)?;
        let saved = fs::read_to_string(directory.join("state.json")).ok();
        let saved: Option<State> = saved.map(|text| serde_json::from_str(&text)).transpose()?;
        for (name, length) in GROWING.iter().zip(saved.as_ref().map_or([0; 2], |saved| saved.lengths)) {
            OpenOptions::new().create(true).append(true).open(directory.join(name))?.set_len(length)?;
        }
        let playbook = PlaybookFile::new(directory.join("playbook.json"));
        let log: Arc<dyn Hook> = Arc::new(EventLog(Mutex::new(appending(&directory.join("events.jsonl"))?)));
        let host = Host::new().max_iterations(MAX_ITERATIONS).hooks(HookChain::new([Some(log)]));
        let (session, messages, clock) = match saved {
            Some(State { session: Some(session), messages, clock, .. }) => {
                (Session::restore(plan, host, &session)?, messages, clock)
            }
            _ => (Session::new(plan, host.playbook(playbook.load()?.0)), Vec::new(), 0),
        };
        let script = Script::parse(script);
        let (directory, sent, firings) = (directory.to_owned(), Vec::new(), Vec::new());
        let mut agent = Self { directory, script, tools, session, playbook, messages, clock, sent, firings };
        if agent.messages.is_empty() {
            agent.messages.push(json!({"role": "system", "content": SYSTEM}));
            agent.listen();
        }
        Ok(agent)
    }

    /// One model call and its tools. False when the agent is done.
    ///
    /// # Errors
    /// The files of the agent cannot be written.
    pub fn step(&mut self) -> Result<bool, Box<dyn Error>> {
        let next = self.before_request()?;
        let (is_done, stop) = match self.answer(next) {
            Answered::Send(request) => {
                self.report(request.firings.clone());
                self.call(request)?
            }
            Answered::Stopped(reason) => (true, Some(reason)),
            Answered::Ready => (true, None),
        };
        if let Some(reason) = stop {
            self.end_stopped_run(&reason)?;
        }
        let goes_on = !is_done || self.listen();
        self.save()?;
        Ok(goes_on)
    }

    /// Hands over the request that the agent would send without a policy.
    fn before_request(&mut self) -> Result<Next, Box<dyn Error>> {
        let body = json!({"model": "scripted", "messages": self.messages, "tools": Tools::declarations()}).to_string();
        Ok(self.session.before_request(Dialect::OpenAiChat, &body, Some(&self.now()))?)
    }

    /// Calls the model and its tools. Returns whether the request of the person is answered, and why a rule has stopped the
    /// run, if one has.
    fn call(&mut self, request: PreparedRequest) -> Result<(bool, Option<String>), Box<dyn Error>> {
        let reply = self.script.reply(&self.messages, &request.json);
        let next = self.session.after_reply(&reply.to_string(), Some(&self.now()))?;
        let mut stop = self.answer(next).stop();
        let message = reply["choices"][0]["message"].clone();
        let calls = Call::of(&message);
        self.messages.push(message.clone());
        if calls.is_empty() {
            let next = self.session.reflection(message["content"].as_str().unwrap_or_default(), false);
            self.answer(next);
        } else if calls.len() > 1 && stop.is_none() {
            let next = self.session.plan_execution("parallel", calls.iter().map(|call| &call.tool));
            stop = self.answer(next).stop();
        }
        for call in &calls {
            let mut refusal = if request.hidden_tools.contains(&call.tool) { "it is not offered now" } else { "" };
            if stop.is_none() {
                let next = self.session.tool_validation(&call.tool, refusal.is_empty(), refusal);
                stop = self.answer(next).stop();
            }
            if stop.is_some() {
                refusal = "the run was stopped";
            }
            let result = if refusal.is_empty() { self.result(call) } else { Err(refusal.to_owned()) };
            let mut message = call.message(&result);
            // This dialect does not say whether a call has failed, but sessions read this key.
            message["is_error"] = result.is_err().into();
            self.messages.push(message);
            self.clock += 5;
        }
        self.sent.push(request);
        Ok((stop.is_some() || calls.is_empty(), stop))
    }

    /// Ends a run that a rule has stopped with a message in place of the reply. So the next message of the person begins a
    /// run.
    fn end_stopped_run(&mut self, reason: &str) -> Result<(), Box<dyn Error>> {
        self.before_request()?;
        let message = json!({"role": "assistant", "content": format!("Stopped: {reason}.")});
        self.session.after_reply(&message.to_string(), Some(&self.now()))?;
        self.messages.push(message);
        Ok(())
    }

    /// The result of a call. The session has what `recall` returns, and how much the results of a tool may contain.
    fn result(&self, call: &Call) -> Result<String, String> {
        match &call.argument {
            Some(id) if call.tool == RECALL_TOOL => self.session.recall(id).map_err(|error| error.to_string()),
            _ => self.tools.carry_out(call, self.session.boost(&call.tool)),
        }
    }

    /// Answers the questions of the session.
    fn answer(&mut self, mut next: Next) -> Answered {
        loop {
            next = match next {
                // Another agent would ask a model here.
                Next::Summarise(question, request) => {
                    let lines = request.transcript.lines().count();
                    let summary = format!("So far there were {lines} steps; the chapters are counted one by one.");
                    self.session.answer(question, Ok(summary))
                }
                Next::Ask(question, _) => self.session.decide(question, false),
                Next::Confirm { question, .. } => self.session.confirm(question, false),
                Next::Stop { rule, reason } => {
                    println!("{rule} stops the run: {reason}");
                    return Answered::Stopped(reason);
                }
                Next::Send(request) => return Answered::Send(request),
                _ => return Answered::Ready,
            };
        }
    }

    /// Takes in the next request of the person. False if there is none.
    fn listen(&mut self) -> bool {
        let requests = self.messages.iter().filter(|message| message["role"] == "user").count();
        let Some(text) = self.script.request(requests) else { return false };
        self.messages.push(json!({"role": "user", "content": text}));
        self.clock += 60;
        true
    }

    fn report(&mut self, firings: Vec<RuleFiring>) {
        for firing in &firings {
            let notice = firing.notice.as_deref().unwrap_or_default();
            println!("{}: {} edits, {} tokens saved {notice}", firing.rule, firing.edits, firing.tokens_saved);
        }
        self.firings.extend(firings);
    }

    /// Appends to the recording and saves playbook and state, from which an interrupted agent continues.
    fn save(&mut self) -> Result<(), Box<dyn Error>> {
        let (firings, _) = self.session.take_firings();
        self.report(firings);
        for failure in self.session.take_hook_failures() {
            println!("{failure}");
        }
        if let Some((_, lines)) = self.session.take_recording() {
            appending(&self.path("session.jsonl"))?.write_all(lines.as_bytes())?;
        }
        self.playbook.save(self.session.playbook())?;
        let mut lengths = [0; 2];
        for (length, name) in lengths.iter_mut().zip(GROWING) {
            *length = fs::metadata(self.path(name))?.len();
        }
        let (session, messages, clock) = (self.session.save(), self.messages.clone(), self.clock);
        let state = serde_json::to_string(&State { session, messages, clock, lengths })?;
        fs::write(self.path("state.new"), state)?;
        Ok(fs::rename(self.path("state.new"), self.path("state.json"))?)
    }

    /// One of the files of the agent.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The requests that were sent in this process.
    pub fn sent(&self) -> &[PreparedRequest] {
        &self.sent
    }

    /// What rules have done in this process.
    pub fn firings(&self) -> &[RuleFiring] {
        &self.firings
    }

    fn now(&self) -> String {
        format!("2026-01-01T00:{:02}:{:02}Z", self.clock / 60 % 60, self.clock % 60)
    }
}

/// A hook that logs every event as a line of JSON.
struct EventLog(Mutex<File>);

impl Hook for EventLog {
    fn event(&self, event: &Event) -> HookResult {
        let mut file = self.0.lock().map_err(|_| "another event could not be logged")?;
        Ok(writeln!(file, "{}", serde_json::to_string(event)?)?)
    }
}

fn appending(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}
