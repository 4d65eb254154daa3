//! The conversations of the clients.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::header::{HeaderMap, HeaderValue};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;
use trimtab_base::conversation::{Message, Usage};
use trimtab_live::request::{Closest, Dialect};
use trimtab_run::run::message_digest;

use super::arm::Arm;
use crate::host::{DecisionLogs, OffloadedContents};
use crate::library::{LiveRequest, LiveSession, PreparedRequest};

/// How many conversations are kept in memory. One that is not is continued from its log.
const MAX_CONVERSATIONS: usize = 1_000;

/// How many of them are compared with a request before its beginning is read.
const MAX_RECENT: usize = 64;

/// The line of a log after which the edits of the conversation are withdrawn.
const WITHDRAWN: &str = r#"{"withdrawn":true}"#;

/// The header with which a client names a session.
const SESSION_HEADER: &str = "x-trimtab-session";

/// The headers that tell apart agents with the same first message.
const AGENT_HEADERS: [&str; 3] = [SESSION_HEADER, "x-claude-code-agent-id", "x-openai-subagent"];

/// A conversation of a client.
pub(super) struct Conversation {
    pub(super) id: String,
    /// What the headers of its requests say of the agent.
    agent: String,
    pub(super) live: LiveSession,
    /// Whether its edits are withdrawn, because the provider has rejected one.
    withdrawn: AtomicBool,
    /// What has happened in it.
    account: Mutex<Account>,
    /// The offloaded contents that are stored, by branch and id.
    stored: Mutex<BTreeSet<(u64, String)>>,
    /// Held while its log is written, so that lines are in their order.
    logging: Mutex<()>,
}

/// What has happened in a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The requests that were decided on.
    pub requests: u64,
    /// Those that were sent with edits.
    pub edited: u64,
    /// The replies whose usage is known.
    pub replies: u64,
    /// The sum of the tokens that the provider has reported.
    pub input_tokens: u64,
    /// Of them, those that it has read from its cache.
    pub cache_read_tokens: u64,
    /// Those that it has written to its cache.
    pub cache_write_tokens: u64,
    /// The tokens of replies.
    pub output_tokens: u64,
    /// How often each rule has fired.
    pub firings: BTreeMap<String, u64>,
    /// The tokens that edits have removed, as estimated when they were made.
    pub tokens_removed: i64,
    /// Whether its edits are withdrawn.
    pub withdrawn: bool,
    /// The arm of the experiment that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
}

impl Conversation {
    /// A conversation with the log that it has so far.
    pub(super) fn new(id: &str, agent: String, live: LiveSession, log: &str) -> Self {
        let withdrawn = log.lines().any(|line| line == WITHDRAWN);
        Self {
            id: id.to_owned(),
            agent,
            live,
            withdrawn: AtomicBool::new(withdrawn),
            account: Mutex::new(Account { withdrawn, ..Account::default() }),
            stored: Mutex::default(),
            logging: Mutex::new(()),
        }
    }

    /// The same conversation in an arm of an experiment.
    pub(super) fn of_arm(self, arm: Option<&Arm>) -> Self {
        self.account().arm = arm.map(|arm| arm.name.clone());
        self
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        self.withdrawn.load(Ordering::Relaxed)
    }

    /// Withdraws the edits of the conversation, also for a process that continues it.
    pub(super) fn withdraw(&self, logs: &DecisionLogs) -> std::io::Result<()> {
        self.withdrawn.store(true, Ordering::Relaxed);
        self.account().withdrawn = true;
        logs.append(&self.id, &format!("{WITHDRAWN}\n"))
    }

    pub(super) fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the contents that the request no longer has, before it is sent.
    pub(super) fn store_offloaded(&self, contents: &OffloadedContents, request: &LiveRequest) -> std::io::Result<()> {
        let branch = request.prepared.handle.branch();
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        for id in self.live.offloaded(request) {
            let place = (branch, id);
            if let (false, Ok(content)) = (stored.contains(&place), self.live.recall(request, &place.1)) {
                contents.store(&content)?;
                stored.insert(place);
            }
        }
        Ok(())
    }

    /// Writes what has been decided to the log.
    pub(super) fn log(&self, logs: &DecisionLogs) -> std::io::Result<()> {
        let _logging = self.logging.lock().unwrap_or_else(PoisonError::into_inner);
        for part in self.live.unlogged() {
            logs.append(&self.id, &part.text)?;
            self.live.mark_logged(&part);
        }
        Ok(())
    }
}

impl Account {
    pub(super) fn add_request(&mut self, prepared: &PreparedRequest, is_edited: bool) {
        self.requests += 1;
        self.edited += u64::from(is_edited);
        for firing in &prepared.firings {
            *self.firings.entry(firing.rule.clone()).or_default() += 1;
            self.tokens_removed += firing.tokens_saved;
        }
    }

    pub(super) const fn add_usage(&mut self, usage: Usage) {
        self.replies += 1;
        self.input_tokens += usage.context();
        self.cache_read_tokens += usage.cache_read;
        self.cache_write_tokens += usage.cache_write;
        self.output_tokens += usage.output;
    }
}

/// What the headers of a request say of the agent.
pub(super) fn agent(headers: &HeaderMap) -> String {
    let value = |name: &str| format!("{:?}", headers.get(name).map(HeaderValue::as_bytes).unwrap_or_default());
    AGENT_HEADERS.map(value).concat()
}

/// The session that a client names.
pub(super) fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok())
}

/// The id of the conversation of a request: a digest of what all its requests begin with.
pub(super) fn id(dialect: Dialect, agent: &str, opening: &[Message]) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{dialect:?}{}{agent}", agent.len()));
    for message in opening {
        hash.update(message_digest(message));
    }
    hash.finalize()[..8].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The conversations in memory.
#[derive(Default)]
pub(super) struct Conversations(Mutex<Known>);

#[derive(Default)]
struct Known {
    by_id: BTreeMap<String, Entry>,
    /// Counts uses.
    clock: u64,
}

struct Entry {
    conversation: Arc<OnceCell<Arc<Conversation>>>,
    used: u64,
}

impl Conversations {
    /// The place of a conversation, which the first one who asks fills.
    pub(super) fn place(&self, id: &str) -> Arc<OnceCell<Arc<Conversation>>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.clock += 1;
        let clock = known.clock;
        if let Some(entry) = known.by_id.get_mut(id) {
            entry.used = clock;
            return Arc::clone(&entry.conversation);
        }
        if known.by_id.len() >= MAX_CONVERSATIONS {
            let oldest = known.by_id.iter().min_by_key(|(_, entry)| entry.used).map(|(id, _)| id.clone());
            oldest.map(|id| known.by_id.remove(&id));
        }
        let conversation = Arc::<OnceCell<Arc<Conversation>>>::default();
        let entry = Entry { conversation: Arc::clone(&conversation), used: clock };
        known.by_id.insert(id.to_owned(), entry);
        conversation
    }

    /// The conversation that a request goes on with, among those that were used last, and the request before it. That is found in
    /// a fraction of the time in which the request is read.
    pub(super) fn continued(&self, dialect: Dialect, agent: &str, json: &str) -> Option<(Arc<Conversation>, Closest)> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = known.by_id.values().filter_map(|entry| Some((entry.used, entry.conversation.get()?)));
        let mut recent: Vec<_> = entries.map(|(used, one)| (used, Arc::clone(one))).collect();
        recent.sort_unstable_by_key(|(used, _)| Reverse(*used));
        recent.truncate(MAX_RECENT);
        known.clock += 1;
        let clock = known.clock;
        drop(known);
        let mut of_agent = recent.into_iter().map(|(_, one)| one).filter(|one| one.agent == agent);
        let closest = |one: Arc<Conversation>| {
            let closest = one.live.closest(dialect, json)?;
            closest.is_continued().then_some((one, closest))
        };
        let (found, closest) = of_agent.find_map(closest)?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = known.by_id.get_mut(&found.id) {
            entry.used = clock;
        }
        Some((found, closest))
    }

    /// All conversations in memory, by id.
    pub(super) fn all(&self) -> Vec<Arc<Conversation>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.by_id.values().filter_map(|entry| entry.conversation.get().cloned()).collect()
    }
}
