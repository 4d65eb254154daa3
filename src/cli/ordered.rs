//! Work in parallel whose results are taken in the order of the input.
//!
//! A worker does not run arbitrarily far ahead: the input that is being processed or whose result has not been taken is
//! bounded in bytes. The first unit in turn is always being processed, so that the bound cannot stop everything.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::console::Failure;

/// How many bytes of input each worker may be ahead.
const BYTES_AHEAD: u64 = 16 << 20;

/// How many of these bytes may belong to results that wait for their turn: a result can need more memory than its input.
const BYTES_WAITING: u64 = 2 << 20;

/// What the workers share.
struct Shared<R> {
    /// Results that wait for their turn, with the bytes of their input.
    waiting: BTreeMap<usize, (R, u64)>,
    /// The sum of the byte counts in `waiting`.
    waiting_bytes: u64,
    /// The bytes of input whose results have not been taken.
    ahead: u64,
    /// How many units the input has, once that is known.
    units: Option<usize>,
    /// Whether no more results are wanted, or a worker has panicked.
    is_stopped: bool,
}

struct Pool<R> {
    shared: Mutex<Shared<R>>,
    changed: Condvar,
    limit: u64,
    waiting_limit: u64,
}

/// Calls `work` in as many threads as there are jobs, for each unit of the input with its size in bytes. Results are given
/// to `take` on this thread, in the order of the input.
///
/// # Errors
///
/// The first error of `take`. Units that have started are finished, and their results are dropped.
pub(super) fn in_order<U, R: Send>(
    jobs: usize,
    next: impl FnMut() -> Option<(U, u64)> + Send,
    work: impl Fn(U) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let shared = Shared { waiting: BTreeMap::new(), waiting_bytes: 0, ahead: 0, units: None, is_stopped: false };
    let [limit, waiting_limit] = [BYTES_AHEAD, BYTES_WAITING].map(|bytes| bytes.saturating_mul(jobs as u64));
    let pool = Pool { shared: Mutex::new(shared), changed: Condvar::new(), limit, waiting_limit };
    let input = Mutex::new((next, 0));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let _stop = StopOnPanic(&pool);
                while let Some((turn, unit, bytes)) = pool.begin(&input) {
                    let result = work(unit);
                    let mut shared = pool.lock();
                    shared.waiting.insert(turn, (result, bytes));
                    shared.waiting_bytes = shared.waiting_bytes.saturating_add(bytes);
                    drop(shared);
                    pool.changed.notify_all();
                }
            });
        }
        // Also if `take` panics.
        let _stop = Stop(&pool);
        let mut turn = 0;
        while let Some((result, bytes)) = pool.wait_for(turn) {
            take(result)?;
            pool.lock().ahead -= bytes;
            pool.changed.notify_all();
            turn += 1;
        }
        Ok(())
    })
}

impl<R> Pool<R> {
    fn lock(&self) -> MutexGuard<'_, Shared<R>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, shared: MutexGuard<'a, Shared<R>>) -> MutexGuard<'a, Shared<R>> {
        self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next unit of the input, once there is room for it, with its turn and size.
    fn begin<U>(&self, input: &Mutex<(impl FnMut() -> Option<(U, u64)>, usize)>) -> Option<(usize, U, u64)> {
        // The lock stays held while waiting for room. Otherwise another worker would take a later unit first.
        let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, turn) = &mut *input;
        if self.lock().is_stopped {
            return None;
        }
        let Some((unit, bytes)) = next() else {
            self.lock().units = Some(*turn);
            self.changed.notify_all();
            return None;
        };
        let mut shared = self.lock();
        // All earlier units have begun, so the unit whose turn it is can finish while this one waits.
        while !shared.is_stopped
            && (shared.ahead > 0 && shared.ahead.saturating_add(bytes) > self.limit
                || shared.waiting_bytes > self.waiting_limit)
        {
            shared = self.wait(shared);
        }
        shared.ahead = shared.ahead.saturating_add(bytes);
        *turn += 1;
        (!shared.is_stopped).then_some((*turn - 1, unit, bytes))
    }

    /// Returns the result of a turn, or `None` after the last one.
    fn wait_for(&self, turn: usize) -> Option<(R, u64)> {
        let mut shared = self.lock();
        loop {
            if let Some(result) = shared.waiting.remove(&turn) {
                shared.waiting_bytes = shared.waiting_bytes.saturating_sub(result.1);
                self.changed.notify_all();
                return Some(result);
            }
            if shared.is_stopped || shared.units == Some(turn) {
                return None;
            }
            shared = self.wait(shared);
        }
    }

    fn stop(&self) {
        self.lock().is_stopped = true;
        self.changed.notify_all();
    }
}

/// Ends the work when it is dropped.
struct Stop<'a, R>(&'a Pool<R>);

impl<R> Drop for Stop<'_, R> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Ends the work when a worker panics: the calling thread would wait for its result forever.
struct StopOnPanic<'a, R>(&'a Pool<R>);

impl<R> Drop for StopOnPanic<'_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn taken(jobs: usize, units: usize, bytes: u64) -> (Vec<usize>, usize) {
        let (mut left, mut taken) = (0..units, Vec::new());
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let next = || left.next().map(|unit| (unit, bytes));
        let work = |unit: usize| {
            most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_micros(if unit.is_multiple_of(7) { 3_000 } else { 100 }));
            now.fetch_sub(1, Ordering::Relaxed);
            unit
        };
        in_order(jobs, next, work, |unit| {
            taken.push(unit);
            Ok(())
        })
        .expect("nothing fails");
        (taken, most.into_inner())
    }

    #[test]
    fn results_are_taken_in_the_order_of_the_input() {
        for jobs in [1, 2, 7] {
            assert_eq!(taken(jobs, 60, 1 << 20).0, (0..60).collect::<Vec<_>>());
            assert!(taken(jobs, 0, 1).0.is_empty());
        }
    }

    #[test]
    fn units_beyond_the_bound_are_processed_alone() {
        let (all, most) = taken(3, 12, 4 * BYTES_AHEAD);
        assert_eq!((all.len(), most), (12, 1));
    }

    #[test]
    fn results_that_wait_for_a_slow_unit_are_bounded() {
        let (begun, mut left) = (AtomicUsize::new(0), 0..40_usize);
        let next = || left.next().map(|unit| (unit, BYTES_WAITING));
        let work = |unit: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(if unit == 0 { 200 } else { 1 }));
            if unit == 0 { begun.load(Ordering::Relaxed) } else { 0 }
        };
        let mut meanwhile = Vec::new();
        in_order(2, next, work, |begun| {
            meanwhile.push(begun);
            Ok(())
        })
        .expect("nothing fails");
        assert_eq!(meanwhile.len(), 40);
        assert!(
            meanwhile[0] <= 5,
            "the first, the results that may wait, and the one that exceeds the bound: {meanwhile:?}"
        );
    }

    #[test]
    fn an_error_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let next = || Some(((), 8 << 20));
        let work = |()| begun.fetch_add(1, Ordering::Relaxed);
        let result = in_order(2, next, work, |_| Err(Failure::OutputClosed));
        assert!(matches!(result, Err(Failure::OutputClosed)));
        assert!(begun.into_inner() <= 4, "four units fit into the bound");
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_ends_the_work() {
        drop(in_order(
            2,
            || Some(((), 1)),
            |()| std::hint::black_box([0_u8].as_slice())[std::hint::black_box(1)],
            |_| Ok(()),
        ));
    }
}
