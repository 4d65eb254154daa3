//! Operations: effects with their arguments, ready to run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, Counter, Edit, Lifetime, MessageId, Miss, PartId, Recall, View, Views};
use trimtab_base::playbook::Playbook;

use super::counted::CountedParts;
use super::drop::RemovalCache;
use super::idle::IdleReason;
use super::latest::LatestCache;
use super::redundancy::RedundancyCache;
use super::signal::Signal;
use super::skipped::SkippedCache;
use super::summary_request::SummaryRequest;
use super::text::{TextSlot, Texts};

/// An effect with its arguments. It is built once, when its rule has been checked.
pub trait Operation: Debug + Send + Sync {
    /// Returns what to do now: edits, a signal, or a request for a summary.
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput;

    /// Turns the summary for one of the requests of [`Operation::begin`] into edits.
    ///
    /// # Errors
    /// When the summary cannot be used; the message is the reason.
    fn finish(&self, _: &EffectContext<'_>, _: &SummaryRequest, _: &str) -> Result<Vec<Edit>, String> {
        Ok(Vec::new())
    }
}

/// Everything that an effect can read.
#[derive(Clone, Copy)]
pub struct EffectContext<'a> {
    /// The conversation after the edits of earlier rules.
    pub conversation: &'a Conversation,
    /// The token counter.
    pub counter: &'a Arc<dyn Counter>,
    /// The size of the request if it were sent now, in tokens.
    pub tokens: u64,
    /// The context window in tokens, or `None` if it is unknown.
    pub window: Option<u64>,
    /// The strategies that the session has learned.
    pub playbook: &'a Playbook,
    /// The declared tools.
    pub tools: &'a BTreeSet<SmolStr>,
    /// How the agent gets offloaded content back.
    pub recall: Recall,
    /// The differences that earlier rules have made in the next request.
    pub views: &'a Views,
    /// The texts among the arguments of the effect, with facts filled in.
    pub texts: &'a Texts,
    /// The compaction miss that the phase is about.
    pub miss: Option<&'a Miss>,
    /// The factor by which the results of the tool of the miss are boosted; 1 if they are not.
    pub boost: u64,
    /// How far earlier steps have searched the messages that have not changed since then.
    pub progress: SearchProgress,
    /// Which results are redundant.
    pub redundancy: &'a RedundancyCache,
    /// What could be removed.
    pub removals: &'a RemovalCache,
    /// The positions of the results and images that tails count.
    pub tails: &'a CountedParts,
    /// The newest results of tools.
    pub latest: &'a LatestCache,
    /// How many parts idle effects have skipped.
    pub skipped: &'a SkippedCache,
    /// How often summaries of single results have failed for the rule.
    pub failed: Option<&'a BTreeMap<MessageId, u64>>,
    /// Whether an idle effect should count the parts that it skipped.
    pub explain: bool,
}

impl EffectContext<'_> {
    /// A text among the arguments, with the effect's variables replaced by these values.
    pub(super) fn text(&self, slot: &TextSlot, variables: &[(&str, &str)]) -> String {
        self.texts.render(slot, variables)
    }
}

/// How far an effect has searched a conversation. Messages that have not changed since then need not be searched again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchProgress {
    /// The number of messages at the start that contain nothing to reduce.
    pub scanned_prefix: usize,
    /// The number of messages at the start that together would save less than `at_least`.
    pub below_minimum_prefix: usize,
    /// The tokens that the messages of `below_minimum_prefix` would save.
    pub below_minimum_saving: i128,
    /// The length of the conversation when `scanned_prefix` was found. A later message can make an older result
    /// redundant.
    pub seen: usize,
    /// The length of the conversation when `below_minimum_prefix` was found.
    pub below_minimum_seen: usize,
}

/// What an effect returns.
#[derive(Debug)]
pub enum EffectOutput {
    /// Edits of the conversation.
    Edits {
        /// The edits in order; empty when there is nothing to do.
        edits: Vec<Edit>,
        /// The tokens by which `down_to` is missed; 0 when it is reached or not given.
        shortfall: u64,
        /// How far the conversation has been searched.
        progress: SearchProgress,
        /// Why there are no edits. It is ignored when there are edits.
        idle_reason: IdleReason,
    },
    /// A difference between the conversation and the next request.
    View {
        /// The difference.
        view: View,
        /// How long it lasts.
        lifetime: Lifetime,
        /// The tokens by which `down_to` is missed; 0 when it is reached or not given.
        shortfall: u64,
    },
    /// A part gets the content back that it had when it arrived, and is protected.
    Restore(Restoration),
    /// Summaries are needed first, one after another. What each of them replaces does not depend on the others.
    NeedsSummaries {
        /// The requests in order.
        requests: VecDeque<Arc<SummaryRequest>>,
        /// How far the conversation has been searched.
        progress: SearchProgress,
    },
    /// A signal to the host.
    Signal(Signal),
}

/// A part that is restored and protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restoration {
    /// The message.
    pub message: MessageId,
    /// Which of its parts.
    pub part: PartId,
    /// The number of iterations after the current one in which no edit of content changes it, or `None` for the whole
    /// run.
    pub iterations: Option<u64>,
}

impl EffectOutput {
    /// Nothing to do, and why.
    pub(super) const fn idle(idle_reason: IdleReason) -> Self {
        Self::edits(Vec::new(), idle_reason)
    }

    /// One summary is needed first.
    pub(super) fn needs_summary(request: SummaryRequest) -> Self {
        let requests = VecDeque::from([Arc::new(request)]);
        Self::NeedsSummaries { requests, progress: SearchProgress::default() }
    }

    /// A view.
    pub(super) const fn view(view: View, lifetime: Lifetime) -> Self {
        Self::View { view, lifetime, shortfall: 0 }
    }

    /// Edits of an effect that searches the whole conversation each time, and the reason if there are none.
    pub(super) const fn edits(edits: Vec<Edit>, idle_reason: IdleReason) -> Self {
        let progress = SearchProgress {
            scanned_prefix: 0,
            below_minimum_prefix: 0,
            below_minimum_saving: 0,
            seen: 0,
            below_minimum_seen: 0,
        };
        Self::Edits { edits, shortfall: 0, progress, idle_reason }
    }
}
