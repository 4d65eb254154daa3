//! The agent of `agent.rs` with a real model: any server with the interface of OpenAI, also one on this machine.
//!
//! `cargo run --features http --example endpoint_agent -- BASE_URL MODEL [TASK]`, for example with
//! `http://localhost:11434/v1` as the base URL. The key is read from `OPENAI_API_KEY`, if the server needs one.
//! A program of your own needs the crates `trimtab` with the feature `http`, `reqwest`, `serde_json`, `tokio` and `jiff`.
//!
//! The model may run shell commands with the rights of this program: use a container or a machine that may break.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example has tools and shows what it does")]

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use trimtab::{
    ApiKey, Dialect, EndpointDialect, EndpointOptions, EndpointSummariser, Engine, Host, LiveNext, LiveRequest,
    LiveSession, Plan, RECALL_TOOL, Record, RecordFuture,
};

use self::tools::{Call, Tools};

#[path = "common/tools.rs"]
mod tools;

const TASK: &str = "How many words do the files one.txt to four.txt have? Note what you find with write_note.";

/// How often a call is tried again when the server is busy.
const RETRIES: u32 = 4;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(base_url), Some(model)) = (arguments.next(), arguments.next()) else {
        return Err("usage: endpoint_agent BASE_URL MODEL [TASK]".into());
    };
    let task = arguments.next().unwrap_or_else(|| TASK.to_owned());
    let server = Server { base_url, model, key: std::env::var("OPENAI_API_KEY").ok() };
    let directory = std::env::temp_dir().join("trimtab-endpoint-agent");
    let plan = trimtab::compile_file("examples/agent.trim")?.plan(None)?;
    let agent = Agent::new(&plan, server, &directory)?;
    println!("{}", agent.run(&task).await?);
    println!("The recording is in {}.", directory.display());
    Ok(())
}

/// A server with the interface of OpenAI.
pub struct Server {
    /// The base URL, which ends with the version, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model.
    pub model: String,
    /// The key, if the server needs one. It is never printed.
    pub key: Option<String>,
}

/// An agent with its tools, its policy and its model.
pub struct Agent {
    server: Server,
    client: Client,
    session: LiveSession,
    tools: Tools,
}

impl Agent {
    /// An agent that works in this directory. The server writes its summaries, too.
    ///
    /// # Errors
    /// The directory cannot be written, or the base URL or the key is invalid.
    pub fn new(plan: &Plan, server: Server, directory: &Path) -> Result<Self, Box<dyn Error>> {
        // Programs whose reqwest has a TLS provider of its own do not need this; an error means that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let key = server.key.as_deref().map(ApiKey::new).transpose()?;
        let (dialect, options) = (EndpointDialect::OpenAi, EndpointOptions::default());
        let summariser = EndpointSummariser::new(dialect, &server.base_url, &server.model, key, options)?;
        let tools = Tools::new(directory)?;
        let engine = Engine::new(Arc::new(summariser)).recorder(Arc::new(Recordings(directory.to_owned())));
        // Without a store a session begins anew each time, so its recording needs a name of its own.
        let id = format!("session-{}", jiff::Timestamp::now().as_second());
        let session = LiveSession::new(plan, Host::new(), engine, &id);
        let client = Client::builder().timeout(Duration::from_secs(120)).build()?;
        Ok(Self { server, client, session, tools })
    }

    /// Works on a task and returns the answer.
    ///
    /// # Errors
    /// The server does not answer, or a rule of the policy stops the run.
    pub async fn run(&self, task: &str) -> Result<String, Box<dyn Error>> {
        let system = "You work in a directory. Use the tools, one step at a time, and answer when you are done.";
        let mut messages = vec![json!({"role": "system", "content": system}), json!({"role": "user", "content": task})];
        loop {
            let body = json!({"model": self.server.model, "messages": messages, "tools": Tools::declarations()});
            let next = self.session.before_request(Dialect::OpenAiChat, &body.to_string(), Some(&now())).await?;
            let request = match next {
                LiveNext::Send(request) => request,
                LiveNext::Stop { rule, reason, .. } => return Err(format!("{rule} stops the run: {reason}").into()),
                _ => return Err("the session can neither send nor stop".into()),
            };
            for firing in &request.prepared.firings {
                println!("{}: {} edits, {} tokens saved", firing.rule, firing.edits, firing.tokens_saved);
            }
            for failed in &request.prepared.failed_summaries {
                println!("{}: the summary failed: {}", failed.rule, failed.reason);
            }
            for warning in &request.warnings {
                println!("warning: {warning}");
            }
            let reply = self.call_model(&request.prepared.json).await?;
            let update = self.session.after_reply(&request, &reply, Some(&now())).await?;
            for warning in &update.warnings {
                println!("warning: {warning}");
            }
            if let Some(stop) = update.stop {
                return Err(format!("{} stops the run: {}", stop.rule, stop.reason).into());
            }
            let reply: Value = serde_json::from_str(&reply)?;
            let message = reply["choices"][0]["message"].clone();
            let calls = Call::of(&message);
            if calls.is_empty() {
                return Ok(message["content"].as_str().unwrap_or_default().to_owned());
            }
            messages.push(message);
            messages.extend(calls.iter().map(|call| call.message(&self.result(&request, call))));
        }
    }

    /// The result of a call. The session has what `recall` returns.
    fn result(&self, request: &LiveRequest, call: &Call) -> Result<String, String> {
        match &call.argument {
            Some(id) if call.tool == RECALL_TOOL => self.session.recall(request, id).map_err(|error| error.to_string()),
            _ => self.tools.carry_out(call, self.session.boost(&call.tool)),
        }
    }

    /// Sends a request, again after a pause if the server is busy.
    async fn call_model(&self, body: &str) -> Result<String, Box<dyn Error>> {
        let url = format!("{}/chat/completions", self.server.base_url.trim_end_matches('/'));
        for attempt in 0.. {
            let mut request = self.client.post(&url).header("content-type", "application/json").body(body.to_owned());
            if let Some(key) = &self.server.key {
                request = request.bearer_auth(key);
            }
            let response = request.send().await?;
            let status = response.status();
            let is_busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            if !is_busy || attempt == RETRIES {
                return match (status, response.text().await?) {
                    (status, text) if status.is_success() => Ok(text),
                    // Servers quote wrong keys in part.
                    (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, _) => {
                        Err(format!("{status}: check the key").into())
                    }
                    (_, text) => Err(format!("{status}: {text}").into()),
                };
            }
            tokio::time::sleep(pause(&response, attempt)).await;
        }
        Err("the server is busy".into())
    }
}

/// How long the server asks to wait; otherwise twice as long after each attempt.
fn pause(response: &Response, attempt: u32) -> Duration {
    let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    Duration::from_secs(seconds.unwrap_or(1 << attempt))
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// Writes recordings to files in a directory. Each branch of a session is a recording of its own.
struct Recordings(PathBuf);

impl Record for Recordings {
    fn write<'a>(&'a self, session: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a> {
        Box::pin(async move {
            let path = self.0.join(format!("{session}-{branch}.jsonl"));
            let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
            file.set_len(at)?;
            file.write_all(lines.as_bytes())
        })
    }
}
