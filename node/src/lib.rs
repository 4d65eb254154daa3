//! The addon of the npm package: what the modules in `lib/` wrap.
//!
//! Results are JSON texts, as the command prints them; the modules turn them into plain data. Errors have the name of their
//! class as `code`. A panic is an error of the one call.

#![expect(clippy::needless_pass_by_value, reason = "what JavaScript passes is converted into values")]

mod error;
mod file;
mod plan;
mod recording;
mod session;
mod step;
