//! Usage as recordings state it. Every reader makes it with [`usage`], so that no number is taken for another one.

use trimtab_base::conversation::{Service, Tier, Usage};

use super::wire::TokenCount;

/// The usage of a call that states a number of tokens which cannot be one. [`super::plausible`] removes and counts it.
const INVALID: Usage = Usage {
    input: u64::MAX,
    cache_read: 0,
    cache_write: 0,
    hour_write: 0,
    output: 0,
    service: Service { is_fast: false, is_us_only: false, tier: Tier::Standard },
};

/// How a call was served, by the words of Anthropic's usage for its speed, its region and its tier.
pub(super) fn service(speed: &str, region: &str, tier: &str) -> Service {
    Service { is_fast: speed == "fast", is_us_only: region == "us", tier: Tier::named(tier) }
}

/// Makes a usage from recorded numbers, of which missing ones are 0. The usage is implausible if one of the numbers is.
pub(super) fn usage<const N: usize>(recorded: [TokenCount; N], make: impl FnOnce([u64; N]) -> Usage) -> Usage {
    if recorded.iter().all(|tokens| tokens.is_plausible()) { make(recorded.map(TokenCount::or_zero)) } else { INVALID }
}

/// The usage of a call whose recorded input includes what was read from the cache, then what was written to it: `input`,
/// `cache_read`, `cache_write` and `output`.
pub(super) fn with_cache(recorded: [TokenCount; 4]) -> Usage {
    usage(recorded, |[all, cache_read, cache_write, output]| {
        let cache_read = cache_read.min(all);
        let cache_write = cache_write.min(all - cache_read);
        Usage { input: all - cache_read - cache_write, cache_read, cache_write, output, ..Usage::default() }
    })
}

/// As [`with_cache`], for recordings whose cache may exceed the input: the uncached input is 0 then.
pub(super) fn with_larger_cache(recorded: [TokenCount; 4]) -> Usage {
    usage(recorded, |[all, cache_read, cache_write, output]| {
        let input = all.saturating_sub(cache_read).saturating_sub(cache_write);
        Usage { input, cache_read, cache_write, output, ..Usage::default() }
    })
}

/// The usage of a call whose recorded input excludes the cache.
pub(super) fn beside_cache(recorded: [TokenCount; 4]) -> Usage {
    usage(recorded, |[input, cache_read, cache_write, output]| Usage {
        input,
        cache_read,
        cache_write,
        output,
        ..Usage::default()
    })
}

/// The usage of a call whose recorded input excludes the cache: `input`, `cache_read`, `cache_write`, the part of
/// `cache_write` that is kept for an hour, and `output`.
pub(super) fn with_hour_write(recorded: [TokenCount; 5], service: Service) -> Usage {
    usage(recorded, |[input, cache_read, cache_write, hour_write, output]| Usage {
        input,
        cache_read,
        cache_write,
        hour_write: hour_write.min(cache_write),
        output,
        service,
    })
}
