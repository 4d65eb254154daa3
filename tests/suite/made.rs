//! Conversations and policies made by chance, for laws.

mod conversation;
mod policy;

use proptest::test_runner::Config;

pub(crate) use conversation::{Beat, beats, transcript};
pub(crate) use policy::policy;

/// How many cases a law is tried on: so many in CI, or as many as `TRIMTAB_CASES` says.
pub(crate) fn cases(usual: u32) -> Config {
    let wanted = std::env::var("TRIMTAB_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = wanted.unwrap_or(usual);
    Config { cases, max_global_rejects: cases.saturating_mul(500), failure_persistence: None, ..Config::default() }
}
