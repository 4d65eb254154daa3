//! What everything else of Trimtab is made of: texts and numbers, diagnostics, the conversation that a model sees, events of a
//! run, and learned strategies.
//!
//! An internal crate of `trimtab`; not a public API.

// layer 1: the conversation, its edits and invariants; messages to people; events and the hooks that observe them; learned strategies
pub mod conversation;
pub mod diagnostic;
pub mod hook;
pub mod playbook;

// layer 0: texts and numbers; what tool calls do
pub mod quantity;
pub mod source;
pub mod tool_use;
