//! What the harness adds to a request besides prompts and results: attachments.
//!
//! Newer versions record the text that is sent. In older ones an attachment record has only its content, in fields that
//! depend on its kind. The harness sends it in a `<system-reminder>`, with words that are not recorded; the text here has the
//! recorded content in the same order. Kinds that are not in [`SENT`] are not sent, or their content is not recorded.

use std::fmt::Write as _;

use serde::{Deserialize, Deserializer};
use trimtab_base::conversation::{Body, Message, Part, Role};

use crate::transcript::image;
use crate::transcript::wire::{Content, Fields, Flag, Raw, Str, parse_content};

/// An attachment to the next request.
#[derive(Debug, Default)]
pub(super) struct Attachment<'a> {
    kind: Str<'a>,
    fields: Fields<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Attachment<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        let kind = fields.get("type").and_then(Raw::parse).unwrap_or_default();
        Ok(Self { kind, fields })
    }
}

/// A kind of attachment that is sent as a text.
struct SentKind {
    name: &'static str,
    /// What the text begins with.
    introduction: &'static str,
    /// The fields with the content, in the order in which they are sent.
    fields: &'static [&'static str],
}

const fn sent(name: &'static str, introduction: &'static str, fields: &'static [&'static str]) -> SentKind {
    SentKind { name, introduction, fields }
}

/// The kinds that are sent as a text. Files and queued prompts are read apart.
static SENT: &[SentKind] = &[
    sent("agent_listing_delta", "Changes of the available agents:", &["addedLines", "removedTypes"]),
    sent("agent_mention", "The user mentions this agent:", &["agentType"]),
    sent("async_hook_response", "A hook has responded:", &["response"]),
    sent("budget_usd", "Budget in US dollars, used, in all and left:", &["used", "total", "remaining"]),
    sent("compact_file_reference", "This file was read before the conversation was summarised:", &["filename"]),
    sent("critical_system_reminder", "", &["content"]),
    sent("date_change", "The date is now:", &["newDate"]),
    sent("deferred_tools_delta", "Changes of the tools that can be searched:", &["addedLines", "removedNames"]),
    sent("diagnostics", "New diagnostics:", &["files"]),
    sent("directory", "The content of a directory:", &["path", "content"]),
    sent("edited_text_file", "This file has changed:", &["filename", "snippet"]),
    sent("hook_additional_context", "Context from a hook:", &["hookName", "content"]),
    sent("hook_blocking_error", "A hook has blocked this:", &["hookName", "blockingError"]),
    sent("hook_stopped_continuation", "A hook has ended the turn:", &["hookName", "message"]),
    sent("hook_success", "A hook has succeeded:", &["hookName", "content"]),
    sent("invoked_skills", "Skills that were used before:", &["skills"]),
    sent("mcp_instructions_delta", "Changes of the instructions of servers:", &["addedBlocks", "removedNames"]),
    sent("mcp_resource", "A resource of a server:", &["server", "uri", "content"]),
    sent("nested_memory", "Instructions from a file:", &["content"]),
    sent("opened_file_in_ide", "The user has opened this file:", &["filename"]),
    sent("output_style", "The output style:", &["style"]),
    sent("output_token_usage", "Tokens of output, in the turn and in the session:", &["turn", "session"]),
    sent("pdf_reference", "This document is too large to be read at once:", &["filename"]),
    sent("plan_file_reference", "The plan:", &["planFilePath", "planContent"]),
    sent("relevant_memories", "Memories:", &["memories"]),
    sent("selected_lines_in_ide", "The user has selected these lines:", &["filename", "content"]),
    sent("skill_listing", "The available skills:", &["content"]),
    sent("task_reminder", REMINDER, &["content"]),
    sent("task_status", "A task in the background:", &["description", "status", "deltaSummary", "outputFilePath"]),
    sent("teammate_mailbox", "Messages of other agents:", &["messages"]),
    sent("todo_reminder", REMINDER, &["content"]),
    sent("token_usage", "Tokens used, in all and left:", &["used", "total", "remaining"]),
    sent("ultrathink_effort", "The effort of reasoning:", &["level"]),
];

const REMINDER: &str = "The list of tasks has not been used for a while. It may help to keep it up to date:";

/// The fields of nested objects whose texts are sent.
const NESTED: &[&str] = &[
    "additionalContext",
    "blockingError",
    "command",
    "content",
    "contents",
    "diagnostics",
    "header",
    "hookSpecificOutput",
    "id",
    "message",
    "name",
    "path",
    "severity",
    "source",
    "status",
    "subject",
    "systemMessage",
    "text",
    "uri",
];

/// The events whose hooks may add their output to the context.
const HOOKS_WITH_OUTPUT: [&str; 2] = ["SessionStart", "UserPromptSubmit"];

impl<'a> Attachment<'a> {
    /// The kind, such as `file`.
    pub(super) fn kind(&self) -> &str {
        self.kind.as_str()
    }

    /// The fields of a snapshot of the system prompt.
    pub(super) fn prompt_snapshot(&self) -> Option<&Fields<'a>> {
        (self.kind() == "prompt_snapshot").then_some(&self.fields)
    }

    /// Whether it is a prompt that was typed while the model worked.
    pub(super) fn is_queued_prompt(&self) -> bool {
        self.kind() == "queued_command"
    }

    /// The prompt that was typed while the model worked.
    pub(super) fn prompt(&self) -> Content<'a> {
        parse_content(self.fields.get("prompt"))
    }

    /// Whether the harness wrote the prompt, for example to report a task in the background.
    pub(super) fn is_prompt_of_harness(&self) -> bool {
        let text = |key| self.fields.get(key).and_then(Raw::parse::<Str<'_>>).unwrap_or_default();
        let is_meta = self.fields.get("isMeta").and_then(Raw::parse::<Flag>).unwrap_or_default().0;
        is_meta || text("commandMode").as_str() == "task-notification"
    }

    /// Whether it is sent with the next request.
    pub(super) fn is_sent(&self) -> bool {
        let has_output = || {
            let event = self.fields.get("hookEvent").and_then(Raw::parse::<Str<'_>>).unwrap_or_default();
            let content = self.fields.get("content").and_then(Raw::parse::<Str<'_>>).unwrap_or_default();
            HOOKS_WITH_OUTPUT.contains(&event.as_str()) && !content.as_str().is_empty()
        };
        match self.kind() {
            "file" => true,
            "hook_success" => has_output(),
            kind => SENT.iter().any(|sent| sent.name == kind),
        }
    }

    /// Returns the message that is sent, or `None` if there is nothing to send.
    pub(super) fn message(&self) -> Option<Message> {
        let mut parts = Vec::new();
        if self.kind() == "file" {
            self.add_file(&mut parts);
        } else {
            let sent = SENT.iter().find(|sent| sent.name == self.kind())?;
            let mut text = sent.introduction.to_owned();
            for raw in sent.fields.iter().filter_map(|key| self.fields.get(key)) {
                add_texts(raw, &mut text);
            }
            parts.push(reminder(&text));
        }
        (!parts.is_empty()).then(|| Message { harness: true, ..Message::new(Role::User, parts) })
    }

    /// A file as the harness reads it: with numbered lines, or an image.
    fn add_file(&self, parts: &mut Vec<Part>) {
        let mut text = "The content of a file:".to_owned();
        if let Some(name) = self.fields.get("filename") {
            add_texts(name, &mut text);
        }
        let outer: Fields<'_> = self.fields.get("content").and_then(Raw::object).unwrap_or_default();
        let file: Fields<'_> = outer.get("file").and_then(Raw::object).unwrap_or_default();
        match file.get("content").and_then(Raw::text) {
            Some(content) => {
                let first = file.get("startLine").and_then(Raw::parse::<u32>).unwrap_or(1);
                for (number, line) in (u64::from(first)..).zip(content.lines()) {
                    let _ = write!(text, "\n{number}\t{line}");
                }
            }
            None => file.get("cells").into_iter().for_each(|cells| add_texts(cells, &mut text)),
        }
        parts.push(reminder(&text));
        let string = |key| file.get(key).and_then(Raw::parse::<Str<'_>>).unwrap_or_default();
        if let Some(data) = string("base64").get().filter(|_| string("type").as_str().starts_with("image/")) {
            parts.push(Part::new(image::from_data(string("type").as_str(), data)));
        }
    }
}

fn reminder(text: &str) -> Part {
    Part::new(Body::Text(format!("<system-reminder>\n{}\n</system-reminder>", text.trim_start()).into()))
}

/// Adds the texts of a value, each on a line of its own: those of lists, and of the fields that are sent of objects.
fn add_texts(raw: Raw<'_>, text: &mut String) {
    if raw.is_array() {
        raw.elements().for_each(|element| add_texts(element, text));
    } else if let Some(fields) = raw.object::<Fields<'_>>() {
        let sent = fields.0.iter().filter(|(key, _)| NESTED.contains(&key.as_ref()));
        sent.for_each(|(_, value)| add_texts(*value, text));
    } else if let Some(own) = raw.parse::<Str<'_>>().and_then(Str::into_inner).filter(|own| !own.is_empty()) {
        text.push('\n');
        text.push_str(&own);
    }
}
