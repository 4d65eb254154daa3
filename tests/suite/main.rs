//! All integration tests of the library and the binary, in one test binary.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests read files, start the binary, say what they skip and fail by panicking"
)]
#![expect(clippy::duplicate_mod, reason = "two examples share their tools")]

mod analysis;
mod bound_reasoning;
mod browser;
mod budget;
mod cli;
mod clients;
mod code_pages;
mod compaction;
mod compiled;
mod compose;
mod confirmations;
mod conformance;
mod console;
mod conversation_edits;
mod costs;
mod counter;
mod dependencies;
mod descriptors;
mod diff;
mod dirt;
mod dry_run;
mod embedding;
#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "http")]
mod endpoint_agent;
mod engine;
mod equivalent_forms;
#[cfg(unix)]
mod escapes;
mod extract;
mod fact_names;
mod findings;
mod fixes;
mod format;
mod forms;
mod fuzzed;
mod generated;
mod golden;
mod guards;
mod harness;
mod hook_client;
mod host_facts;
mod hostile_size;
mod idle_reasons;
mod idle_rules;
mod incidents;
mod inert_labels;
mod integrations;
mod invalid_usage;
mod kept_images;
mod laws;
mod layers;
mod learning;
mod lint;
mod live;
mod live_agent;
mod live_allocation;
mod live_requests;
mod many_recordings;
mod merge;
mod message_texts;
mod misuse;
mod money;
mod offload;
mod overflow;
mod partial_costs;
mod pieces;
mod policy_figures;
mod prices;
mod property;
mod proved_findings;
#[cfg(feature = "proxy")]
mod proxy;
mod public_api;
mod quick_start;
mod real_recordings;
mod recent_facts;
mod recipes;
mod reference;
mod registry;
mod regressions;
mod regret;
mod request;
mod request_logs;
mod result_summaries;
mod rng;

mod sent_requests;
mod sessions;
mod side_effects;
mod simulated_fixes;
mod snippets;
mod streams;
mod suggestions;
#[cfg(all(unix, feature = "http"))]
mod summariser_command;
mod systems;
mod targets;
mod test_reports;
mod transcripts;
mod unused;
mod vocabulary;
mod white_space;
