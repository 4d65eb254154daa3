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

/// The limit on the bytes of requests that are kept in memory. A request that was read takes several times its bytes.
const MAX_KEPT_BYTES: usize = 256 << 20;

/// How many recently used conversations a request is compared with before its first messages are read.
const MAX_RECENT: usize = 64;

/// The line of a log after which requests of the conversation pass unedited.
const EDITS_DISABLED: &str = r#"{"edits_disabled":true}"#;

/// The same line in logs of earlier versions.
const OLD_EDITS_DISABLED: &str = r#"{"withdrawn":true}"#;

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
    /// Whether its requests pass unedited, because the provider has rejected an edit.
    edits_disabled: AtomicBool,
    /// What has happened in it.
    statistics: Mutex<ConversationStatistics>,
    /// The offloaded contents that are stored, by branch and id.
    stored: Mutex<BTreeSet<(u64, String)>>,
    /// Held while its log is written, so that lines are in their order.
    logging: Mutex<()>,
}

/// What has happened in a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConversationStatistics {
    /// The requests to which the policy was applied.
    pub requests: u64,
    /// Those that were sent with edits.
    pub edited: u64,
    /// The replies whose usage is known.
    pub replies: u64,
    /// The input tokens that the provider has reported, with those of its cache.
    pub input_tokens: u64,
    /// The input tokens that it has read from its cache.
    pub cache_read_tokens: u64,
    /// The input tokens that it has written to its cache.
    pub cache_write_tokens: u64,
    /// The tokens of replies.
    pub output_tokens: u64,
    /// How often each rule has fired.
    pub firings: BTreeMap<String, u64>,
    /// How many requests were not sent because the rule has stopped the run.
    pub stopped: BTreeMap<String, u64>,
    /// The tokens that edits have removed, as estimated when they were made.
    pub tokens_removed: i64,
    /// Whether its requests pass unedited, because the provider has rejected an edit.
    pub edits_disabled: bool,
    /// The arm of the experiment that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
}

impl Conversation {
    /// A conversation with the log that it has so far.
    pub(super) fn new(id: &str, agent: String, live: LiveSession, log: &str) -> Self {
        let edits_disabled = log.lines().any(|line| [EDITS_DISABLED, OLD_EDITS_DISABLED].contains(&line));
        Self {
            id: id.to_owned(),
            agent,
            live,
            edits_disabled: AtomicBool::new(edits_disabled),
            statistics: Mutex::new(ConversationStatistics { edits_disabled, ..ConversationStatistics::default() }),
            stored: Mutex::default(),
            logging: Mutex::new(()),
        }
    }

    /// Assigns the conversation to an arm of an experiment.
    pub(super) fn with_arm(self, arm: Option<&Arm>) -> Self {
        self.statistics().arm = arm.map(|arm| arm.name.clone());
        self
    }

    pub(super) fn are_edits_disabled(&self) -> bool {
        self.edits_disabled.load(Ordering::Relaxed)
    }

    /// Lets all further requests of the conversation pass unedited, also in a process that continues it.
    pub(super) fn disable_edits(&self, logs: &DecisionLogs) -> std::io::Result<()> {
        self.edits_disabled.store(true, Ordering::Relaxed);
        self.statistics().edits_disabled = true;
        logs.append(&self.id, &format!("{EDITS_DISABLED}\n"))
    }

    pub(super) fn statistics(&self) -> MutexGuard<'_, ConversationStatistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
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

impl ConversationStatistics {
    pub(super) fn add_request(&mut self, prepared: &PreparedRequest, is_edited: bool) {
        self.requests += 1;
        self.edited += u64::from(is_edited);
        self.add_firings(prepared);
    }

    pub(super) fn add_firings(&mut self, prepared: &PreparedRequest) {
        for firing in &prepared.firings {
            *self.firings.entry(firing.rule.clone()).or_default() += 1;
            self.tokens_removed += firing.tokens_saved;
        }
    }

    pub(super) fn add_stop(&mut self, rule: &str) {
        *self.stopped.entry(rule.to_owned()).or_default() += 1;
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
    /// What has happened in the conversations that were removed from memory.
    evicted: BTreeMap<String, ConversationStatistics>,
    /// Counts uses.
    clock: u64,
}

struct Entry {
    conversation: Arc<OnceCell<Arc<Conversation>>>,
    used: u64,
    /// The bytes of its requests that are kept.
    bytes: usize,
}

impl Entry {
    /// Whether a request or its reply is under way.
    fn is_in_use(&self) -> bool {
        let is_shared = |conversation: &Arc<Conversation>| Arc::strong_count(conversation) > 1;
        Arc::strong_count(&self.conversation) > 1 || self.conversation.get().is_none_or(is_shared)
    }
}

impl Known {
    /// Removes the conversations that were used least recently until the others are within the limits. Those with a request under way
    /// stay.
    fn shrink(&mut self) {
        let mut bytes: usize = self.by_id.values().map(|entry| entry.bytes).sum();
        while self.by_id.len() > MAX_CONVERSATIONS || bytes > MAX_KEPT_BYTES {
            let idle = self.by_id.iter().filter(|(_, entry)| entry.used < self.clock && !entry.is_in_use());
            let Some(oldest) = idle.min_by_key(|(_, entry)| entry.used).map(|(id, _)| id.clone()) else { return };
            let Some(entry) = self.by_id.remove(&oldest) else { return };
            bytes -= entry.bytes;
            if let Some(conversation) = entry.conversation.get() {
                self.evicted.insert(oldest, conversation.statistics().clone());
            }
        }
    }
}

impl Conversations {
    /// The slot of a conversation; the first caller fills it.
    pub(super) fn slot(&self, id: &str) -> Arc<OnceCell<Arc<Conversation>>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.clock += 1;
        let clock = known.clock;
        if let Some(entry) = known.by_id.get_mut(id) {
            entry.used = clock;
            return Arc::clone(&entry.conversation);
        }
        let conversation = Arc::<OnceCell<Arc<Conversation>>>::default();
        let entry = Entry { conversation: Arc::clone(&conversation), used: clock, bytes: 0 };
        known.by_id.insert(id.to_owned(), entry);
        known.shrink();
        conversation
    }

    /// Takes out what had happened in a conversation before it was removed from memory.
    pub(super) fn take_evicted(&self, id: &str) -> Option<ConversationStatistics> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).evicted.remove(id)
    }

    /// Records the size of a conversation after a request.
    pub(super) fn measure(&self, conversation: &Conversation) {
        let bytes = conversation.live.kept_bytes();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = known.by_id.get_mut(&conversation.id) {
            entry.bytes = bytes;
            known.shrink();
        }
    }

    /// The recently used conversation that a request continues, and its previous request. This is much faster than to read the request.
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

    /// What has happened in each conversation, by id.
    pub(super) fn statistics(&self) -> BTreeMap<String, ConversationStatistics> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = known.by_id.values().filter_map(|entry| entry.conversation.get());
        let open = open.map(|one| (one.id.clone(), one.statistics().clone()));
        known.evicted.iter().map(|(id, statistics)| (id.clone(), statistics.clone())).chain(open).collect()
    }
}

#[cfg(test)]
mod tests {
    use trimtab_language::plan::Plan as Rules;
    use trimtab_live::engine::Engine;
    use trimtab_simulate::simulate::Extract;

    use super::*;
    use crate::library::{Host, Plan};

    fn conversation(id: &str) -> Arc<Conversation> {
        let live = LiveSession::new(&Plan::of(Rules::without_rules()), Host::new(), Engine::new(Arc::new(Extract)), id);
        Arc::new(Conversation::new(id, String::new(), live, ""))
    }

    /// Opens a conversation that has had a request, and keeps so many bytes.
    fn open(all: &Conversations, id: &str, bytes: usize) {
        let slot = all.slot(id);
        assert!(slot.set(conversation(id)).is_ok(), "{id} is not open");
        slot.get().expect("a conversation").statistics().requests += 1;
        all.0.lock().expect("a lock").by_id.get_mut(id).expect("an entry").bytes = bytes;
    }

    fn open_ids(all: &Conversations) -> Vec<String> {
        all.0.lock().expect("a lock").by_id.keys().cloned().collect()
    }

    #[test]
    fn conversations_that_were_used_least_recently_leave_the_memory_and_keep_their_statistics() {
        let all = Conversations::default();
        for id in ["a", "b", "c", "d"] {
            open(&all, id, MAX_KEPT_BYTES / 4);
        }
        // A request in `a` is under way, and `b` is used again.
        let used = all.slot("a").get().cloned();
        drop(all.slot("b"));
        open(&all, "e", MAX_KEPT_BYTES / 2);
        drop(all.slot("f"));
        assert_eq!(open_ids(&all), ["a", "b", "e", "f"]);
        let statistics = all.statistics();
        assert_eq!(statistics.keys().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
        assert!(statistics.values().all(|statistics| statistics.requests == 1));
        assert_eq!(all.take_evicted("c").map(|statistics| statistics.requests), Some(1));
        assert!(all.take_evicted("c").is_none() && used.is_some());
    }

    #[test]
    fn only_so_many_conversations_stay_in_memory() {
        let all = Conversations::default();
        for number in 0..MAX_CONVERSATIONS + 3 {
            open(&all, &number.to_string(), 0);
        }
        assert_eq!((open_ids(&all).len(), all.statistics().len()), (MAX_CONVERSATIONS, MAX_CONVERSATIONS + 3));
    }
}
