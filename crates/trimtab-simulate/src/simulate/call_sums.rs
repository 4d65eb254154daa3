//! Sums over the calls of a replay.

use trimtab_base::quantity::Decimal;

use super::call::Call;
use super::compared::Compared;

/// Peak and mean of a series of contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Series {
    /// The number of calls.
    pub calls: usize,
    /// The largest, in tokens.
    pub peak: u64,
    /// The mean, in tokens.
    pub mean: u64,
    /// The sum, in tokens.
    pub sum: u128,
    /// The largest share of the window of a call, or `None` if a window is unknown, or without calls.
    pub peak_ratio: Option<Decimal>,
    /// The mean of these shares.
    pub mean_ratio: Option<Decimal>,
}

/// The contexts of all calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSums {
    /// As recorded.
    pub(super) before: Series,
    /// The recorded ones that those with the plan are compared with.
    pub(super) compared: Series,
    /// With the plan.
    pub(super) after: Series,
    /// The calls that exceed the window minus the reserve, or `None` if no window is known.
    pub(super) over_window: Option<Compared<usize>>,
}

impl CallSums {
    pub(super) fn of(calls: &[Call], reserve: u64) -> Self {
        let made = || calls.iter().filter(|call| call.made);
        Self {
            before: Series::of(calls.iter().map(|call| (call.before, call.window))),
            compared: Series::of(made().map(|call| (call.before - call.prevented, call.window))),
            after: Series::of(made().map(|call| (call.after, call.window))),
            over_window: over_window(calls, reserve),
        }
    }
}

/// How many calls exceed the window minus the reserve, of those whose window is known. Without calls that is none of them.
fn over_window(calls: &[Call], reserve: u64) -> Option<Compared<usize>> {
    if !calls.is_empty() && calls.iter().all(|call| call.window.is_none()) {
        return None;
    }
    let exceeds = |call: &Call, tokens| call.window.is_some_and(|window| tokens > window.saturating_sub(reserve));
    Some(Compared {
        recorded: calls.iter().filter(|call| exceeds(call, call.before)).count(),
        policy: calls.iter().filter(|call| call.made && exceeds(call, call.after)).count(),
    })
}

impl Series {
    /// The series of calls with these tokens and windows.
    fn of(calls: impl Iterator<Item = (u64, Option<u64>)>) -> Self {
        // A session has few windows; most have one.
        let mut windows: Vec<(Option<u64>, Self)> = Vec::new();
        for (tokens, window) in calls {
            let at = windows.iter().position(|(other, _)| *other == window).unwrap_or_else(|| {
                windows.push((window, Self::default()));
                windows.len() - 1
            });
            let series = &mut windows[at].1;
            (series.calls, series.peak) = (series.calls + 1, series.peak.max(tokens));
            series.sum += u128::from(tokens);
        }
        windows.into_iter().map(|(window, series)| series.in_window(window)).fold(Self::default(), Self::merge)
    }

    /// The series with its mean and its shares of one window.
    fn in_window(self, window: Option<u64>) -> Self {
        let mean = self.mean_of_sum();
        let ratio = |tokens: u64| Decimal::from(tokens).checked_div(Decimal::from(window?));
        Self { mean, peak_ratio: ratio(self.peak), mean_ratio: ratio(mean), ..self }
    }

    fn mean_of_sum(&self) -> u64 {
        u64::try_from(self.sum / u128::try_from(self.calls.max(1)).unwrap_or(1)).unwrap_or(u64::MAX)
    }

    /// Both series combined.
    fn merge(self, other: Self) -> Self {
        if self.calls == 0 || other.calls == 0 {
            return if self.calls == 0 { other } else { self };
        }
        let calls = self.calls + other.calls;
        let weighted = |one: Decimal, calls: usize| one.checked_mul(calls.into());
        let mean_ratio = self.mean_ratio.zip(other.mean_ratio).and_then(|(one, two)| {
            weighted(one, self.calls)?.checked_add(weighted(two, other.calls)?)?.checked_div(calls.into())
        });
        let series = Self {
            calls,
            peak: self.peak.max(other.peak),
            mean: 0,
            sum: self.sum + other.sum,
            peak_ratio: self.peak_ratio.zip(other.peak_ratio).map(|(one, two)| one.max(two)),
            mean_ratio,
        };
        Self { mean: series.mean_of_sum(), ..series }
    }
}
