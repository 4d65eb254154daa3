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

/// How many conversations are kept in memory. Conversations that were evicted continue from their logs.
const MAX_CONVERSATIONS: usize = 1_000;

/// The limit on the bytes of requests that are kept in memory. A parsed request takes several times its size in memory.
const MAX_KEPT_BYTES: usize = 256 << 20;

/// How many recently used conversations a request is compared with before its first messages are parsed.
const MAX_RECENT: usize = 64;

/// The line of a log after which requests of the conversation pass unedited.
const EDITS_DISABLED: &str = r#"{"edits_disabled":true}"#;

/// The same line in logs of earlier versions.
const OLD_EDITS_DISABLED: &str = r#"{"withdrawn":true}"#;

/// The header with which a client names a session.
const SESSION_HEADER: &str = "x-trimtab-session";

/// The headers that distinguish agents with the same first message.
const AGENT_HEADERS: [&str; 3] = [SESSION_HEADER, "x-claude-code-agent-id", "x-openai-subagent"];

/// A conversation of a client.
pub(super) struct Conversation {
    pub(super) id: String,
    /// The key of its agent, see [`agent_key`].
    agent_key: String,
    pub(super) live: LiveSession,
    /// Whether its requests pass unedited, because the provider has rejected an edit.
    edits_disabled: AtomicBool,
    /// Its counters.
    statistics: Mutex<ConversationStatistics>,
    /// The offloaded contents that are stored, by branch and id.
    stored: Mutex<BTreeSet<(u64, String)>>,
    /// Held while its log is written, so that lines are written in order.
    logging: Mutex<()>,
}

/// Counters of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConversationStatistics {
    /// The requests to which the policy was applied.
    pub requests: u64,
    /// The requests that were sent with edits.
    pub edited: u64,
    /// The replies whose usage the provider has reported.
    pub replies: u64,
    /// The input tokens that the provider has reported, with those of its cache.
    pub input_tokens: u64,
    /// The input tokens that it has read from its cache.
    pub cache_read_tokens: u64,
    /// The input tokens that it has written to its cache.
    pub cache_write_tokens: u64,
    /// The tokens of replies.
    pub output_tokens: u64,
    /// By rule: how often it has fired.
    pub firings: BTreeMap<String, u64>,
    /// By rule: the requests that were not sent because the rule stopped the run.
    pub stopped: BTreeMap<String, u64>,
    /// The tokens that edits have removed, as estimated at the time of each edit.
    pub tokens_removed: i64,
    /// Whether its requests pass unedited, because the provider has rejected an edit.
    pub edits_disabled: bool,
    /// The arm of the experiment to which the conversation is assigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
}

impl Conversation {
    /// A conversation; `log` is the log of an earlier process, or empty.
    pub(super) fn new(id: &str, agent_key: String, live: LiveSession, log: &str) -> Self {
        let edits_disabled = log.lines().any(|line| [EDITS_DISABLED, OLD_EDITS_DISABLED].contains(&line));
        Self {
            id: id.to_owned(),
            agent_key,
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

    /// Lets all further requests of the conversation pass unedited, also in a later process that continues it.
    pub(super) fn disable_edits(&self, logs: &DecisionLogs) -> std::io::Result<()> {
        self.edits_disabled.store(true, Ordering::Relaxed);
        self.statistics().edits_disabled = true;
        logs.append(&self.id, &format!("{EDITS_DISABLED}\n"))
    }

    pub(super) fn statistics(&self) -> MutexGuard<'_, ConversationStatistics> {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the contents that were offloaded from a request. Call it before the request is sent.
    pub(super) fn store_offloaded(&self, contents: &OffloadedContents, request: &LiveRequest) -> std::io::Result<()> {
        let branch = request.prepared.handle.branch();
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        for id in self.live.offloaded(request) {
            let key = (branch, id);
            if let (false, Ok(content)) = (stored.contains(&key), self.live.recall(request, &key.1)) {
                contents.store(&content)?;
                stored.insert(key);
            }
        }
        Ok(())
    }

    /// Appends new decisions to the log.
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

/// A key that distinguishes agents by their headers.
pub(super) fn agent_key(headers: &HeaderMap) -> String {
    let value = |name: &str| format!("{:?}", headers.get(name).map(HeaderValue::as_bytes).unwrap_or_default());
    AGENT_HEADERS.map(value).concat()
}

/// The session that the headers of a request name.
pub(super) fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok())
}

/// The id of a conversation: a digest of its dialect, its agent and the messages with which all its requests begin.
pub(super) fn id(dialect: Dialect, agent_key: &str, opening: &[Message]) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{dialect:?}{}{agent_key}", agent_key.len()));
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
pub(super) struct Conversations(Mutex<ConversationCache>);

/// A cache of conversations that evicts the least recently used ones.
#[derive(Default)]
struct ConversationCache {
    by_id: BTreeMap<String, Entry>,
    /// The counters of evicted conversations.
    evicted: BTreeMap<String, ConversationStatistics>,
    /// The number of uses so far.
    uses: u64,
}

struct Entry {
    conversation: Arc<OnceCell<Arc<Conversation>>>,
    /// The number of uses of all conversations when it was last used.
    last_used: u64,
    /// The bytes of its requests in memory.
    bytes: usize,
}

impl Entry {
    /// Whether a request is being processed or its reply is still arriving.
    fn is_in_use(&self) -> bool {
        let is_shared = |conversation: &Arc<Conversation>| Arc::strong_count(conversation) > 1;
        Arc::strong_count(&self.conversation) > 1 || self.conversation.get().is_none_or(is_shared)
    }
}

impl ConversationCache {
    /// Evicts the least recently used conversations until the others are within the limits. Conversations in use stay.
    fn shrink(&mut self) {
        let mut bytes: usize = self.by_id.values().map(|entry| entry.bytes).sum();
        while self.by_id.len() > MAX_CONVERSATIONS || bytes > MAX_KEPT_BYTES {
            let idle = self.by_id.iter().filter(|(_, entry)| entry.last_used < self.uses && !entry.is_in_use());
            let Some(oldest) = idle.min_by_key(|(_, entry)| entry.last_used).map(|(id, _)| id.clone()) else { return };
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
        let mut cache = self.lock();
        cache.uses += 1;
        let now = cache.uses;
        if let Some(entry) = cache.by_id.get_mut(id) {
            entry.last_used = now;
            return Arc::clone(&entry.conversation);
        }
        let conversation = Arc::<OnceCell<Arc<Conversation>>>::default();
        let entry = Entry { conversation: Arc::clone(&conversation), last_used: now, bytes: 0 };
        cache.by_id.insert(id.to_owned(), entry);
        cache.shrink();
        conversation
    }

    /// Removes and returns the counters of an evicted conversation.
    pub(super) fn take_evicted(&self, id: &str) -> Option<ConversationStatistics> {
        self.lock().evicted.remove(id)
    }

    /// Records the size of a conversation after a request.
    pub(super) fn measure(&self, conversation: &Conversation) {
        let bytes = conversation.live.kept_bytes();
        let mut cache = self.lock();
        if let Some(entry) = cache.by_id.get_mut(&conversation.id) {
            entry.bytes = bytes;
            cache.shrink();
        }
    }

    /// Returns the recently used conversation that a request continues, and its previous request. This is much faster
    /// than parsing the request.
    pub(super) fn continued(
        &self,
        dialect: Dialect,
        agent_key: &str,
        json: &str,
    ) -> Option<(Arc<Conversation>, Closest)> {
        let mut cache = self.lock();
        let entries = cache.by_id.values().filter_map(|entry| Some((entry.last_used, entry.conversation.get()?)));
        let mut recent: Vec<_> = entries.map(|(used, conversation)| (used, Arc::clone(conversation))).collect();
        recent.sort_unstable_by_key(|(last_used, _)| Reverse(*last_used));
        recent.truncate(MAX_RECENT);
        cache.uses += 1;
        let now = cache.uses;
        drop(cache);
        let conversations = recent.into_iter().map(|(_, conversation)| conversation);
        let mut of_agent = conversations.filter(|conversation| conversation.agent_key == agent_key);
        let continued = |conversation: Arc<Conversation>| {
            let closest = conversation.live.closest(dialect, json)?;
            closest.is_continued().then_some((conversation, closest))
        };
        let (conversation, closest) = of_agent.find_map(continued)?;
        if let Some(entry) = self.lock().by_id.get_mut(&conversation.id) {
            entry.last_used = now;
        }
        Some((conversation, closest))
    }

    /// The counters of each conversation, by id.
    pub(super) fn statistics(&self) -> BTreeMap<String, ConversationStatistics> {
        let cache = self.lock();
        let open = cache.by_id.values().filter_map(|entry| entry.conversation.get());
        let open = open.map(|conversation| (conversation.id.clone(), conversation.statistics().clone()));
        cache.evicted.iter().map(|(id, statistics)| (id.clone(), statistics.clone())).chain(open).collect()
    }

    fn lock(&self) -> MutexGuard<'_, ConversationCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Opens a conversation that has had a request and takes this many bytes in memory.
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
