//! The body of a response: its bytes pass as they come, and a copy of them is read.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame};
use hyper::header::{self, HeaderMap};
use tokio::task::JoinHandle;
use tokio::time::{Sleep, Timeout, sleep, timeout};

use super::encoding;
use crate::library::{ReplyReader, StreamedReply};

/// The maximum size of a compressed reply, in bytes, before and after it is decoded.
const MAX_REPLY: usize = 64 << 20;

/// The longest that the end of a response is delayed until the session has processed the reply. A client may send its next request
/// right after it.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);

/// How long an upstream error is withheld. `hyper` discards buffered bytes when the body fails.
const FLUSH: Duration = Duration::from_millis(20);

/// Takes the finished reply, and returns the task that gives it to the session. The task outlives the connection.
pub(super) type OnReply = Box<dyn FnOnce(StreamedReply) -> JoinHandle<()> + Send>;

/// The body of a response.
pub(super) struct Relay {
    upstream: Pin<Box<reqwest::Body>>,
    reader: Option<Reader>,
    /// The task that gives the reply to the session.
    reply_task: Option<Pin<Box<Timeout<JoinHandle<()>>>>>,
    /// The newest frame: held until the next one arrives or, if it is the last, until that task has ended.
    held: Option<Frame<Bytes>>,
    /// The upstream error, and the delay before it is passed on.
    failure: Option<(Pin<Box<Sleep>>, reqwest::Error)>,
    has_ended: bool,
}

/// Reads the copy.
pub(super) struct Reader {
    reply: ReplyReader,
    kind: BodyKind,
    /// Whether the last bytes are held until it is known that they are the last. A client that knows the length of a response, or
    /// that reads one text, does not wait for its end.
    is_held: bool,
    on_reply: OnReply,
}

enum BodyKind {
    /// Server-sent events, the last of which marks the reply as complete.
    Events,
    /// One text, which is complete with its last bytes.
    Whole,
    /// Bytes that are decoded at the end.
    Encoded { encoding: String, bytes: Vec<u8> },
    /// Encoded bytes that are too many to be decoded.
    TooLong,
}

impl Reader {
    /// A reader of a response with these headers.
    pub(super) fn new(reply: ReplyReader, headers: &HeaderMap, on_reply: OnReply) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let encoding = text(header::CONTENT_ENCODING);
        let is_events = text(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("text/event-stream"));
        let has_length = headers.contains_key(header::CONTENT_LENGTH);
        let kind = match encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            Some(encoding) => BodyKind::Encoded { encoding: encoding.to_owned(), bytes: Vec::new() },
            None if is_events => BodyKind::Events,
            None => BodyKind::Whole,
        };
        Self { reply, kind, is_held: has_length || !is_events, on_reply }
    }

    fn push(&mut self, data: &[u8]) {
        match &mut self.kind {
            BodyKind::Events | BodyKind::Whole => self.reply.push(data),
            BodyKind::Encoded { bytes, .. } if bytes.len() + data.len() > MAX_REPLY => self.kind = BodyKind::TooLong,
            BodyKind::Encoded { bytes, .. } => bytes.extend_from_slice(data),
            BodyKind::TooLong => {}
        }
    }

    fn finish(mut self) -> JoinHandle<()> {
        if let BodyKind::Encoded { encoding, bytes } = &self.kind
            && let Ok(decoded) = encoding::decoded(encoding, bytes, MAX_REPLY)
        {
            self.reply.push(&decoded);
        }
        (self.on_reply)(self.reply.finish())
    }
}

impl Relay {
    pub(super) fn new(upstream: reqwest::Body, reader: Option<Reader>) -> Self {
        Self { upstream: Box::pin(upstream), reader, reply_task: None, held: None, failure: None, has_ended: false }
    }

    fn start_reply_task(&mut self) {
        self.reply_task = self.reader.take().map(|reader| Box::pin(timeout(REPLY_TIMEOUT, reader.finish())));
    }

    /// Passes a frame to the reader. Returns the frame to send now, if any.
    fn pass(&mut self, frame: Frame<Bytes>) -> Option<Frame<Bytes>> {
        let Some(reader) = &mut self.reader else { return Some(frame) };
        if let Some(data) = frame.data_ref() {
            reader.push(data);
        }
        if reader.is_held {
            return self.held.replace(frame);
        }
        if matches!(reader.kind, BodyKind::Events) && reader.reply.has_ended() {
            self.held = Some(frame);
            self.start_reply_task();
            return None;
        }
        Some(frame)
    }
}

impl Body for Relay {
    type Data = Bytes;
    type Error = reqwest::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, reqwest::Error>>> {
        loop {
            let has_failed = self.failure.is_some();
            if let Some(held) = self.held.take_if(|_| has_failed) {
                return Poll::Ready(Some(Ok(held)));
            }
            if let Some((pause, _)) = &mut self.failure {
                ready!(pause.as_mut().poll(context));
                return Poll::Ready(self.failure.take().map(|(_, error)| Err(error)));
            }
            if let Some(task) = &mut self.reply_task {
                // The rest is sent even if the task failed or timed out.
                let _ = ready!(task.as_mut().poll(context));
                self.reply_task = None;
            }
            let is_read = self.has_ended || self.reader.is_none();
            if let Some(held) = self.held.take_if(|_| is_read) {
                return Poll::Ready(Some(Ok(held)));
            }
            if self.has_ended {
                return Poll::Ready(None);
            }
            match ready!(self.upstream.as_mut().poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Some(frame) = self.pass(frame) {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                }
                Some(Err(error)) => {
                    // The upstream failed. The next request shows what the client has kept of the reply.
                    self.reader = None;
                    self.failure = Some((Box::pin(sleep(FLUSH)), error));
                }
                None => {
                    self.has_ended = true;
                    self.start_reply_task();
                }
            }
        }
    }
}
