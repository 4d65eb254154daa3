//! Shared by effects that summarise: their labels, the request to the summariser, and the summary message.

use std::sync::Arc;

use trimtab_base::conversation::{Message, MessageId, Origin, PinnedMessages, Pins, Role, render_result};
use trimtab_base::quantity::Unit;
use trimtab_base::source::up_to;

use super::label::Handle;
use super::pin::{KeptMessages, pin};
use super::reduction::{text, tokens};
use super::summary_request::{summarised, summarised_result};
use super::{Arguments, EffectContext, Label, LabelRole, Shape, SummaryRequest, TextSlot};

/// The instructions for the summariser when the policy names no prompt.
pub const DEFAULT_PROMPT: &str = "\
You are handing an unfinished job to a colleague who sees only what you write now. Condense the record below.
Use these headings, in this order, and leave none out:
Goal: what was asked for, in the asker's terms, with every constraint that was stated.
Completed work: what is finished, and how that was verified.
Files touched: each path, with what changed in it.
Key decisions: what was settled and the reason, also what was ruled out.
Errors and blockers: what failed, with the exact message, and whether it is solved.
Current state: where things stand at this moment.
Next steps: what to do next, most urgent first.
Keep names, paths, numbers and commands exactly as they are. Invent nothing.";

/// The instructions for the summariser for a single result when the policy names no prompt.
pub const RESULT_PROMPT: &str = "\
Condense the result of this tool call for the agent that made it. The agent will not see the result, only what you write.
Keep what the call was made for, and everything that later work may need: facts, names, paths, line numbers, figures, code that matters \
and errors, exactly as they are. Leave out what is repeated or decorative. Invent nothing.";

pub(super) static USING: Handle<Option<TextSlot>> = using(
    "The prompt for the summariser. Default: the built-in prompt with seven headings; for a single result, a built-in prompt \
     of its own.",
);

pub(super) static AT_MOST: Handle<Option<u64>> = Handle {
    label: Label {
        role: Some(LabelRole::SummaryLimit),
        ..Label::new(
            "at_most",
            Shape::Quantity(&[Unit::Tokens]),
            "The maximum length of the summary. A longer summary is cut.",
        )
    },
    read: tokens,
};

pub(super) static PIN: Handle<Pins> = pin(&[]);

/// The label for the prompt of a summary, with what it means in an effect.
pub(super) const fn using(summary: &'static str) -> Handle<Option<TextSlot>> {
    Handle { label: Label { role: Some(LabelRole::Prompt), ..Label::new("using", Shape::Prompt, summary) }, read: text }
}

/// The first line of the message that `summarise` writes.
const SUMMARY_HEADER: &str = "[Conversation compacted: a summary stands for what came before]";
/// Its last line if nothing follows the summary.
const CLOSING_AT_END: &str = "[Go on with the next steps listed above; do not do again what is listed as done.]";
/// Its last line if messages follow.
const CLOSING_BEFORE_MESSAGES: &str = "[The conversation goes on below.]";
/// The first line of a running summary message.
const RUNNING_HEADER: &str = "[Context summary: what happened before the messages below]";

/// The text of a summary message. `is_last` says whether nothing follows it.
pub(super) fn summary_message(summary: &str, is_last: bool) -> String {
    format!("{SUMMARY_HEADER}\n\n{summary}\n\n{}", if is_last { CLOSING_AT_END } else { CLOSING_BEFORE_MESSAGES })
}

/// The text of a running summary message.
pub(super) fn running_message(summary: &str) -> String {
    format!("{RUNNING_HEADER}\n\n{summary}")
}

/// The summary in the text of a summary message, without the lines that the effects put around it.
pub fn summary_text(message: &str) -> &str {
    let text = [SUMMARY_HEADER, RUNNING_HEADER].iter().find_map(|header| message.strip_prefix(header));
    let text = text.unwrap_or(message).trim();
    let without_closing =
        [CLOSING_AT_END, CLOSING_BEFORE_MESSAGES].iter().find_map(|closing| text.strip_suffix(closing));
    without_closing.unwrap_or(text).trim_end()
}

/// How an effect summarises, as its arguments say.
#[derive(Debug)]
pub(super) struct SummaryOptions {
    prompt: Option<TextSlot>,
    at_most: Option<u64>,
    /// The messages that are not summarised.
    kept: KeptMessages,
}

impl SummaryOptions {
    pub(super) fn new(arguments: &Arguments) -> Self {
        Self { prompt: USING.get(arguments), at_most: AT_MOST.get(arguments), kept: KeptMessages::new(arguments, &PIN) }
    }

    /// The messages that stay as they are.
    pub(super) fn kept(&self, context: &EffectContext<'_>) -> PinnedMessages {
        self.kept.of(context.conversation, context.latest)
    }

    /// Requests a summary of the messages at these indices.
    pub(super) fn request(
        &self,
        context: &EffectContext<'_>,
        removed: &[usize],
        previous: Option<String>,
    ) -> SummaryRequest {
        let entries = context.conversation.entries();
        let messages = removed.iter().map(|&at| entries[at].clone());
        let messages = summarised(messages, Arc::clone(context.counter));
        let prompt = self.prompt.as_ref().map(|prompt| context.text(prompt, &[]));
        SummaryRequest {
            instructions: prompt.unwrap_or_else(|| DEFAULT_PROMPT.to_owned()),
            previous,
            transcript: messages.transcript(),
            at_most: self.at_most,
            messages,
        }
    }

    /// Requests a summary of a result, or returns `None` if the message is gone.
    pub(super) fn request_for_result(
        &self,
        context: &EffectContext<'_>,
        message: MessageId,
        instructions: &str,
    ) -> Option<SummaryRequest> {
        let at = context.conversation.index(message)?;
        let entry = &context.conversation.entries()[at];
        let prompt = self.prompt.as_ref().map(|prompt| context.text(prompt, &[]));
        Some(SummaryRequest {
            instructions: prompt.unwrap_or_else(|| instructions.to_owned()),
            previous: None,
            transcript: render_result(context.conversation.answered(at), entry.message()),
            at_most: self.at_most,
            messages: summarised_result(entry.clone(), Arc::clone(context.counter)),
        })
    }

    /// A summary as it is used, cut to its maximum length.
    ///
    /// # Errors
    /// When it is empty.
    pub(super) fn usable<'a>(&self, context: &EffectContext<'_>, summary: &'a str) -> Result<&'a str, String> {
        let summary = self.capped(context, summary.trim());
        if summary.is_empty() { Err("the summary is empty".to_owned()) } else { Ok(summary) }
    }

    /// Makes the message that replaces the summarised messages.
    ///
    /// # Errors
    /// When the summary is empty or not shorter than the messages that it replaces.
    pub(super) fn message(
        &self,
        context: &EffectContext<'_>,
        removed: &[usize],
        summary: &str,
        origin: Origin,
        frame: impl FnOnce(&str) -> String,
    ) -> Result<Box<Message>, String> {
        let summary = self.usable(context, summary)?;
        let text: Arc<str> = frame(summary).into();
        let new = text.chars().count();
        if !context.conversation.exceed_chars(removed, new) {
            let old = context.conversation.chars(removed);
            return Err(format!("the summary has {new} characters, the messages that it would replace have {old}"));
        }
        let mut message = Message::text(Role::User, text);
        message.origin = origin;
        Ok(Box::new(message))
    }

    /// The summary cut to its maximum length.
    fn capped<'a>(&self, context: &EffectContext<'_>, summary: &'a str) -> &'a str {
        let Some(limit) = self.at_most else { return summary };
        if context.counter.text(summary) <= limit {
            return summary;
        }
        let ends: Vec<usize> = summary.char_indices().map(|(at, _)| at).collect();
        let fits = ends.partition_point(|&end| context.counter.text(up_to(summary, end)) <= limit);
        up_to(summary, ends[fits.saturating_sub(1)])
    }
}
