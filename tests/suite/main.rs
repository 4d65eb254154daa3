//! All tests that run against the library and the binary from outside, in one binary.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests read files, start the binary, say what they skip and fail by panicking"
)]

mod cli;
mod conformance;
mod console;
mod fixes;
mod golden;
mod laws;
mod layers;
mod lint;
mod made;
mod registry;
mod samples;
