//! Token counters.

use super::message::{Body, ImageSize, Message};

/// Counts tokens. Counting the same text twice must return the same number.
pub trait Counter: Send + Sync {
    /// The tokens of a text.
    fn text(&self, text: &str) -> u64;

    /// The tokens of an image with these dimensions, or of unknown dimensions if `size` is `None`.
    fn image(&self, size: Option<ImageSize>) -> u64;

    /// The tokens of a message besides those of its parts.
    fn envelope(&self) -> u64;

    /// Returns the factor in thousandths by which the built-in estimate is multiplied, or `None` for other counters.
    fn estimate_factor(&self) -> Option<u64> {
        None
    }

    /// The tokens of a part.
    fn body(&self, body: &Body) -> u64 {
        body.tokens(self)
    }

    /// The tokens of a message.
    fn message(&self, message: &Message) -> u64 {
        self.envelope() + message.parts.iter().map(|part| self.body(&part.body)).sum::<u64>()
    }
}

impl Body {
    /// The tokens of its texts and images.
    pub fn tokens(&self, counter: &(impl Counter + ?Sized)) -> u64 {
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => counter.text(text),
            Self::Image { size, .. } => counter.image(*size),
            Self::ToolCall { name, arguments, .. } => counter.text(name) + counter.text(&arguments.text()),
            Self::ToolResult(result) => {
                let attachments: u64 = result.attachments.iter().map(|attachment| counter.body(attachment)).sum();
                counter.text(&result.text) + attachments
            }
            Self::Other(json) => counter.text(&json.to_string()),
        }
    }
}

/// A counter for tests: one token per byte.
#[derive(Debug)]
pub struct Bytes;

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
