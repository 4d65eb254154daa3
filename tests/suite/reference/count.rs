//! The size of messages. How many tokens a text has is given: the interpreter knows the counter only as a function.

use std::cell::RefCell;
use std::collections::HashMap;

use super::message::{Body, Message, arguments_text};

/// The tokens of a message besides its parts, of a call and of a result besides their texts, and of a declared tool.
const MESSAGE: u64 = 4;
const CALL: u64 = 32;
const RESULT: u64 = 16;
const TOOL: u64 = 12;

/// The tokens of texts.
pub(super) type TextCounter<'a> = dyn Fn(&str) -> u64 + 'a;

pub(super) struct Counter<'a> {
    pub(super) text: &'a TextCounter<'a>,
    /// The factor by which all counts are multiplied, in thousandths.
    pub(super) milli: u64,
    pub(super) known: RefCell<HashMap<String, u64>>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(text: &'a TextCounter<'a>, milli: u64) -> Self {
        Self { text, milli, known: RefCell::default() }
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

    pub(super) fn body(&self, body: &Body) -> u64 {
        match body {
            Body::Text(text) | Body::Thinking { text, .. } => self.text(text),
            Body::Image(_, _, size) => self.image(*size),
            Body::Call { tool, arguments, .. } => self.text(tool) + self.text(&arguments_text(arguments)),
            Body::Result(answer) => {
                self.text(&answer.text) + answer.others.iter().map(|other| self.body(other)).sum::<u64>()
            }
            Body::Other(json) => self.text(&json.to_string()),
        }
    }

    pub(super) fn message(&self, message: &Message) -> u64 {
        let extra = message.parts.iter().map(|part| match part.body {
            Body::Call { .. } => CALL,
            Body::Result(_) => RESULT,
            _ => 0,
        });
        let parts: u64 = message.parts.iter().map(|part| self.body(&part.body)).sum();
        parts + self.scaled(MESSAGE + extra.sum::<u64>())
    }

    /// A declared tool with a description or a schema.
    pub(super) fn tool(&self, name: &str, description: &str, schema: &str) -> u64 {
        self.text(name) + self.text(description) + self.text(schema) + self.scaled(TOOL)
    }
}
