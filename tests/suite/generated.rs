//! Generated conversations and policies for property tests.

mod conversation;
mod facts;
pub(crate) mod irregular;
mod policy;

use proptest::test_runner::{Config, RngSeed};

pub(crate) use conversation::{Event, events, transcript, with_empty_system_message};
pub(crate) use facts::{host_values, reports, step};
pub(crate) use policy::{AGENT, policy, spelled};

/// The configuration of a property test with this number of cases, which are the same in every run. `TRIMTAB_CASES` sets
/// another number of random cases, and `PROPTEST_RNG_SEED` other cases.
pub(crate) fn cases(default: u32) -> Config {
    let requested = std::env::var("TRIMTAB_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = requested.unwrap_or(default);
    let usual = Config::default();
    let rng_seed = match usual.rng_seed {
        RngSeed::Random if requested.is_none() => RngSeed::Fixed(0),
        seed => seed,
    };
    let max_rejects = cases.saturating_mul(500);
    Config {
        cases,
        rng_seed,
        max_local_rejects: max_rejects,
        max_global_rejects: max_rejects,
        failure_persistence: None,
        ..usual
    }
}
