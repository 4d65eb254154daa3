//! `retain`: sends only the last interactions.

use trimtab_base::conversation::{Conversation, Keep, Lifetime, Pins, Retention, View};
use trimtab_base::quantity::{Counted, Quantity, Unit, share_of};

use super::label::Handle;
use super::latest::KEEP_LATEST;
use super::pin::{KeptMessages, pin};
use super::reduction::{count, down_to};
use super::{
    Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation, Positional,
    Shape,
};

const INTERACTIONS: &[Unit] = &[Unit::Counted(Counted::Interactions)];

pub(super) static EFFECT: Effect = Effect {
    name: "retain",
    summary: "Sends only the last interactions, each of which begins with a user message and contains all calls and \
              results up to the next one. System messages, summaries and pinned messages are sent too, and with `keep_latest` the \
              newest results of some tools, each with its call and the newest message of a person before it. The conversation \
              keeps everything, so each request is chosen anew.",
    kind: EffectKind::Retain,
    positional: Positional::Values(&[]),
    labels: &[&LAST.label, &MIN.label, &DOWN_TO.label, &PIN.label, &KEEP_LATEST.label],
    variables: &[],
    examples: &[
        "retain last 5 interactions",
        "retain last 7 interactions min 3 down_to 60%",
        "retain last 5 interactions pin first 2 messages",
        "retain last 3 interactions keep_latest [todo_write]",
    ],
    build: |arguments| {
        let (last, min, goal) = (LAST.get(arguments), MIN.get(arguments), DOWN_TO.get(arguments));
        Box::new(Retain { last, min: min.min(last), goal, kept: KeptMessages::new(arguments, &PIN) })
    },
};

static LAST: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Required,
        least: 1,
        role: Some(LabelRole::Retained),
        ..Label::new("last", Shape::Quantity(INTERACTIONS), "How many interactions are sent.")
    },
    read: count,
};

static MIN: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Number(1, INTERACTIONS[0]),
        least: 1,
        role: Some(LabelRole::LeastRetained),
        ..Label::new(
            "min",
            Shape::Quantity(INTERACTIONS),
            "How many interactions are sent at least, if `down_to` is given.",
        )
    },
    read: count,
};

static DOWN_TO: Handle<Option<Quantity>> =
    down_to("Sends fewer interactions than `last`, as many as fit in this size, and no fewer than `min`.");

static PIN: Handle<Pins> = pin(&[]);

#[derive(Debug)]
struct Retain {
    last: usize,
    min: usize,
    goal: Option<Quantity>,
    kept: KeptMessages,
}

impl Operation for Retain {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let goal = match self.goal.map(|goal| tokens(goal, context.window)).transpose() {
            Ok(goal) => goal,
            Err(reason) => return EffectOutput::idle(reason),
        };
        let conversation = context.conversation;
        let others = self.kept.latest_with_users(conversation, context.latest);
        let mut pinned = conversation.pinned_messages(self.kept.pins());
        pinned.add(conversation, others.iter().copied());
        let (current, before) = (context.views.pinned(conversation), context.views.first_retained(conversation));
        let is_new = |first: usize| {
            first != before
                || pinned != current && pinned.before(conversation, first) != current.before(conversation, first)
        };
        let whole = context.tokens.saturating_add(context.views.tokens_left_out(conversation));
        let view = |interactions: usize| {
            let boundary = Keep::Interactions(interactions).boundary(conversation);
            let first = conversation.whole_requests_before(boundary);
            let size = whole.saturating_sub(context.views.tokens_not_retained(conversation, first, &pinned));
            (first, goal.map_or(0, |goal| size.saturating_sub(goal)))
        };
        let (first, shortfall) = view(self.interactions(conversation, |interactions| view(interactions).1 == 0));
        let hides = conversation.hides_messages(first, &pinned);
        let entries = conversation.entries();
        match entries.get(first) {
            Some(entry) if hides && is_new(first) => {
                let others = others.iter().map(|at| entries[*at].id()).collect();
                let view = View::Retain(Retention { first: entry.id(), pins: self.kept.pins(), others });
                EffectOutput::View { view, lifetime: Lifetime::Request, shortfall }
            }
            Some(_) if hides => EffectOutput::idle(IdleReason::SameRequest),
            _ => EffectOutput::idle(IdleReason::AllKept),
        }
    }
}

impl Retain {
    /// The largest number of interactions that fits, or else the minimum. Fewer interactions never have more tokens.
    fn interactions(&self, conversation: &Conversation, fits: impl Fn(usize) -> bool) -> usize {
        // With one more than there are, everything is sent.
        let most = self.last.min(conversation.interactions() + 1).max(self.min);
        if fits(most) {
            return most;
        }
        let (mut low, mut high) = (self.min, most);
        while low < high {
            let middle = low + (high - low) / 2;
            if fits(middle) { low = middle + 1 } else { high = middle }
        }
        (low - 1).max(self.min)
    }
}

/// The goal in tokens.
fn tokens(goal: Quantity, window: Option<u64>) -> Result<u64, IdleReason> {
    match goal.unit {
        Unit::Share => Ok(share_of(window.ok_or(IdleReason::NoWindow)?, goal.amount)),
        _ => Ok(goal.to_u64()),
    }
}
