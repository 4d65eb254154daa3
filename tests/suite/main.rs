//! All tests that run against the library and the binary from outside, in one binary.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests read files, start the binary, say what they skip and fail by panicking"
)]

mod analysis;
mod blanks;
mod budget;
mod cli;
mod compared;
mod compose;
mod conformance;
mod console;
mod counter;
mod descriptors;
mod drawing;
mod edits;
mod embedding;
mod facade;
mod findings;
mod fixes;
mod format;
mod fuzzed;
mod golden;
mod guards;
mod harness;
mod hosts;
mod idle;
mod incidents;
mod inert;
mod laws;
mod layers;
mod lint;
mod live;
mod made;
mod named;
mod patched;
mod proofs;
mod property;
mod reference;
mod registry;
mod rehearsal;
mod rulings;
mod samples;
mod sessions;
mod testing;
mod transcripts;
mod vocabulary;
