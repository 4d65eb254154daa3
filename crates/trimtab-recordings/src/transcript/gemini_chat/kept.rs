//! Copies of messages: Gemini CLI writes what stays in the context again when it replaces its list, with new ids and without
//! usage.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::Body;

use crate::transcript::gemini_contents::part::PartReader;
use crate::transcript::wire::{Content, Raw, Str};

/// What Gemini CLI writes into a result that it masks.
pub(super) const MASKED: &str = "<tool_output_masked>";

/// How a summary begins.
const SNAPSHOT: &str = "<state_snapshot>";

/// The reply that Gemini CLI writes after a summary, also after one that begins otherwise.
const REPLY_TO_SUMMARY: &str = "Got it. Thanks for the additional context!";

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    content: Content<'a>,
}

/// What a prompt or a reply says, which its copies say too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) is_reply: bool,
    text: String,
}

impl Words {
    /// What a message says, or `None` if it has only results or is one of the user interface.
    pub(super) fn of(raw: Raw<'_>) -> Option<Self> {
        let message: WireMessage<'_> = raw.object()?;
        let is_reply = message.kind.as_str() == "gemini";
        if !is_reply && message.kind.as_str() != "user" {
            return None;
        }
        let parts = PartReader::default().parts(message.content).rest;
        let texts = parts.iter().filter_map(|part| match &part.body {
            Body::Text(text) => Some(text.as_ref()),
            _ => None,
        });
        let text: String = texts.collect();
        (is_reply || !parts.is_empty()).then(|| Self { is_reply, text: text.trim().to_owned() })
    }

    /// Whether the list with this message begins with a summary.
    pub(super) fn follows_compression(&self) -> bool {
        if self.is_reply { self.text == REPLY_TO_SUMMARY } else { self.text.starts_with(SNAPSHOT) }
    }
}

/// For each message of a list, the index of the message of the context that it is a copy of. Copies are the last messages of
/// the list, and those of the newest messages of the context, which is not read beyond them.
pub(super) fn sources<'a>(
    context: impl DoubleEndedIterator<Item = Raw<'a>> + ExactSizeIterator,
    list: &[Raw<'_>],
) -> Vec<Option<usize>> {
    let mut sources = vec![None; list.len()];
    let mut newest = context.enumerate().rev().filter_map(|(at, raw)| Some((at, Words::of(raw)?)));
    let copies = list.iter().zip(&mut sources).rev().filter_map(|(raw, source)| Some((Words::of(*raw)?, source)));
    for (words, source) in copies.take_while(|(words, _)| !words.follows_compression()) {
        match newest.next() {
            Some((at, same)) if same == words => *source = Some(at),
            _ => break,
        }
    }
    sources
}

/// The ids of the calls whose results are masked in a message that has results only.
pub(super) fn masked_results(raw: Raw<'_>) -> Vec<SmolStr> {
    let message: WireMessage<'_> = raw.object().unwrap_or_default();
    let results = PartReader::default().parts(message.content).results;
    let masked = results.into_iter().filter(|result| result.text.contains(MASKED) && !result.id.is_empty());
    masked.map(|result| result.id).collect()
}
