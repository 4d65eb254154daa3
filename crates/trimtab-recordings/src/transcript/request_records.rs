//! Files of requests and message lists, in which each record is of an API of its own.

use std::sync::Arc;

use trimtab_base::conversation::{Message, Role};

use super::envelope::{self, RawConversation, ReadConversation};
use super::history::RequestLog;
use super::record::{Input, Skipped};
use super::sample::ShallowValue;
use super::wire::Raw;
use super::{HarnessCall, ReadError, Transcript, error, pieces};

/// How records of an API are recognised and read.
#[derive(Debug)]
pub(super) struct RecordApi {
    /// Whether an object is a response.
    pub(super) is_response: fn(&ShallowValue<'_>) -> bool,
    /// Whether a message has a form that it has in no other API.
    pub(super) is_message: fn(&ShallowValue<'_>) -> bool,
    /// Whether this API is chosen for records with messages in the forms of several APIs.
    pub(super) goes_first: bool,
    pub(super) read: ReadConversation,
}

/// The maximum number of messages of a record that are examined to detect its API.
const MAX_DETECTED: usize = 40;

/// Reads each conversation of a file in the API among `apis` that its messages or its response belong to, or else with
/// `read`. Requests of a log that continue each other become one transcript. The first transcript gets the count of
/// skipped records.
pub(super) fn read_transcripts(
    format: &str,
    input: &Input<'_>,
    apis: &[&RecordApi],
    read: ReadConversation,
) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let conversations = envelope::accepted_conversations(input, &mut skipped);
    let transcripts = conversations.iter().map(|one| read_record(one, apis, read, &mut skipped)).collect();
    let transcripts = RequestLog::join(transcripts, head(input, &conversations), &mut skipped);
    error::with_skipped(transcripts, skipped, format, input)
}

/// Whether the records of a file are requests, one of which continues another.
pub(super) fn is_log(input: &Input<'_>, apis: &[&RecordApi], read: ReadConversation) -> bool {
    let mut skipped = Skipped::default();
    let conversations = envelope::accepted_conversations(input, &mut skipped);
    let head = conversations.get(..head(input, &conversations)).unwrap_or_default();
    let records: Vec<_> = head.iter().map(|one| read_record(one, apis, read, &mut skipped)).collect();
    RequestLog::is_log(&records)
}

/// The number of conversations that begin in the part of a file that is examined to detect its format.
fn head(input: &Input<'_>, conversations: &[RawConversation<'_>]) -> usize {
    let text = input.text();
    let end = text.as_ptr() as usize + pieces::head_length(text);
    let begins_before = |raw: &Raw<'_>| (raw.get().as_ptr() as usize) < end;
    conversations.iter().take_while(|one| one.messages.first().is_none_or(begins_before)).count()
}

fn read_record(
    record: &RawConversation<'_>,
    apis: &[&RecordApi],
    of_file: ReadConversation,
    skipped: &mut Skipped,
) -> Transcript {
    let of_messages = api_of_messages(record, apis);
    match (of_messages, api_of_response(record, apis)) {
        (Some(messages), Some(response)) if !std::ptr::eq(messages, response) => {
            let request = RawConversation { envelope: record.envelope.without_response(), ..record.clone() };
            let response_alone = RawConversation { envelope: record.envelope.without_request(), messages: Vec::new() };
            let request = (messages.read)(&request, skipped);
            joined(request, (response.read)(&response_alone, skipped))
        }
        (None, Some(api)) | (Some(api), _) => (api.read)(record, skipped),
        (None, None) => of_file(record, skipped),
    }
}

/// The API that the response belongs to, if there is only one.
fn api_of_response<'a>(record: &RawConversation<'_>, apis: &[&'a RecordApi]) -> Option<&'a RecordApi> {
    let responses = [record.envelope.response, record.envelope.output].into_iter().flatten();
    let responses: Vec<_> = responses.map(ShallowValue::of).collect();
    let mut found = apis.iter().filter(|api| responses.iter().any(api.is_response));
    found.next().filter(|_| found.next().is_none()).copied()
}

/// The API that the messages belong to, if there is only one or one that goes first.
fn api_of_messages<'a>(record: &RawConversation<'_>, apis: &[&'a RecordApi]) -> Option<&'a RecordApi> {
    let sampled = if apis.is_empty() { 0 } else { MAX_DETECTED };
    let messages: Vec<_> = record.messages.iter().take(sampled).map(|raw| ShallowValue::of(*raw)).collect();
    let found: Vec<_> = apis.iter().copied().filter(|api| messages.iter().any(api.is_message)).collect();
    found.iter().copied().find(|api| api.goes_first || found.len() == 1)
}

/// A request and the response to it.
fn joined(mut request: Transcript, response: Transcript) -> Transcript {
    let Some(reply) = response.messages.into_iter().rfind(|message| message.role == Role::Assistant) else {
        return request;
    };
    request.complete_from_messages();
    let is_repeated =
        |last: &Arc<Message>| last.role == Role::Assistant && last.parts == reply.parts && last.usage.is_none();
    request.messages.pop_if(|last| is_repeated(last));
    let messages = request.messages.len();
    let calls = response.harness_calls.into_iter().map(|call| HarnessCall { messages, ..call });
    request.harness_calls.extend(calls);
    request.messages.push(reply);
    request
}
