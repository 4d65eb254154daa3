//! Requests of live agents in the JSON of their providers, and sessions that answer their own questions.
//!
//! This is a part of the package `trimtab`, whose API it is not.

#[cfg(feature = "engine")]
pub mod engine;
pub mod request;
