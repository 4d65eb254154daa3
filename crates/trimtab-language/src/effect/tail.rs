//! The tail of a conversation that an effect keeps.

use std::sync::Arc;

use trimtab_base::conversation::{Body, Entry, Keep};
use trimtab_base::quantity::{Counted, Quantity, Unit, share_of};

use super::counted::CountedFilter;
use super::part_filter::PartFilter;
use super::{EffectContext, IdleReason};

/// How much of the end of a conversation an effect keeps.
#[derive(Debug)]
pub(super) struct Tail {
    kept: Quantity,
    /// What counts if results or images are kept.
    filter: Arc<CountedFilter>,
}

impl Tail {
    /// The tail that an effect keeps. Results and images that it never takes do not count.
    pub(super) fn new(kept: Quantity, parts: Option<&PartFilter>) -> Self {
        let filter = CountedFilter::new(kept.unit == Unit::Counted(Counted::Images), parts);
        Self { kept, filter: Arc::new(filter) }
    }

    /// The index of the first kept message; the reason to do nothing when it depends on an unknown window.
    pub(super) fn boundary(&self, context: &EffectContext<'_>) -> Result<usize, IdleReason> {
        let conversation = context.conversation;
        let number = self.kept.to_u64();
        let count = usize::try_from(number).unwrap_or(usize::MAX);
        Ok(match self.kept.unit {
            Unit::Share => {
                let window = context.window.ok_or(IdleReason::NoWindow)?;
                Keep::Tokens(share_of(window, self.kept.amount)).boundary(conversation)
            }
            Unit::Tokens => Keep::Tokens(number).boundary(conversation),
            Unit::Counted(Counted::Results | Counted::Images) => context.tails.first(&self.filter, conversation, count),
            Unit::Counted(Counted::Interactions) => Keep::Interactions(count).boundary(conversation),
            _ => Keep::Messages(count).boundary(conversation),
        })
    }

    /// How many images of the first kept message are older than the images that are kept.
    pub(super) fn older_images(&self, context: &EffectContext<'_>) -> usize {
        let count = usize::try_from(self.kept.to_u64()).unwrap_or(usize::MAX);
        match self.kept.unit {
            Unit::Counted(Counted::Images) => context.tails.start(&self.filter, context.conversation, count).1,
            _ => 0,
        }
    }

    /// How many of the results or images in a part count.
    pub(super) fn count_of(&self, entry: &Entry, body: &Body) -> usize {
        self.filter.count_of(entry, body)
    }
}
