//! The requests that newer sessions record exactly.
//!
//! A request lists the hashes of its messages: how many it keeps of an earlier request, and those after them. A hash stands for
//! a message that is recorded for this purpose, or for one that follows from the records of the conversation: the blocks of a
//! reply, or the results and prompts after it. It is the SHA-256 of compact JSON with sorted keys, without marks of the cache.
//! System prompt and tools are recorded apart, since most requests have the same.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use trimtab_base::conversation::Role;

use super::line::{Line, LineKind};
use crate::transcript::wire::{Content, Fields, Raw, Str, parse_content};

/// The system prompt and the tools of requests.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Shape<'a> {
    #[serde(borrow)]
    pub(super) system: Option<Raw<'a>>,
    pub(super) tools: Option<Raw<'a>>,
}

/// A message as it was sent.
#[derive(Debug)]
pub(super) struct SentMessage<'a> {
    pub(super) role: Role,
    /// Its content, in pieces that are sent one after another.
    pub(super) content: Vec<Content<'a>>,
}

/// A request, whose messages are not put together yet.
#[derive(Debug)]
struct Request<'a> {
    /// The index of its line.
    line: usize,
    base: Option<usize>,
    keep: usize,
    tail: Vec<Option<Rc<SentMessage<'a>>>>,
    shape: Option<Shape<'a>>,
}

/// The requests of a file.
#[derive(Debug, Default)]
pub(super) struct Requests<'a> {
    all: Vec<Request<'a>>,
    /// The requests of the conversation, without those for other purposes, such as a title.
    own: Vec<usize>,
    /// The system prompt and the tools of the first request of the conversation that has some.
    pub(super) shape: Option<Shape<'a>>,
}

/// The messages of successive requests. Only what differs from the request before is put together.
#[derive(Debug, Default)]
pub(super) struct RequestReader<'a> {
    /// The request whose messages are put together.
    newest: Option<usize>,
    messages: Vec<Rc<SentMessage<'a>>>,
    /// How many messages may still be put together.
    budget: usize,
}

/// How a request differs from the one before.
#[derive(Debug)]
pub(super) struct Step<'a> {
    /// The messages at the end of the previous request that are not in this one.
    pub(super) removed: Vec<Rc<SentMessage<'a>>>,
    /// The number of messages that both begin with.
    pub(super) common: usize,
}

impl<'a> Requests<'a> {
    /// The requests among the records of a file.
    pub(super) fn of(lines: &[Line<'a>]) -> Self {
        let records = || lines.iter().enumerate().filter_map(|(at, line)| Some((at, line.request.as_deref()?)));
        let mut requests = Self::default();
        if records().next().is_none() {
            return requests;
        }
        let mut shapes: HashMap<&str, Shape<'a>> = HashMap::new();
        let mut messages = derived_messages(lines);
        for (_, record) in records() {
            if let (Some(hash), Some(shape)) = (record.shape_hash.get(), record.shape.and_then(Raw::object)) {
                shapes.insert(hash, shape);
            }
            if let (Some(hash), Some(message)) = (record.hash.get(), record.message.and_then(sent_message)) {
                messages.insert(hash.to_owned(), Rc::new(message));
            }
        }
        let mut by_id: HashMap<&str, usize> = HashMap::new();
        for (line, record) in records().filter(|(line, _)| lines[*line].type_name() == "api-request") {
            let hashes = record.tail.0.iter().flatten();
            let tail = hashes.map(|hash| messages.get(hash.parse::<Str<'_>>()?.get()?).cloned()).collect();
            // A base that is not in the file is no request.
            let base = record.base.get().map(|id| by_id.get(id).copied().unwrap_or(usize::MAX));
            let keep = record.keep.0.and_then(|keep| usize::try_from(keep).ok()).unwrap_or(0);
            by_id.insert(record.id.as_str(), requests.all.len());
            let shape = record.shape_hash.get().and_then(|hash| shapes.get(hash)).copied();
            if is_of_conversation(record.query_source.as_str()) {
                requests.own.push(requests.all.len());
                requests.shape = requests.shape.or(shape);
            }
            requests.all.push(Request { line, base, keep, tail, shape });
        }
        requests
    }

    /// The number of requests of the conversation.
    pub(super) const fn len(&self) -> usize {
        self.own.len()
    }

    /// The newest request of the conversation between two lines.
    pub(super) fn between(&self, after: Option<usize>, before: usize) -> Option<usize> {
        let line = |request: &usize| self.all[*request].line;
        let at = self.own.partition_point(|request| line(request) < before).checked_sub(1)?;
        self.own.get(at).copied().filter(|request| after.is_none_or(|after| line(request) > after))
    }

    /// The system prompt and the tools of a request, if they are recorded.
    pub(super) fn shape_of(&self, request: usize) -> Option<Shape<'a>> {
        self.all[request].shape
    }

    /// The requests from the first one that the newest request of a reader, or nothing, is the base of, up to this one.
    fn chain(&self, request: usize, newest: Option<usize>) -> Option<Vec<usize>> {
        let mut chain = vec![request];
        let mut current = request;
        while let Some(base) = self.all[current].base.filter(|base| Some(*base) != newest) {
            // A base precedes its request.
            if base >= current {
                return None;
            }
            chain.push(base);
            current = base;
        }
        chain.reverse();
        Some(chain)
    }
}

impl<'a> RequestReader<'a> {
    /// A reader that assembles at most `budget` messages, so that a small file cannot expand to a very long conversation.
    pub(super) fn new(budget: usize) -> Self {
        Self { budget, ..Self::default() }
    }

    /// The messages of the newest request.
    pub(super) fn messages(&self) -> &[Rc<SentMessage<'a>>] {
        &self.messages
    }

    /// Counts messages that are put together. Returns `None` if there are too many.
    pub(super) fn spend(&mut self, messages: usize) -> Option<()> {
        self.budget = self.budget.checked_sub(messages)?;
        Some(())
    }

    /// Puts together the messages of a request. Returns `None` if some are not recorded, or if there are too many.
    pub(super) fn advance(&mut self, requests: &Requests<'a>, request: usize) -> Option<Step<'a>> {
        let chain = requests.chain(request, self.newest)?;
        let continues = requests.all[*chain.first()?].base.is_some();
        let step = if continues && chain.len() == 1 {
            let common = requests.all[request].keep;
            (common <= self.messages.len()).then(|| Step { removed: self.messages.split_off(common), common })?
        } else {
            self.spend(self.messages.len())?;
            let previous = if continues { self.messages.clone() } else { std::mem::take(&mut self.messages) };
            let (last, before) = chain.split_last()?;
            for at in before {
                self.apply(&requests.all[*at])?;
            }
            let keep = requests.all[*last].keep;
            (keep <= self.messages.len()).then(|| self.messages.truncate(keep))?;
            self.compare(previous)
        };
        self.append(&requests.all[request])?;
        self.newest = Some(request);
        Some(step)
    }

    /// How these messages differ from those of a request, before its own are added.
    fn compare(&self, mut previous: Vec<Rc<SentMessage<'a>>>) -> Step<'a> {
        let common = self.messages.iter().zip(&previous).take_while(|(a, b)| Rc::ptr_eq(a, b)).count();
        Step { removed: previous.split_off(common), common }
    }

    fn apply(&mut self, request: &Request<'a>) -> Option<()> {
        (request.keep <= self.messages.len()).then(|| self.messages.truncate(request.keep))?;
        self.append(request)
    }

    fn append(&mut self, request: &Request<'a>) -> Option<()> {
        self.spend(request.tail.len() + 1)?;
        for message in &request.tail {
            self.messages.push(Rc::clone(message.as_ref()?));
        }
        Some(())
    }
}

/// Whether requests of this source are those of a conversation. The source of a sub-agent names the agent.
fn is_of_conversation(source: &str) -> bool {
    source.is_empty() || source == "sdk" || source.starts_with("repl_main_thread") || source.starts_with("agent:")
}

/// Reads a message that is recorded as it was sent.
fn sent_message(raw: Raw<'_>) -> Option<SentMessage<'_>> {
    let fields: Fields<'_> = raw.object()?;
    let role: Str<'_> = fields.get("role")?.parse()?;
    let role = [Role::System, Role::User, Role::Assistant].into_iter().find(|known| known.word() == role.as_str())?;
    Some(SentMessage { role, content: vec![parse_content(fields.get("content"))] })
}

/// The messages that follow from the records of the conversation, by their hashes: each reply, and the results and prompts
/// after it, together and one by one.
fn derived_messages<'a>(lines: &[Line<'a>]) -> HashMap<String, Rc<SentMessage<'a>>> {
    let mut derived = HashMap::new();
    let mut replies: Vec<(&str, Vec<Content<'a>>)> = Vec::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut inputs: Vec<Content<'a>> = Vec::new();
    let mut newest = None;
    for line in lines {
        let content = || line.message.content.clone();
        match line.kind() {
            LineKind::Assistant => {
                let id = line.message.id.get().unwrap_or_default();
                if newest != Some(id) {
                    add_inputs(std::mem::take(&mut inputs), &mut derived);
                    newest = Some(id);
                }
                let reply = *by_id.entry(id).or_insert_with(|| {
                    replies.push((id, Vec::new()));
                    replies.len() - 1
                });
                replies[reply].1.push(content());
            }
            LineKind::User => inputs.push(content()),
            _ => {}
        }
    }
    add_inputs(inputs, &mut derived);
    for (_, content) in replies {
        add_message(Role::Assistant, content, &mut derived);
    }
    derived
}

fn add_inputs<'a>(inputs: Vec<Content<'a>>, derived: &mut HashMap<String, Rc<SentMessage<'a>>>) {
    if inputs.len() > 1 {
        for input in &inputs {
            add_message(Role::User, vec![input.clone()], derived);
        }
    }
    if let [Content::Text(text)] = inputs.as_slice() {
        let hash = hash(&json!({ "role": "user", "content": text.as_ref() }));
        derived.insert(hash, Rc::new(SentMessage { role: Role::User, content: inputs.clone() }));
    }
    if !inputs.is_empty() {
        add_message(Role::User, inputs, derived);
    }
}

fn add_message<'a>(role: Role, content: Vec<Content<'a>>, derived: &mut HashMap<String, Rc<SentMessage<'a>>>) {
    let mut blocks: Vec<Json> = Vec::new();
    for piece in &content {
        match piece {
            Content::Text(text) => blocks.push(json!({ "type": "text", "text": text.as_ref() })),
            // A value that nests too deeply has no hash.
            Content::List(pieces) => blocks.extend(pieces.iter().filter_map(|raw| raw.json())),
            Content::None | Content::Fields(_) => {}
        }
    }
    let hash = hash(&json!({ "role": role.word(), "content": blocks }));
    derived.insert(hash, Rc::new(SentMessage { role, content }));
}

/// The hash of a message: the SHA-256 of compact JSON with sorted keys, without marks of the cache.
pub(super) fn hash(message: &Json) -> String {
    let mut text = String::new();
    write_sorted(message, &mut text);
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_sorted(json: &Json, text: &mut String) {
    match json {
        Json::Array(elements) => {
            text.push('[');
            for (at, element) in elements.iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                write_sorted(element, text);
            }
            text.push(']');
        }
        Json::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(key, _)| *key != "cache_control").collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (at, (key, value)) in fields.into_iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                text.push_str(&Json::from(key.as_str()).to_string());
                text.push(':');
                write_sorted(value, text);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}
