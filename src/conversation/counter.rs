//! Token counters.

use super::message::{Body, ImageSize, Message};

/// Counts tokens. Counting the same text twice must return the same number.
pub trait Counter: Send + Sync {
    /// The tokens of a text.
    fn text(&self, text: &str) -> u64;

    /// The tokens of an image with these dimensions; none when they are unknown.
    fn image(&self, size: Option<ImageSize>) -> u64;

    /// The tokens of a message besides those of its parts.
    fn envelope(&self) -> u64;

    /// The factor in thousandths by which the built-in estimate is multiplied; none for other counters.
    fn estimate_factor(&self) -> Option<u64> {
        None
    }

    /// The tokens of a part.
    fn body(&self, body: &Body) -> u64 {
        match body {
            Body::Text(text) | Body::Thinking { text, .. } => self.text(text),
            Body::Image { size, .. } => self.image(*size),
            Body::ToolCall { name, arguments, .. } => self.text(name) + self.text(&arguments.text()),
            Body::ToolResult(result) => {
                let attachments: u64 = result.attachments.iter().map(|attachment| self.body(attachment)).sum();
                self.text(&result.text) + attachments
            }
            Body::Other(json) => self.text(&json.to_string()),
        }
    }

    /// The tokens of a message.
    fn message(&self, message: &Message) -> u64 {
        self.envelope() + message.parts.iter().map(|part| self.body(&part.body)).sum::<u64>()
    }
}

/// A counter for tests: one token per byte.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Bytes;

#[cfg(test)]
impl Counter for Bytes {
    fn text(&self, text: &str) -> u64 {
        text.len() as u64
    }

    fn image(&self, _: Option<ImageSize>) -> u64 {
        99
    }

    fn envelope(&self) -> u64 {
        0
    }
}
