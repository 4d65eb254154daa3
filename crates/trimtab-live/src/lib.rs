//! Requests of live agents in the JSON of their providers, sessions that answer their own questions, and the hooks of
//! coding agents.
//!
//! This is a part of the package `trimtab`, whose API it is not.

#[cfg(feature = "engine")]
pub mod engine;
pub mod hook_client;
pub mod request;
