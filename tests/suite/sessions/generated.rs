//! Events of a session, the records that Claude Code writes for them, and the expected transcript.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// An event of a session.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Prompt(u8, Option<Image>),
    Reply(Reply),
    /// A queued prompt, which is sent with its own record or returned to the user.
    Queue(u8, bool),
    /// The user goes back to an earlier prompt after the last compaction and writes another one.
    Rewind(usize, u8),
    /// The context is cleared, and a new root begins with a prompt.
    Root(u8),
    /// Whether the harness compacts on its own, and how many of the newest records it keeps.
    Compact(bool, usize),
    /// Something that the harness adds to the next request.
    Attachment,
    /// The harness clears results and keeps this many of the newest ones.
    Clear(usize, usize),
    /// A sub-agent, its records wrapped in progress records or marked as a sidechain.
    Agent {
        wrapped: bool,
        replies: Vec<Option<u64>>,
    },
    Hook,
    Snapshot,
    ApiError,
    /// An earlier record is written again.
    Repeat(prop::sample::Index),
}

/// A response, written as one line per content block.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    thinking: bool,
    calls: usize,
    /// Whether the results of a call come before the next call of the response.
    interleaved: bool,
    usage: Option<u64>,
    queued: Option<u8>,
    image: Option<Image>,
}

/// The size of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    width: u32,
    height: u32,
}

/// The expected result of reading the records.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// The context of each call of the main conversation.
    pub(super) calls: Vec<Option<u64>>,
    /// The user messages in it.
    pub(super) prompts: Vec<String>,
    pub(super) agents: BTreeMap<String, Vec<Option<u64>>>,
    /// Records of the conversation on other branches.
    pub(super) abandoned: u64,
    pub(super) repeated: u64,
    pub(super) failed: u64,
    pub(super) resets: usize,
    pub(super) cleared: usize,
}

fn image() -> impl Strategy<Value = Option<Image>> {
    prop_oneof![4 => Just(None), 1 => (1u32..4000, 1u32..4000).prop_map(|(width, height)| Some(Image { width, height }))]
}

fn usage() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![6 => (1u64..190_000).prop_map(Some), 1 => Just(None)]
}

fn reply() -> impl Strategy<Value = Event> {
    let queued = prop_oneof![3 => Just(None), 1 => any::<u8>().prop_map(Some)];
    (any::<bool>(), 0usize..4, any::<bool>(), usage(), queued, image()).prop_map(
        |(thinking, calls, interleaved, usage, queued, image)| {
            Event::Reply(Reply { thinking, calls, interleaved, usage, queued: queued.filter(|_| calls > 0), image })
        },
    )
}

pub(super) fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => (any::<u8>(), image()).prop_map(|(text, image)| Event::Prompt(text, image)),
        12 => reply(),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(text, back)| Event::Queue(text, back)),
        1 => (0usize..4, any::<u8>()).prop_map(|(back, text)| Event::Rewind(back, text)),
        1 => any::<u8>().prop_map(Event::Root),
        1 => (any::<bool>(), 0usize..6).prop_map(|(automatic, kept)| Event::Compact(automatic, kept)),
        2 => Just(Event::Attachment),
        1 => (0usize..4, 1usize..4).prop_map(|(keep, most)| Event::Clear(keep, most)),
        1 => (any::<bool>(), prop::collection::vec(usage(), 1..4))
            .prop_map(|(wrapped, replies)| Event::Agent { wrapped, replies }),
        1 => Just(Event::Hook),
        1 => Just(Event::Snapshot),
        1 => Just(Event::ApiError),
        1 => any::<prop::sample::Index>().prop_map(Event::Repeat),
    ];
    prop::collection::vec(event, 0..40)
}

/// The content of one record of the main conversation, which is dropped if its branch is abandoned.
#[derive(Clone, Debug, Default)]
struct RecordContent {
    records: u64,
    call: Vec<Option<u64>>,
    prompts: Vec<String>,
    reset: bool,
    cleared: usize,
}

/// Writes the records of events and the expected result.
#[derive(Default)]
pub(super) struct Writer {
    lines: Vec<Json>,
    number: usize,
    parent: Option<String>,
    records: Vec<RecordContent>,
    /// The prompts to which the user may go back: the number of earlier records, and the parent.
    prompts: Vec<(usize, Option<String>)>,
    results: Vec<String>,
    roots: usize,
    account: Account,
}

impl Writer {
    fn name(&mut self, kind: &str) -> String {
        self.number += 1;
        format!("{kind}{}", self.number)
    }

    /// Adds a record to the chain.
    fn chain(&mut self, mut record: Json) -> String {
        let uuid = self.name("x");
        record["uuid"] = uuid.as_str().into();
        record["parentUuid"] = self.parent.clone().into();
        record["sessionId"] = "s".into();
        record["isSidechain"] = false.into();
        self.lines.push(record);
        self.parent = Some(uuid.clone());
        uuid
    }

    fn add(&mut self, record: RecordContent) {
        self.records.push(record);
    }

    fn prompt(&mut self, text: &str, image: Option<Image>) {
        let mut content = vec![json!({ "type": "text", "text": text })];
        content.extend(image.map(Image::block));
        let content = if content.len() == 1 { text.into() } else { Json::from(content) };
        self.prompts.push((self.records.len(), self.parent.clone()));
        self.chain(json!({ "type": "user", "message": { "role": "user", "content": content } }));
        self.add(RecordContent { records: 1, prompts: vec![text.to_owned()], ..RecordContent::default() });
    }

    /// The first record of a session is a prompt.
    fn begin(&mut self) {
        if self.roots == 0 {
            self.roots = 1;
            self.prompt("begin", None);
            self.text_reply();
        }
    }

    pub(super) fn write(&mut self, event: &Event) {
        if !matches!(event, Event::Snapshot) {
            self.begin();
        }
        match event {
            Event::Prompt(text, image) => self.prompt(&format!("prompt {text}"), *image),
            Event::Reply(reply) => self.reply(reply),
            Event::Queue(text, back) => {
                let text = format!("queued {text} {}", self.number);
                self.lines.push(queue("enqueue", Some(&text)));
                self.lines.push(queue(if *back { "popAll" } else { "dequeue" }, None));
                if !back {
                    self.prompt(&text, None);
                }
            }
            Event::Rewind(back, text) => self.rewind(*back, &format!("instead {text}")),
            Event::Root(text) => {
                self.parent = None;
                self.prompts.clear();
                self.prompt(&format!("root {text}"), None);
                self.prompts.clear();
                self.results.clear();
                self.records.last_mut().unwrap().reset = true;
                self.text_reply();
            }
            Event::Compact(automatic, kept) => self.compact(*automatic, *kept),
            Event::Attachment => {
                let listing = json!({ "type": "skill_listing", "content": "- review: reads a change" });
                self.chain(json!({ "type": "attachment", "attachment": listing }));
            }
            Event::Clear(keep, most) => self.clear(*keep, *most),
            Event::Agent { wrapped, replies } => self.agent(*wrapped, replies),
            Event::Hook => drop(self.chain(json!({ "type": "progress", "data": { "type": "hook_progress" } }))),
            Event::Snapshot => {
                self.lines.push(json!({ "type": "file-history-snapshot", "messageId": "m", "snapshot": {} }));
            }
            Event::ApiError => {
                let message = json!({ "id": "e", "role": "assistant", "model": "<synthetic>", "content": [],
                    "usage": { "input_tokens": 0 } });
                self.chain(json!({ "type": "assistant", "isApiErrorMessage": true, "message": message }));
                self.account.failed += 1;
            }
            Event::Repeat(index) => {
                let again: Vec<&Json> = self.lines.iter().filter(|line| line["uuid"].is_string()).collect();
                self.lines.push((*index.get(&again)).clone());
                self.account.repeated += 1;
            }
        }
    }

    /// A reply of text alone.
    fn text_reply(&mut self) {
        let usage = Some(150);
        self.reply(&Reply { thinking: false, calls: 0, interleaved: false, usage, queued: None, image: None });
    }

    fn reply(&mut self, reply: &Reply) {
        let id = self.name("m");
        let line = |block: &Json| {
            let mut message = json!({ "id": id, "role": "assistant", "model": "claude-opus-4-5", "content": [block] });
            if let Some(tokens) = reply.usage {
                message["usage"] = json!({ "input_tokens": 0, "cache_read_input_tokens": tokens, "output_tokens": 7 });
            }
            json!({ "type": "assistant", "requestId": format!("r{id}"), "message": message })
        };
        let mut records = 1;
        if reply.thinking {
            self.chain(line(&json!({ "type": "thinking", "thinking": "so", "signature": "s" })));
            records += 1;
        }
        self.chain(line(&json!({ "type": "text", "text": format!("reply {id}") })));
        let (mut waiting, mut last) = (Vec::new(), self.parent.clone());
        for at in 0..reply.calls {
            let call = format!("{id}c{at}");
            self.parent = last;
            let block = json!({ "type": "tool_use", "id": call, "name": "Read", "input": { "path": at } });
            last = Some(self.chain(line(&block)));
            waiting.push((call, last.clone()));
            records += 2;
            if reply.interleaved && at + 1 < reply.calls {
                self.results(&mut waiting, reply.image);
            }
        }
        let mut prompts = Vec::new();
        if let Some(text) = reply.queued {
            let text = format!("typed {text} {id}");
            self.lines.push(queue("enqueue", Some(&text)));
            self.lines.push(queue("remove", None));
            prompts.push(text);
            records += 1;
        }
        self.results(&mut waiting, reply.image);
        self.add(RecordContent { records, call: vec![reply.usage], prompts, ..RecordContent::default() });
    }

    fn results(&mut self, waiting: &mut Vec<(String, Option<String>)>, image: Option<Image>) {
        for (call, parent) in waiting.drain(..) {
            self.parent = parent;
            let mut content = vec![json!({ "type": "text", "text": format!("out of {call} ").repeat(40) })];
            content.extend(image.map(Image::block));
            let block = json!({ "type": "tool_result", "tool_use_id": call, "content": content });
            self.chain(json!({ "type": "user", "message": { "role": "user", "content": [block] } }));
            self.results.push(call);
        }
    }

    fn rewind(&mut self, back: usize, text: &str) {
        if let Some(at) = self.prompts.len().checked_sub(back + 1) {
            let (record_count, parent) = self.prompts[at].clone();
            self.prompts.truncate(at);
            // Going back to the first prompt of a session starts another root.
            if parent.is_some() {
                let left = self.records.split_off(record_count);
                self.account.abandoned += left.iter().map(|one| one.records).sum::<u64>();
                self.parent = parent;
            }
        }
        self.prompt(text, None);
    }

    fn compact(&mut self, automatic: bool, kept: usize) {
        let is_message = |line: &&Json| line["isSidechain"] == false && line["message"].is_object();
        let newest = self.lines.iter().rev().filter(is_message).take(kept);
        let uuids: Vec<Json> = newest.map(|line| line["uuid"].clone()).collect();
        let parent = self.parent.take();
        let trigger = if automatic { "auto" } else { "manual" };
        self.chain(json!({ "type": "system", "subtype": "compact_boundary", "logicalParentUuid": parent,
            "compactMetadata": { "trigger": trigger, "preTokens": 150_000, "preservedMessages": { "uuids": uuids } } }));
        let text = "This session is being continued from a previous conversation.";
        self.chain(json!({ "type": "user", "isCompactSummary": true, "message": { "role": "user", "content": text } }));
        self.add(RecordContent { records: 1, reset: true, ..RecordContent::default() });
        self.prompts.clear();
        self.results.clear();
    }

    /// A clearing is counted with the next message.
    fn clear(&mut self, keep: usize, most: usize) {
        let ids: Vec<String> = self.results.iter().rev().skip(keep).take(most).cloned().collect();
        self.chain(json!({ "type": "system", "subtype": "microcompact_boundary",
            "microcompactMetadata": { "trigger": "auto", "tokensSaved": 99, "compactedToolIds": ids } }));
        let cleared = ids.len();
        self.prompt("after the clearing", None);
        self.records.last_mut().unwrap().cleared = cleared;
        // Going back to this prompt would undo the clearing.
        self.prompts.pop();
    }

    fn agent(&mut self, wrapped: bool, replies: &[Option<u64>]) {
        let agent = self.name("agent");
        let mut parent = Json::Null;
        for (at, usage) in replies.iter().enumerate() {
            let (question_id, answer_id) = (self.name("n"), self.name("n"));
            let mut answer = json!({ "id": format!("m{answer_id}"), "role": "assistant", "model": "claude-haiku-4-5",
                "content": [{ "type": "text", "text": format!("answer {at}") }] });
            if let Some(tokens) = usage {
                answer["usage"] = json!({ "input_tokens": tokens, "output_tokens": 3 });
            }
            let question = json!({ "role": "user", "content": format!("task {at}") });
            for (uuid, role, message) in [(&question_id, "user", question), (&answer_id, "assistant", answer)] {
                let record = json!({ "type": role, "uuid": uuid, "parentUuid": parent, "message": message });
                parent = uuid.as_str().into();
                self.of_agent(wrapped, &agent, record);
            }
        }
        self.account.agents.insert(agent, replies.to_vec());
    }

    fn of_agent(&mut self, wrapped: bool, agent: &str, mut record: Json) {
        if wrapped {
            let data = json!({ "type": "agent_progress", "agentId": agent, "message": record, "prompt": "task" });
            self.chain(json!({ "type": "progress", "data": data }));
        } else {
            record["isSidechain"] = true.into();
            record["agentId"] = agent.into();
            record["sessionId"] = "s".into();
            self.lines.push(record);
        }
    }

    pub(super) fn finish(mut self) -> (String, Account) {
        self.begin();
        let account = &mut self.account;
        for record in self.records {
            account.calls.extend(record.call);
            account.prompts.extend(record.prompts);
            account.resets += usize::from(record.reset);
            account.cleared += record.cleared;
        }
        let lines: Vec<String> = self.lines.iter().map(Json::to_string).collect();
        (lines.join("\n"), self.account)
    }
}

fn queue(operation: &str, content: Option<&str>) -> Json {
    let mut json = json!({ "type": "queue-operation", "operation": operation, "sessionId": "s" });
    if let Some(content) = content {
        json["content"] = content.into();
    }
    json
}

impl Image {
    fn block(self) -> Json {
        let data = png(self.width, self.height);
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": data } })
    }
}

/// The head of a PNG in base64.
fn png(width: u32, height: u32) -> String {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0]);
    base64(&bytes)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    out
}
