//! Pauses between attempts.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use super::options::EndpointOptions;

/// Chooses the pauses between attempts: exponential backoff with full jitter.
#[derive(Debug)]
pub(super) struct Pauses {
    first: Duration,
    max: Duration,
    state: AtomicU64,
}

impl Pauses {
    pub(super) fn new(options: &EndpointOptions) -> Self {
        let seed = options.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
        Self { first: options.first_pause, max: options.max_pause, state: AtomicU64::new(seed) }
    }

    /// The pause after this number of failed attempts; at least as long as the server asks for.
    pub(super) fn after(&self, attempts: u32, retry_after: Option<Duration>) -> Duration {
        let doubled = 2_u32.saturating_pow(attempts.saturating_sub(1));
        let limit = self.first.saturating_mul(doubled).min(self.max);
        let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        let pause = Duration::from_nanos(self.random() % limit.saturating_add(1).max(1));
        retry_after.map_or(pause, |wanted| wanted.max(pause))
    }

    /// The next number of the generator `SplitMix64`.
    fn random(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut mixed = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// After which time the server wants to be asked again: `Retry-After` in seconds or as a date, which is compared with
/// the clock of the server if it states the time.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |text: &str| DateTimeParser::new().parse_timestamp(text).ok();
    let now = headers.get(DATE).and_then(|value| date(value.to_str().ok()?));
    let wait = date(value)?.duration_since(now.unwrap_or_else(Timestamp::now));
    Some(Duration::try_from(wait).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn pauses(seed: u64) -> Pauses {
        Pauses::new(&EndpointOptions { seed: Some(seed), ..EndpointOptions::default() })
    }

    #[test]
    fn pauses_are_random_below_a_limit_that_doubles() {
        let all = pauses(7);
        for attempts in 1..200 {
            let limit =
                Duration::from_millis(500).saturating_mul(1 << (attempts - 1).min(20)).min(Duration::from_secs(20));
            assert!(all.after(attempts, None) <= limit, "{attempts}");
        }
        let some = |pauses: &Pauses| (0..8).map(|_| pauses.after(9, None)).collect::<Vec<_>>();
        assert_eq!(some(&pauses(7)), some(&pauses(7)));
        assert_ne!(some(&pauses(7)), some(&pauses(8)));
        assert_eq!(all.after(1, Some(Duration::from_secs(9))), Duration::from_secs(9));
        let none = EndpointOptions { first_pause: Duration::ZERO, ..EndpointOptions::default() };
        assert_eq!(Pauses::new(&none).after(3, None), Duration::ZERO);
    }

    #[test]
    fn retry_after_is_a_number_of_seconds_or_a_date() {
        const NOW: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
        for (value, seconds) in [
            ("7", Some(7)),
            ("0", Some(0)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", Some(30)),
            ("Sun, 06 Nov 1994 08:40:00 GMT", Some(0)),
            ("-1", None),
            ("inf", None),
            ("NaN", None),
            ("1e300", None),
            ("soon", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            headers.insert(DATE, HeaderValue::from_static(NOW));
            assert_eq!(retry_after(&headers), seconds.map(Duration::from_secs), "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
