//! Requests that a provider has rejected as too long: the rules on `overflow` shorten them, and they are sent again once.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame};
use hyper::{Response, header};
use trimtab_live::request::says_too_long;

use super::conversation::Conversation;
use super::exchange::{Forwarded, edited, may_be_rejected_edit};
use super::{Mode, Proxy, encoding};
use crate::library::{LiveNext, LiveRequest, RequestHandle};

/// The most bytes of a rejection that are read.
const MAX_REJECTION: usize = 1 << 20;

/// The response of a provider.
type Answer = reqwest::Result<reqwest::Response>;

impl Proxy {
    /// Returns the response for the client. If the provider rejected the request as too long, the policy shortens it
    /// and it is sent once more; the handle is that of the shorter request. If that is rejected too, the client gets
    /// the first rejection: many clients compact their context when a request is too long.
    pub(super) async fn repeated_if_too_long(
        &self,
        response: Answer,
        original: &Forwarded,
        conversation: &Conversation,
        request: &LiveRequest,
    ) -> (Answer, Option<RequestHandle>) {
        let may_be = |response: &reqwest::Response| may_be_rejected_edit(response.status());
        if self.mode != Mode::Enforce || !response.as_ref().is_ok_and(may_be) {
            return (response, None);
        }
        let (response, is_too_long) = read(response).await;
        if !is_too_long {
            return (response, None);
        }
        let shorter = conversation.live.rejected(request).await;
        self.log(conversation);
        let Ok(Some(LiveNext::Send(shorter))) = shorter else { return (response, None) };
        self.warn(&shorter.warnings);
        if !self.store_offloaded(conversation, &shorter) {
            return (response, None);
        }
        conversation.statistics().add_firings(&shorter.prepared);
        self.count(|counters| counters.retried += 1);
        let repeated = self.send(edited(original, &shorter)).await;
        if repeated.as_ref().is_ok_and(may_be) {
            return (response, Some(shorter.prepared.handle));
        }
        (repeated, Some(shorter.prepared.handle))
    }
}

/// Reads the beginning of a rejection and returns whether it says that the request is too long. The rest of a longer
/// answer is relayed as it arrives.
async fn read(response: Answer) -> (Answer, bool) {
    let response = match response {
        Ok(response) => response,
        Err(error) => return (Err(error), false),
    };
    let (parts, mut rest) = Response::from(response).into_parts();
    let (mut bytes, mut is_whole) = (Vec::new(), false);
    while !is_whole && bytes.len() <= MAX_REJECTION {
        match rest.frame().await {
            Some(Ok(frame)) => bytes.extend(frame.into_data().unwrap_or_default()),
            Some(Err(error)) => return (Err(error), false),
            None => is_whole = true,
        }
    }
    let coding = parts.headers.get(header::CONTENT_ENCODING).and_then(|coding| coding.to_str().ok());
    let decoded = match coding {
        Some(coding) if is_whole => encoding::decoded(coding, &bytes, MAX_REJECTION).unwrap_or_default(),
        Some(_) => Vec::new(),
        None => bytes.clone(),
    };
    let is_too_long = says_too_long(&String::from_utf8_lossy(&decoded));
    let body = Resumed { beginning: Some(bytes.into()), rest: (!is_whole).then(|| Box::pin(rest)) };
    (Ok(Response::from_parts(parts, reqwest::Body::wrap(body)).into()), is_too_long)
}

/// A body whose beginning has been read.
struct Resumed {
    beginning: Option<Bytes>,
    /// The rest, or `None` if there is none.
    rest: Option<Pin<Box<reqwest::Body>>>,
}

impl Body for Resumed {
    type Data = Bytes;
    type Error = reqwest::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(beginning) = self.beginning.take() {
            return Poll::Ready(Some(Ok(Frame::data(beginning))));
        }
        self.rest.as_mut().map_or(Poll::Ready(None), |rest| rest.as_mut().poll_frame(context))
    }
}
