//! Generated conversations and policies for property tests.

mod conversation;
mod facts;
pub(crate) mod irregular;
mod policy;

use proptest::test_runner::Config;

pub(crate) use conversation::{Event, events, transcript};
pub(crate) use facts::{host_values, reports, step};
pub(crate) use policy::{AGENT, policy, spelled};

/// The configuration of a property test with this number of cases, unless `TRIMTAB_CASES` overrides it.
pub(crate) fn cases(default: u32) -> Config {
    let requested = std::env::var("TRIMTAB_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = requested.unwrap_or(default);
    Config { cases, max_global_rejects: cases.saturating_mul(500), failure_persistence: None, ..Config::default() }
}
