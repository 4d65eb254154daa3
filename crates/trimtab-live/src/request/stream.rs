//! Replies of a provider that are read as their bytes come.
//!
//! A stream of server-sent events becomes the response body that the provider would have sent without streaming, and is
//! then read like one. So a reply means the same either way, and however its bytes are divided.

pub(super) mod assembler;
mod event;
pub(super) mod value;

use std::sync::Arc;

use serde_json::Value as Json;
use trimtab_base::conversation::{Message, Usage};
use trimtab_recordings::transcript::api::{self, UnnamedCalls};

use self::assembler::{Assembled, Assembler};
use self::event::EventReader;
use super::dialect::Dialect;
use super::layout::valid;
use super::reply::{read_reply_after, read_usage};

/// The most bytes of a reply that are read. No provider sends as many; what is longer is not kept in memory.
const MAX_LENGTH: usize = 64 << 20;

/// Reads a reply as its bytes come: a stream of server-sent events, or one JSON text.
#[derive(Debug)]
pub struct ReplyReader {
    dialect: Dialect,
    calls: UnnamedCalls,
    bytes: Bytes,
    /// The number of bytes so far.
    length: usize,
    /// Whether the event that ends the reply has come.
    has_ended: bool,
}

/// What has come so far.
#[derive(Debug)]
enum Bytes {
    /// White space, or nothing.
    Unknown,
    /// More than is read.
    TooLong,
    /// One JSON text.
    Whole(Vec<u8>),
    Events(EventReader, Box<dyn Assembler>),
}

/// A reply that has been read to the end of its bytes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadReply {
    /// What the model has written. After a stream that was cut, this is what it had completed: whole blocks and items.
    pub message: Option<Arc<Message>>,
    /// The tokens of the call, if the provider reports them.
    pub usage: Option<Usage>,
    /// How the bytes ended.
    pub end: ReplyEnd,
}

/// How the bytes of a reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyEnd {
    /// The reply is complete.
    Complete,
    /// The bytes ended before the reply did.
    Cut,
    /// The provider reported an error with this text, which may be empty.
    Error(String),
    /// The bytes are not a reply of the dialect, or more than 64 MiB.
    Unreadable,
}

impl ReplyReader {
    /// A reader before the first byte.
    pub fn new(dialect: Dialect) -> Self {
        Self::after(dialect, UnnamedCalls::default())
    }

    /// A reader of the reply to a request whose history has these calls.
    pub const fn after(dialect: Dialect, calls: UnnamedCalls) -> Self {
        Self { dialect, calls, bytes: Bytes::Unknown, length: 0, has_ended: false }
    }

    /// Reads the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.length = self.length.saturating_add(bytes.len());
        if self.length > MAX_LENGTH {
            self.bytes = Bytes::TooLong;
        }
        if let (Bytes::Unknown, Some(first)) = (&self.bytes, bytes.iter().find(|byte| !byte.is_ascii_whitespace())) {
            self.bytes = match first {
                b'{' | b'[' => Bytes::Whole(Vec::new()),
                _ => Bytes::Events(EventReader::default(), (self.dialect.form().assembler)()),
            };
        }
        match &mut self.bytes {
            Bytes::Unknown | Bytes::TooLong => {}
            Bytes::Whole(text) => text.extend_from_slice(bytes),
            Bytes::Events(events, assembler) => {
                let has_ended = &mut self.has_ended;
                events.push(bytes, &mut |data| *has_ended |= add(assembler.as_mut(), data));
            }
        }
    }

    /// Whether the event that ends a reply has come, so that nothing that follows changes it. A client may send its next
    /// request then, before the stream has ended.
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The reply, after the last byte.
    pub fn finish(self) -> ReadReply {
        match self.bytes {
            Bytes::TooLong => ReadReply { message: None, usage: None, end: ReplyEnd::Unreadable },
            Bytes::Unknown => ReadReply { message: None, usage: None, end: ReplyEnd::Cut },
            Bytes::Whole(text) => whole(self.dialect, &self.calls, &String::from_utf8_lossy(&text)),
            Bytes::Events(events, mut assembler) => {
                events.finish(&mut |data| {
                    add(assembler.as_mut(), data);
                });
                assembled(self.dialect, &self.calls, assembler.finish())
            }
        }
    }
}

/// Adds an event, unless its data is no JSON object. Whether it ends the reply.
fn add(assembler: &mut dyn Assembler, data: &str) -> bool {
    if valid(data).is_ok()
        && !api::is_deep(data)
        && let Ok(event) = serde_json::from_str(&api::without_lone_surrogates(data))
    {
        assembler.add(event)
    } else {
        data.trim() == "[DONE]"
    }
}

fn assembled(dialect: Dialect, calls: &UnnamedCalls, Assembled { body, is_complete, error }: Assembled) -> ReadReply {
    let read = body.as_deref().map(|body| read_reply_after(dialect, calls, body));
    let (message, usage) = match &read {
        Some(Ok((message, usage))) => (Some(Arc::clone(message)), *usage),
        _ => (None, body.and_then(|body| read_usage(dialect, &body))),
    };
    let end = match error {
        Some(error) => ReplyEnd::Error(error),
        None if !is_complete => ReplyEnd::Cut,
        None if message.is_none() => ReplyEnd::Unreadable,
        None => ReplyEnd::Complete,
    };
    ReadReply { message, usage, end }
}

fn whole(dialect: Dialect, calls: &UnnamedCalls, text: &str) -> ReadReply {
    if dialect.form().streams_lists
        && let Ok(list) = valid(text)
        && list.is_array()
    {
        let mut assembler = (dialect.form().assembler)();
        for event in list.elements() {
            add(assembler.as_mut(), event.raw());
        }
        return assembled(dialect, calls, assembler.finish());
    }
    if let Ok((message, usage)) = read_reply_after(dialect, calls, text) {
        return ReadReply { message: Some(message), usage, end: ReplyEnd::Complete };
    }
    let end = match serde_json::from_str::<Json>(text) {
        Ok(body) => value::error(&body).map_or(ReplyEnd::Unreadable, ReplyEnd::Error),
        Err(error) if error.is_eof() => ReplyEnd::Cut,
        Err(_) => ReplyEnd::Unreadable,
    };
    ReadReply { message: None, usage: None, end }
}
