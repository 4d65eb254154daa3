//! Requests of live agents in the JSON of their providers, sessions that answer their own questions, and the hooks of
//! coding agents.
//!
//! An internal crate of `trimtab`; not a public API.

#[cfg(feature = "engine")]
pub mod engine;
pub mod hook_client;
pub mod request;
