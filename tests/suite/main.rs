//! All tests that run against the library and the binary from outside, in one binary.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests read files, start the binary, say what they skip and fail by panicking"
)]

mod conformance;
mod laws;
mod layers;
mod made;
mod samples;
