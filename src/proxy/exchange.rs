//! One request and its response.

#![expect(clippy::disallowed_methods, reason = "requests arrive at a time, and decisions are timed")]

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use reqwest::Url;
use trimtab_base::tool_use::runs_commands;
use trimtab_live::engine::Engine;
use trimtab_live::request::{Request as ClientRequest, opening};

use super::body::{RequestBody, collected};
use super::conversation::{self, Conversation};
use super::eligibility::{self, PassReason};
use super::headers::{self, Refusal};
use super::provider::ApiEndpoint;
use super::relay::{OnReply, Reader, Relay};
use super::response::{self, ResponseBody};
use super::upstream::UnsafePath;
use super::{Arm, Mode, Proxy, Recordings, pages};
use crate::host::http_causes;
use crate::library::{LiveNext, LiveRequest, LiveSession, ReplyReader, RequestHandle};

/// Why a path is refused.
const UNSAFE_PATH: &str =
    "the path of the request has `..` or an encoded slash, or the method is CONNECT; such requests are not forwarded";

/// How a request is handled.
enum Decision {
    /// The client's bytes are sent.
    Pass(PassReason),
    /// In enforce mode the edited request is sent, otherwise the original one.
    Send { conversation: Arc<Conversation>, request: Box<LiveRequest>, reply: Box<ReplyReader>, is_changed: bool },
    /// A rule has stopped the run.
    Stop { conversation: Arc<Conversation>, rule: String, reason: String },
}

/// A forwarded request.
#[derive(Clone)]
pub(super) struct Forwarded {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
}

impl Proxy {
    /// Answers a request.
    pub(super) async fn respond(self: Arc<Self>, request: Request<Incoming>) -> Response<ResponseBody> {
        if let Some(refusal) = self.access.refusal(request.headers()) {
            self.count(|counters| counters.refused += 1);
            let reason = match refusal {
                Refusal::Host => "the proxy answers requests for this machine; the `Host` header names another machine",
                Refusal::Origin => "the proxy refuses requests from pages of other web sites",
                Refusal::Token => "the header `x-trimtab-token` is missing or does not have the token of --token-file",
            };
            return response::error(StatusCode::FORBIDDEN, "permission_error", reason);
        }
        if let Some(page) = pages::page(&self, request.uri().path()).await {
            return page;
        }
        let is_websocket = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"websocket");
        if request.headers().get(header::UPGRADE).is_some_and(is_websocket) {
            // Clients fall back to plain requests at once.
            self.count(|counters| counters.refused += 1);
            let mut refusal = response::error(StatusCode::UPGRADE_REQUIRED, "upgrade", "WebSocket is not supported");
            refusal.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("HTTP/1.1"));
            return refusal;
        }
        let (method, uri) = (request.method(), request.uri());
        let target = self.upstreams.target(method, uri.path(), uri.query(), request.headers());
        let target = match target {
            Ok(target) if *method != Method::CONNECT => target,
            Ok(_) | Err(UnsafePath) => {
                self.count(|counters| counters.refused += 1);
                return response::error(StatusCode::BAD_REQUEST, "invalid_request_error", UNSAFE_PATH);
            }
        };
        match target.interface {
            Some(interface) => self.exchange(request, target.url, interface).await,
            None => self.pass(request, target.url).await,
        }
    }

    /// Forwards a request without reading it.
    async fn pass(&self, request: Request<Incoming>, url: Url) -> Response<ResponseBody> {
        self.count(|counters| counters.requests += 1);
        self.count_passed(PassReason::OtherInterface);
        let (parts, body) = request.into_parts();
        let mut forwarded = headers::forwarded(&parts.headers);
        // A body that is not collected keeps its length.
        if let Some(length) = parts.headers.get(header::CONTENT_LENGTH) {
            forwarded.insert(header::CONTENT_LENGTH, length.clone());
        }
        let builder = self.client(&url).request(parts.method, url).headers(forwarded);
        let has_body =
            parts.headers.contains_key(header::CONTENT_LENGTH) || parts.headers.contains_key(header::TRANSFER_ENCODING);
        let builder = if has_body { builder.body(reqwest::Body::wrap(body)) } else { builder };
        relayed(builder.send().await, None)
    }

    /// Lets the session of the conversation decide on a request, and forwards it.
    async fn exchange(
        self: Arc<Self>,
        request: Request<Incoming>,
        url: Url,
        interface: ApiEndpoint,
    ) -> Response<ResponseBody> {
        let (parts, body) = request.into_parts();
        let body = match collected(body).await {
            Ok(body) => RequestBody::new(body, parts.headers.get(header::CONTENT_ENCODING).cloned()),
            Err(refusal) => {
                self.count(|counters| counters.refused += 1);
                return refusal;
            }
        };
        let original = original(&parts, url, body.bytes.clone());
        let deciding = {
            let (proxy, headers) = (Arc::clone(&self), parts.headers.clone());
            tokio::spawn(async move { proxy.decide(&headers, interface, body).await })
        };
        // A panic is a bug of this program and must not fail the request.
        let decision = deciding.await.unwrap_or(Decision::Pass(PassReason::Failure));
        let (conversation, request, reply, is_changed) = match decision {
            Decision::Send { conversation, request, reply, is_changed } => (conversation, request, reply, is_changed),
            Decision::Pass(reason) => {
                if reason == PassReason::Failure {
                    self.fail("an internal error; the request was sent unchanged".to_owned());
                }
                self.count(|counters| counters.requests += 1);
                self.count_passed(reason);
                return relayed(self.send(original).await, None);
            }
            Decision::Stop { conversation, rule, reason } => {
                conversation.statistics().add_stop(&rule);
                self.count(|counters| counters.stopped += 1);
                let message = format!("the rule `{rule}` has stopped the run: {reason}");
                return response::error(StatusCode::BAD_REQUEST, "invalid_request_error", &message);
            }
        };
        let edited_request = (is_changed && self.mode == Mode::Enforce).then(|| edited(&original, &request));
        let is_edited = edited_request.is_some();
        conversation.statistics().add_request(&request.prepared, is_edited);
        self.count(|counters| {
            counters.requests += 1;
            counters.edited += u64::from(is_edited);
        });
        let response = self.send(edited_request.unwrap_or_else(|| original.clone())).await;
        let (mut response, repeated) = self.repeated_if_too_long(response, &original, &conversation, &request).await;
        if let Some(handle) = repeated {
            let on_reply = self.on_reply(conversation, handle);
            return relayed(response, Some((reply, on_reply)));
        }
        if is_edited && response.as_ref().is_ok_and(|response| may_be_rejected_edit(response.status())) {
            // The original shows whether the edits are the reason. If it is accepted, the conversation stays unedited from now on.
            self.count(|counters| counters.retried += 1);
            response = self.send(original).await;
            if response.as_ref().is_ok_and(|response| response.status().is_success())
                && let Err(error) = conversation.disable_edits(&self.logs)
            {
                self.fail(format!("the log of a conversation cannot be written: {error}"));
            }
            return relayed(response, None);
        }
        let on_reply = self.on_reply(conversation, request.prepared.handle);
        relayed(response, Some((reply, on_reply)))
    }

    /// Decides whether a request is passed through, sent with edits, or stopped.
    async fn decide(
        &self,
        headers: &HeaderMap,
        ApiEndpoint { dialect, model }: ApiEndpoint,
        body: RequestBody,
    ) -> Decision {
        let start = Instant::now();
        let Some(json) = body.text() else { return Decision::Pass(PassReason::Unreadable) };
        if self.is_off() {
            return Decision::Pass(PassReason::Off);
        }
        let agent_key = conversation::agent_key(headers);
        let continued = self.conversations.continued(dialect, &agent_key, &json);
        let read = match &continued {
            Some((_, closest)) => closest.read(json.clone()),
            None => ClientRequest::read(dialect, None, json.clone()),
        };
        let Ok(read) = read.map(|read| read.with_addressed_model(model)) else {
            return Decision::Pass(PassReason::Unreadable);
        };
        if let Some(reason) = eligibility::passed(headers, &read.closing()) {
            return Decision::Pass(reason);
        }
        if self.offloaded.is_some() && !read.tools().iter().any(|tool| runs_commands(&tool.name)) {
            return Decision::Pass(PassReason::NoShell);
        }
        let conversation = match continued {
            Some((conversation, _)) => conversation,
            None => match opening(dialect, &json) {
                Ok(opening) if !opening.is_empty() => {
                    let id = conversation::id(dialect, &agent_key, &opening);
                    let slot = self.conversations.slot(&id);
                    let session = conversation::session(headers);
                    let first = || async {
                        let conversation = self.conversation(&id, agent_key, session, &read);
                        if let Some(statistics) = self.conversations.take_evicted(&id) {
                            *conversation.statistics() = statistics;
                        }
                        Arc::new(conversation)
                    };
                    Arc::clone(slot.get_or_init(first).await)
                }
                _ => return Decision::Pass(PassReason::Unreadable),
            },
        };
        if conversation.are_edits_disabled() {
            return Decision::Pass(PassReason::EditsDisabled);
        }
        let reply = Box::new(ReplyReader::of(&read));
        let next = conversation.live.before_parsed_request(Arc::new(read), Some(&now())).await;
        self.log(&conversation);
        self.conversations.measure(&conversation);
        self.count(|counters| {
            counters.decisions += 1;
            counters.decision_time += start.elapsed();
        });
        match next {
            LiveNext::Stop { rule, reason, warnings } => {
                self.warn(&warnings);
                Decision::Stop { conversation, rule, reason }
            }
            LiveNext::Send(request) => {
                self.warn(&request.warnings);
                let is_changed = request.prepared.json != json && self.store_offloaded(&conversation, &request);
                Decision::Send { conversation, request: Box::new(request), reply, is_changed }
            }
        }
    }

    /// Stores the contents that were offloaded from a request. If that fails, the request is sent unchanged.
    pub(super) fn store_offloaded(&self, conversation: &Conversation, request: &LiveRequest) -> bool {
        let Some(contents) = &self.offloaded else { return true };
        let kept = conversation.store_offloaded(contents, request);
        if let Err(error) = &kept {
            self.fail(format!("offloaded content cannot be kept, and the request was sent unchanged: {error}"));
        }
        kept.is_ok()
    }

    /// The conversation with this id, continued from its log if it has one. In an experiment it keeps the arm that it had.
    fn conversation(&self, id: &str, agent_key: String, session: Option<&str>, first: &ClientRequest) -> Conversation {
        let log = match self.logs.read(id) {
            Ok(log) => log,
            Err(error) => {
                self.fail(format!("the log of a conversation cannot be read: {error}"));
                String::new()
            }
        };
        let unit = self.experiment.as_ref().map(|experiment| (experiment, experiment.unit_of(id, session)));
        let assigned = unit.as_ref().map(|(experiment, unit)| experiment.arm_of(unit));
        // The conversation may have begun under any arm. `None` stands for the policy of the proxy, without an experiment.
        let arms = unit.iter().flat_map(|(experiment, _)| experiment.arms.iter().map(Some));
        let candidates = arms.chain(self.experiment.is_none().then_some(None));
        let engine = |arm: Option<&Arm>| match (arm, &unit) {
            (Some(arm), Some((_, unit))) => self.engine_of(arm, unit),
            _ => self.engine.clone(),
        };
        for arm in candidates {
            let plan = arm.map_or(&self.plan, |arm| &arm.plan);
            let recovered = LiveSession::recovered(plan, self.host(), || engine(arm), id, &log, first);
            if let Some(live) = recovered {
                return Conversation::new(id, agent_key, live, &log).with_arm(arm);
            }
        }
        if let (false, Err(error)) = (log.is_empty(), self.logs.clear(id)) {
            self.fail(format!("the log of another policy cannot be removed: {error}"));
        }
        let plan = assigned.map_or(&self.plan, |arm| &arm.plan);
        let live = LiveSession::new(plan, self.host(), engine(assigned), id);
        Conversation::new(id, agent_key, live, "").with_arm(assigned)
    }

    /// The engine of conversations with an arm, whose recordings are in a folder of their own.
    fn engine_of(&self, arm: &Arm, unit: &str) -> Engine {
        let Recordings::Folder(folder) = &self.recordings else { return self.engine.clone() };
        match folder.inside(&arm.folder(unit)) {
            Ok(folder) => self.engine.clone().recorder(Arc::new(folder)),
            Err(error) => {
                self.fail(format!("the directory of an arm cannot be created: {error}"));
                self.engine.clone()
            }
        }
    }

    pub(super) fn log(&self, conversation: &Conversation) {
        if let Err(error) = conversation.log(&self.logs) {
            self.fail(format!("the log of a conversation cannot be written: {error}"));
        }
    }

    /// Returns the callback that reports the reply to the session.
    fn on_reply(self: &Arc<Self>, conversation: Arc<Conversation>, handle: RequestHandle) -> OnReply {
        let proxy = Arc::clone(self);
        Box::new(move |reply| {
            tokio::spawn(async move {
                if let Some(usage) = reply.usage() {
                    conversation.statistics().add_usage(usage);
                }
                match conversation.live.after_streamed_reply(handle, &reply, Some(&now())).await {
                    Ok(update) => proxy.warn(&update.warnings),
                    Err(error) => proxy.fail(format!("a reply could not be processed: {error}")),
                }
                proxy.log(&conversation);
            })
        })
    }

    pub(super) async fn send(&self, request: Forwarded) -> reqwest::Result<reqwest::Response> {
        let builder = self.client(&request.url).request(request.method, request.url).headers(request.headers);
        builder.body(request.body).send().await
    }
}

/// The request as the client sends it.
fn original(parts: &Parts, url: Url, body: Bytes) -> Forwarded {
    Forwarded { method: parts.method.clone(), url, headers: headers::forwarded(&parts.headers), body }
}

/// The request as the session sends it.
pub(super) fn edited(original: &Forwarded, request: &LiveRequest) -> Forwarded {
    let mut edited = Forwarded { body: Bytes::from_owner(request.prepared.json.clone()), ..original.clone() };
    edited.headers.remove(header::CONTENT_ENCODING);
    edited
}

/// Whether a provider may have rejected a request because of an edit.
pub(super) const fn may_be_rejected_edit(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY)
}

/// Relays the response of the provider to the client. The body of a successful one is also read.
fn relayed(
    response: reqwest::Result<reqwest::Response>,
    reading: Option<(Box<ReplyReader>, OnReply)>,
) -> Response<ResponseBody> {
    let response: Response<reqwest::Body> = match response {
        Ok(response) => response.into(),
        Err(error) => {
            let message = format!("the provider cannot be reached: {}", http_causes(error));
            return response::error(StatusCode::BAD_GATEWAY, "api_error", &message);
        }
    };
    let (mut parts, body) = response.into_parts();
    parts.headers = headers::without_hop_by_hop(&parts.headers);
    parts.version = hyper::Version::HTTP_11;
    let reading = reading.filter(|_| parts.status.is_success());
    let reader = reading.map(|(reply, on_reply)| Reader::new(*reply, &parts.headers, on_reply));
    Response::from_parts(parts, Relay::new(body, reader).boxed_unsync())
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}
