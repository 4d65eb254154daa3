//! `retain`: sends only the last interactions.

use trimtab_base::conversation::{Conversation, Keep, Lifetime, Pins, View};
use trimtab_base::quantity::{Counted, Quantity, Unit, share_of};

use super::label::Handle;
use super::pin::pin;
use super::reduction::{DOWN_TO, count};
use super::{
    Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation, Positional,
    Shape,
};

const INTERACTIONS: &[Unit] = &[Unit::Counted(Counted::Interactions)];

pub(super) static EFFECT: Effect = Effect {
    name: "retain",
    summary: "Sends only the last interactions, each of which begins with a user message and contains all calls and \
              results up to the next one. System messages, summaries and pinned messages are sent too. The conversation \
              keeps everything, so each request is chosen anew.",
    kind: EffectKind::Retain,
    positional: Positional::Values(&[]),
    labels: &[&LAST.label, &MIN.label, &DOWN_TO.label, &PIN.label],
    variables: &[],
    examples: &[
        "retain last 5 interactions",
        "retain last 7 interactions min 3 down_to 60%",
        "retain last 5 interactions pin first 2 messages",
    ],
    build: |arguments| {
        let (last, min, goal) = (LAST.get(arguments), MIN.get(arguments), DOWN_TO.get(arguments));
        Box::new(Retain { last, min: min.min(last), goal, pins: PIN.get(arguments) })
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

static PIN: Handle<Pins> = pin(&[]);

#[derive(Debug)]
struct Retain {
    last: usize,
    min: usize,
    goal: Option<Quantity>,
    pins: Pins,
}

impl Operation for Retain {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let goal = match self.goal.map(|goal| tokens(goal, context.window)).transpose() {
            Ok(goal) => goal,
            Err(reason) => return EffectOutput::idle(reason),
        };
        let conversation = context.conversation;
        let pinned = |first: usize, pins| conversation.pinned_before(first, pins).collect::<Vec<_>>();
        let before = context.views.first_retained(conversation);
        let is_new = |first: usize| first != before || pinned(first, self.pins) != pinned(first, context.views.pins());
        let whole = context.tokens.saturating_add(context.views.tokens_left_out(conversation));
        let view = |interactions: usize| {
            let boundary = Keep::Interactions(interactions).boundary(conversation);
            let first = conversation.whole_requests_before(boundary);
            let size = whole.saturating_sub(context.views.tokens_not_retained(conversation, first, self.pins));
            (first, goal.map_or(0, |goal| size.saturating_sub(goal)))
        };
        let (first, shortfall) = view(self.interactions(conversation, |interactions| view(interactions).1 == 0));
        let hides = conversation.hides_messages(first, self.pins);
        match conversation.entries().get(first) {
            Some(entry) if hides && is_new(first) => {
                let view = View::Retain(entry.id(), self.pins);
                EffectOutput::View { view, lifetime: Lifetime::Request, shortfall }
            }
            Some(_) if hides => EffectOutput::idle(IdleReason::SameRequest),
            _ => EffectOutput::idle(IdleReason::AllKept),
        }
    }
}

impl Retain {
    /// The most interactions that fit, or else the least number of them. Fewer interactions are never larger.
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
