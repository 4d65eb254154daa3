//! What a call reads from the prompt cache: as recorded, under the policy, and in the session that the policy is compared with.

use smol_str::SmolStr;

use super::billing::{Billed, Billing};
use super::call_sizes::Sizes;
use super::model_caches::ModelCaches;
use super::request_prefix::CommonPrefix;

/// The caches that the calls so far have written, and what the previous call leaves to the next one.
#[derive(Debug, Default)]
pub(super) struct BilledCalls {
    /// The caches that the recorded calls have written.
    recorded_caches: ModelCaches,
    /// The caches that the calls with the policy have written.
    policy_caches: ModelCaches,
    /// The caches that the recorded calls would have written without the calls that a stop prevents.
    compared_caches: ModelCaches,
    /// What the recorded requests since the last call that is made have in common, or `None` without prevented calls.
    gap: Option<CommonPrefix>,
    /// The tokens that stops had prevented at the last call that is made, unless the recorded requests since then no
    /// longer had them.
    prevented: u64,
    /// Whether the previous request was not the recorded one.
    differed: bool,
    /// Whether the policy had edited the previous request.
    was_edited: bool,
}

/// A call that is made, with what it is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct MadeCall {
    /// The call with the policy.
    pub(super) after: Billed,
    /// The call with the policy if no rule had broken the cache.
    pub(super) unbroken: Billed,
    /// The recorded call without what a stop has prevented, with which `after` is compared.
    pub(super) compared: Billed,
}

/// How a call is billed: the rules of its provider, and its model, because each model has its own caches.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallBilling<'a> {
    pub(super) billing: &'a Billing,
    pub(super) model: Option<&'a SmolStr>,
}

impl BilledCalls {
    /// The recorded call, without the policy.
    pub(super) fn recorded(&mut self, call: CallBilling<'_>, sizes: &Sizes, prefix: &CommonPrefix) -> Billed {
        let is_cold = call.billing.is_cold(sizes.recorded_idle);
        let limit = self.recorded_caches.call(call.model, prefix, sizes.before);
        let read = call.billing.read(prefix, sizes.before, is_cold).min(limit);
        Billed { context: sizes.before, read, transient: 0 }
    }

    /// Records a recorded call that a stop prevents.
    pub(super) fn skip(&mut self, recorded: &CommonPrefix, sizes: &Sizes) {
        // A compaction by the recorded harness removes what stops had prevented before it.
        self.prevented = self.prevented.min(sizes.prevented);
        self.gap = Some(self.gap.map_or(*recorded, |gap| gap.and(recorded)));
    }

    /// A call that is made. `recorded` and `prefix` are the common prefixes of its request and the previous one, as
    /// recorded and with the policy; `before` is the recorded call.
    pub(super) fn made(
        &mut self,
        call: CallBilling<'_>,
        sizes: &Sizes,
        (recorded, prefix): (&CommonPrefix, &CommonPrefix),
        before: Billed,
    ) -> MadeCall {
        let differed = self.differed;
        let (after, whole) = self.with_policy(call, sizes, prefix, before);
        // If only a stop made this request different, it is compared with itself: a stop saves nothing in later runs.
        let was_edited = std::mem::replace(&mut self.was_edited, sizes.is_edited);
        let is_stop_alone = !sizes.is_edited && (sizes.prevented > 0 || differed && !was_edited);
        let made = self.without_prevented(call, sizes, recorded, before);
        let compared = if is_stop_alone { after } else { made };
        // A cache break that is also in the recording is not charged to a rule.
        let read = if recorded.is_whole { whole } else { whole.min(compared.read).max(after.read) };
        MadeCall { after, unbroken: Billed { read, ..after }, compared }
    }

    /// The call under the policy, and what it would read without a cache break.
    fn with_policy(
        &mut self,
        call: CallBilling<'_>,
        sizes: &Sizes,
        prefix: &CommonPrefix,
        before: Billed,
    ) -> (Billed, u64) {
        let (context, transient) = (sizes.after, sizes.transient);
        // If this request and the previous one are as recorded, this one reads from the cache what the recorded call read.
        let is_recorded = !sizes.is_edited && sizes.prevented == 0;
        let differed = std::mem::replace(&mut self.differed, !is_recorded);
        let is_cold = call.billing.is_cold(sizes.idle);
        let limit = self.policy_caches.call(call.model, prefix, context);
        let read = |prefix: &CommonPrefix| call.billing.read(prefix, context, is_cold).min(limit);
        let kept = if is_recorded && !differed { before.read } else { read(prefix) };
        (Billed { context, read: kept, transient }, read(&prefix.unbroken()).max(kept))
    }

    /// The recorded call as if the calls that a stop prevents had not been made: it reads only what the other calls
    /// have written.
    fn without_prevented(
        &mut self,
        call: CallBilling<'_>,
        sizes: &Sizes,
        recorded: &CommonPrefix,
        before: Billed,
    ) -> Billed {
        let common = self.gap.take().map_or(*recorded, |gap| gap.and(recorded));
        let common = common.without(self.prevented.min(sizes.prevented));
        self.prevented = sizes.prevented;
        let context = before.context.saturating_sub(sizes.prevented);
        let limit = self.compared_caches.call(call.model, &common, context);
        if sizes.prevented == 0 {
            return before;
        }
        let is_cold = call.billing.is_cold(sizes.idle);
        Billed { context, read: call.billing.read(&common, context, is_cold).min(limit), ..before }
    }
}
