//! The conversation that a model sees: messages, parts, groups, edits and invariants.
//!
//! In: messages in order, and edits. Out: the conversation after the edits, with receipts.
//! It does not know policies, rules or facts, nor where a message was recorded.

mod counter;
mod message;

pub use counter::Counter;
pub use message::{Arguments, Body, Level, Message, Origin, Part, Role, ToolResult, Usage};
