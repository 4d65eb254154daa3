//! Requests that a provider has rejected as too long: the rules on `overflow` shorten them, and they are sent again once.

use hyper::{Response, header};
use trimtab_live::request::says_too_long;

use super::conversation::Conversation;
use super::exchange::{Forwarded, edited, may_be_rejected_edit};
use super::{Mode, Proxy, encoding};
use crate::library::{LiveNext, LiveRequest, RequestHandle};

/// The most bytes of a rejection that are read.
const MAX_REJECTION: usize = 1 << 20;

/// The answer of a provider.
type Answer = reqwest::Result<reqwest::Response>;

impl Proxy {
    /// The answer to a request. If the provider has rejected it as too long and the policy can shorten it, the answer to the
    /// shorter request, with its handle.
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
        conversation.account().add_firings(&shorter.prepared);
        self.count(|counters| counters.retried += 1);
        (self.send(edited(original, &shorter)).await, Some(shorter.prepared.handle))
    }
}

/// Reads a rejection, and whether it says that the request is too long.
async fn read(response: Answer) -> (Answer, bool) {
    let response = match response {
        Ok(response) => response,
        Err(error) => return (Err(error), false),
    };
    let (status, headers) = (response.status(), response.headers().clone());
    let bytes = match response.bytes().await {
        Ok(bytes) => bytes,
        Err(error) => return (Err(error), false),
    };
    let coding = headers.get(header::CONTENT_ENCODING).and_then(|coding| coding.to_str().ok());
    let decoded = match coding {
        Some(coding) => encoding::decoded(coding, &bytes, MAX_REJECTION).unwrap_or_default(),
        None => bytes.to_vec(),
    };
    let is_too_long = says_too_long(&String::from_utf8_lossy(&decoded));
    let mut whole = Response::new(bytes);
    (*whole.status_mut(), *whole.headers_mut()) = (status, headers);
    (Ok(whole.into()), is_too_long)
}
