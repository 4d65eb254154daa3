//! The body of an answer: its bytes pass as they come, and a copy of them is read.

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

/// The most bytes of a reply that are read.
const MAX_REPLY: usize = 64 << 20;

/// How long the end of an answer waits until the session knows the reply. A client may send its next request right after it.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the end of a cut answer waits. The server that writes the answer forgets what it has not written when the answer fails.
const FLUSH: Duration = Duration::from_millis(20);

/// Reads a reply, in a task that goes on if the client disconnects.
pub(super) type OnReply = Box<dyn FnOnce(StreamedReply) -> JoinHandle<()> + Send>;

/// The body of an answer.
pub(super) struct Relay {
    upstream: Pin<Box<reqwest::Body>>,
    reader: Option<Reader>,
    /// The task that takes in the reply.
    taking_in: Option<Pin<Box<Timeout<JoinHandle<()>>>>>,
    /// What is sent once the reply has been taken in.
    held: Option<Frame<Bytes>>,
    /// Why the answer was cut, which is told after what came before has been written.
    failure: Option<(Pin<Box<Sleep>>, reqwest::Error)>,
    has_ended: bool,
}

/// Reads the copy.
pub(super) struct Reader {
    reply: ReplyReader,
    form: Form,
    /// Whether the last bytes are held until it is known that they are the last. A client that knows the length of an answer, or
    /// that reads one text, does not wait for its end.
    is_held: bool,
    on_reply: OnReply,
}

enum Form {
    /// Server-sent events, whose last one tells that the reply is complete.
    Events,
    /// One text, which is complete with its last bytes.
    Whole,
    /// Bytes that are decoded at the end.
    Encoded { encoding: String, bytes: Vec<u8> },
}

impl Reader {
    /// A reader of an answer with these headers.
    pub(super) fn new(reply: ReplyReader, headers: &HeaderMap, on_reply: OnReply) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let encoding = text(header::CONTENT_ENCODING);
        let is_events = text(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("text/event-stream"));
        let has_length = headers.contains_key(header::CONTENT_LENGTH);
        let form = match encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            Some(encoding) => Form::Encoded { encoding: encoding.to_owned(), bytes: Vec::new() },
            None if is_events => Form::Events,
            None => Form::Whole,
        };
        Self { reply, form, is_held: has_length || !is_events, on_reply }
    }

    fn push(&mut self, data: &[u8]) {
        match &mut self.form {
            Form::Events | Form::Whole => self.reply.push(data),
            // What is too long is not complete, and changes nothing.
            Form::Encoded { bytes, .. } if bytes.len() + data.len() > MAX_REPLY => {}
            Form::Encoded { bytes, .. } => bytes.extend_from_slice(data),
        }
    }

    fn finish(mut self) -> JoinHandle<()> {
        if let Form::Encoded { encoding, bytes } = &self.form
            && let Ok(decoded) = encoding::decoded(encoding, bytes, MAX_REPLY)
        {
            self.reply.push(&decoded);
        }
        (self.on_reply)(self.reply.finish())
    }
}

impl Relay {
    pub(super) fn new(upstream: reqwest::Body, reader: Option<Reader>) -> Self {
        Self { upstream: Box::pin(upstream), reader, taking_in: None, held: None, failure: None, has_ended: false }
    }

    fn take_in(&mut self) {
        self.taking_in = self.reader.take().map(|reader| Box::pin(timeout(PATIENCE, reader.finish())));
    }

    /// Passes a frame to the reader. What is sent now, if anything is.
    fn pass(&mut self, frame: Frame<Bytes>) -> Option<Frame<Bytes>> {
        let Some(reader) = &mut self.reader else { return Some(frame) };
        if let Some(data) = frame.data_ref() {
            reader.push(data);
        }
        if reader.is_held {
            return self.held.replace(frame);
        }
        if matches!(reader.form, Form::Events) && reader.reply.has_ended() {
            self.held = Some(frame);
            self.take_in();
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
            if let Some(task) = &mut self.taking_in {
                // Whether it has failed or takes too long, the answer goes on.
                let _ = ready!(task.as_mut().poll(context));
                self.taking_in = None;
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
                    // The answer was cut. What the client keeps of it, its next request says.
                    self.reader = None;
                    self.failure = Some((Box::pin(sleep(FLUSH)), error));
                }
                None => {
                    self.has_ended = true;
                    self.take_in();
                }
            }
        }
    }
}
