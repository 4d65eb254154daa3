//! An agent that works in a directory with real tools, under a policy. Its model is a script, so that it needs no key.
//!
//! `cargo run --example agent -- [DIRECTORY]` runs it in a directory, which then contains the files of the agent, the
//! recording of its session, the log of its events, and the state with which an interrupted session continues.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example has tools and shows what it does")]

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use trimtab::{Dialect, Event, Hook, HookChain, HookResult, Host, Next, Plan, PreparedRequest, SavedSession, Session};

use self::tools::Tools;

#[path = "common/tools.rs"]
mod tools;

/// What the model does at each call: a tool with its argument, or the answer.
const SCRIPT: &[(&str, &str)] = &[
    ("write_note", "Count the words of every chapter."),
    ("search", "chapter"),
    ("read", "one.txt"),
    ("read", "two.txt"),
    ("read", "three.txt"),
    ("read", "four.txt"),
    ("run", "wc -w one.txt"),
    ("run", "wc -w two.txt three.txt"),
    ("run", "./count-words"),
    ("run", "./count-words --all"),
    ("run", "wc -w four.txt"),
    ("read", "one.txt"),
    ("write_note", "Counted: one, two, three, four."),
    ("answer", "Every chapter has about 550 words."),
];

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("trimtab-agent"), PathBuf::from);
    let plan = trimtab::compile_file("examples/agent.trim")?.plan(None)?;
    let mut agent = Agent::start(&plan, &directory)?;
    while agent.step()? {}
    println!("The recording is {}.", agent.recording().display());
    Ok(())
}

/// A hook that logs every event as a line of JSON.
struct EventLog(Mutex<fs::File>);

impl EventLog {
    fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        let file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(file)))
    }
}

impl Hook for EventLog {
    fn event(&self, event: &Event) -> HookResult {
        let mut file = self.0.lock().map_err(|_| "another event could not be logged")?;
        Ok(writeln!(file, "{}", serde_json::to_string(event)?)?)
    }
}

/// An agent and its files.
pub struct Agent {
    directory: PathBuf,
    tools: Tools,
    session: Session,
    messages: Vec<Value>,
    /// Seconds since the session began, by which the example counts time.
    clock: i64,
    /// The rules that have fired, and the JSON that was sent, call by call.
    log: Vec<(Vec<String>, String)>,
}

impl Agent {
    /// Starts an agent in a directory, or continues the one that was interrupted there.
    ///
    /// # Errors
    /// The directory cannot be written, or its state is not that of an agent under this plan.
    pub fn start(plan: &Plan, directory: &Path) -> Result<Self, Box<dyn Error>> {
        let tools = Tools::new(directory)?;
        let log: Arc<dyn Hook> = Arc::new(EventLog::open(&directory.join("events.jsonl"))?);
        let host = Host::new().hooks(HookChain::new([Some(log)]));
        let mut agent = Self {
            directory: directory.to_owned(),
            tools,
            session: Session::new(plan, host.clone()),
            messages: Vec::new(),
            clock: 0,
            log: Vec::new(),
        };
        if let Ok(state) = fs::read_to_string(agent.state()) {
            let (saved, messages, clock): (SavedSession, Vec<Value>, i64) = serde_json::from_str(&state)?;
            agent.session = Session::restore(plan, host, &saved)?;
            (agent.messages, agent.clock) = (messages, clock);
            return Ok(agent);
        }
        agent.messages.push(json!({"role": "system", "content": "You count words. Use the tools."}));
        agent.messages.push(json!({"role": "user", "content": "How many words do the chapters have?"}));
        Ok(agent)
    }

    /// One model call and its tools. False when the agent is done.
    ///
    /// # Errors
    /// The files of the agent cannot be written.
    pub fn step(&mut self) -> Result<bool, Box<dyn Error>> {
        let body = json!({"model": "scripted", "messages": self.messages, "tools": Tools::declarations()}).to_string();
        let next = self.session.before_request(Dialect::OpenAiChat, &body, Some(&self.now()))?;
        let Some(request) = self.answer(next) else { return Ok(false) };
        for firing in &request.firings {
            println!("{}: {} edits, {} tokens saved", firing.rule, firing.edits, firing.tokens_saved);
        }
        self.log.push((request.firings.iter().map(|firing| firing.rule.clone()).collect(), request.json.clone()));
        let reply = self.call_model(&request);
        let next = self.session.after_reply(&reply.to_string(), Some(&self.now()))?;
        self.answer(next);
        let message = reply["choices"][0]["message"].clone();
        self.messages.push(message.clone());
        let results = self.tools.results(&message);
        self.clock += 5 * i64::try_from(results.len())?;
        let is_done = results.is_empty();
        self.messages.extend(results);
        if is_done {
            let next = self.session.end_iteration();
            self.answer(next);
        }
        for failure in self.session.take_hook_failures() {
            println!("{failure}");
        }
        self.keep()?;
        Ok(!is_done)
    }

    /// Answers the questions of the session. None if the run is stopped.
    fn answer(&mut self, mut next: Next) -> Option<PreparedRequest> {
        loop {
            next = match next {
                Next::Send(request) => return Some(request),
                // Another agent would ask a model here.
                Next::Summarise(question, request) => {
                    let lines = request.transcript.lines().count();
                    self.session.answer(
                        question,
                        Ok(format!("So far there were {lines} steps; the chapters are counted one by one.")),
                    )
                }
                Next::Ask(question, _) => self.session.decide(question, false),
                Next::Stop { rule, reason } => {
                    println!("{rule} stops the run: {reason}");
                    return None;
                }
                _ => return None,
            };
        }
    }

    /// The model: the next step of the script, and the usage that a provider would report.
    fn call_model(&self, request: &PreparedRequest) -> Value {
        let step = self.messages.iter().filter(|message| message["role"] == "assistant").count();
        let (tool, argument) = SCRIPT[step.min(SCRIPT.len() - 1)];
        let message = if tool == "answer" {
            json!({"role": "assistant", "content": argument})
        } else {
            let arguments = json!({Tools::parameter(tool): argument}).to_string();
            let function = json!({"name": tool, "arguments": arguments});
            let call = json!({"id": format!("call_{step}"), "type": "function", "function": function});
            json!({"role": "assistant", "content": null, "tool_calls": [call]})
        };
        let usage = json!({"prompt_tokens": request.json.len() / 2, "completion_tokens": 30});
        json!({"choices": [{"message": message}], "usage": usage})
    }

    /// Appends to the recording, then saves the state, so that nothing is recorded twice.
    fn keep(&mut self) -> Result<(), Box<dyn Error>> {
        if let Some((_, lines)) = self.session.take_recording() {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(self.recording())?;
            file.write_all(lines.as_bytes())?;
        }
        let state = serde_json::to_string(&(self.session.save(), &self.messages, self.clock))?;
        let new = self.state().with_extension("new");
        fs::write(&new, state)?;
        fs::rename(new, self.state())?;
        Ok(())
    }

    /// The recording of the session.
    pub fn recording(&self) -> PathBuf {
        self.directory.join("session.jsonl")
    }

    /// The log of events.
    pub fn events(&self) -> PathBuf {
        self.directory.join("events.jsonl")
    }

    /// The rules that have fired in this process, and the JSON that was sent, call by call.
    pub fn log(&self) -> &[(Vec<String>, String)] {
        &self.log
    }

    fn state(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    fn now(&self) -> String {
        format!("2026-01-01T00:{:02}:{:02}Z", self.clock / 60 % 60, self.clock % 60)
    }
}
