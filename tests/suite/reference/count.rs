//! The size of messages. How many tokens a text has is given: the interpreter knows the counter only as a function.

use std::cell::RefCell;
use std::collections::HashMap;

use super::message::{Body, Message, arguments_text};

/// The tokens of a message besides its parts, and of a call and of a result besides their texts.
const OVERHEADS: [u64; 3] = [4, 32, 16];
const OPENAI_OVERHEADS: [u64; 3] = [3, 8, 5];
/// The tokens of a declared tool besides its texts.
const TOOL: u64 = 12;

/// The tokens of texts.
pub(super) type TextCounter<'a> = dyn Fn(&str) -> u64 + 'a;

#[derive(Clone)]
pub(super) struct Counter<'a> {
    pub(super) text: &'a TextCounter<'a>,
    /// The factor by which all counts are multiplied, in thousandths.
    pub(super) milli: u64,
    /// The tokens of a message besides its parts, of a call and of a result besides their texts.
    overheads: [u64; 3],
    pub(super) known: RefCell<HashMap<String, u64>>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(text: &'a TextCounter<'a>, milli: u64, is_openai: bool) -> Self {
        let overheads = if is_openai { OPENAI_OVERHEADS } else { OVERHEADS };
        Self { text, milli, overheads, known: RefCell::default() }
    }

    pub(super) fn text(&self, text: &str) -> u64 {
        if let Some(known) = self.known.borrow().get(text) {
            return *known;
        }
        let tokens = (self.text)(text);
        self.known.borrow_mut().insert(text.to_owned(), tokens);
        tokens
    }

    fn scaled(&self, tokens: u64) -> u64 {
        (tokens * self.milli + 500) / 1000
    }

    /// Width × height / 750 once the longer side is at most 1,568 pixels, at most 1,600 tokens; 1,280 × 720 if unknown.
    fn image(&self, size: Option<(u64, u64)>) -> u64 {
        let (width, height) = size.unwrap_or((1280, 720));
        let longer = width.max(height).max(1);
        let side = |side: u64| if longer > 1568 { side * 1568 / longer } else { side };
        self.scaled((side(width) * side(height)).div_ceil(750).clamp(1, 1600))
    }

    /// 153 of 1,024 tokens a character of a signature. Of encrypted reasoning of OpenAI, a token for four of the bytes but 650.
    fn signed(&self, signature: &str) -> u64 {
        let length = signature.len() as u64;
        if signature.starts_with("gAAAA") {
            return self.scaled((length / 4 * 3).saturating_sub(650) / 4);
        }
        (length * 153 * self.milli + 512_000) / 1_024_000
    }

    pub(super) fn body(&self, body: &Body) -> u64 {
        match body {
            Body::Text(text) => self.text(text),
            Body::Thinking { text, signature } => self.text(text).max(self.signed(signature.as_deref().unwrap_or(""))),
            Body::Image(_, _, size) => self.image(*size),
            Body::Call { tool, arguments, .. } => self.text(tool) + self.text(&arguments_text(arguments)),
            Body::Result(answer) => {
                self.text(&answer.text) + answer.others.iter().map(|other| self.body(other)).sum::<u64>()
            }
            Body::Other(json) => self.text(&json.to_string()),
        }
    }

    pub(super) fn message(&self, message: &Message) -> u64 {
        let [delimiters, call, result] = self.overheads;
        let extra = message.parts.iter().map(|part| match part.body {
            Body::Call { .. } => call,
            Body::Result(_) => result,
            _ => 0,
        });
        let parts: u64 = message.parts.iter().map(|part| self.body(&part.body)).sum();
        parts + self.scaled(delimiters + extra.sum::<u64>())
    }

    /// A declared tool with a description or a schema.
    pub(super) fn tool(&self, name: &str, description: &str, schema: &str) -> u64 {
        self.text(name) + self.text(description) + self.text(schema) + self.scaled(TOOL)
    }
}
