//! Deltas: the changes that a reflector proposes.

use serde::{Deserialize, Serialize};

use super::strategy::{InvalidText, Strategy, StrategyId, Tag, Timestamp, normal_category, normal_content};
use super::{MAX_STRATEGIES, Playbook};

/// A change of a playbook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum Delta {
    /// Adds a strategy. If there is one with this category and content, it counts as observed once more.
    Add {
        /// Its category.
        category: String,
        /// What to do.
        content: String,
    },
    /// Replaces the content of a strategy. Its counts stay.
    Update {
        /// Its id.
        id: String,
        /// What to do.
        content: String,
    },
    /// Counts a use of a strategy.
    Tag {
        /// Its id.
        id: String,
        /// How it turned out: `helpful`, `harmful` or `neutral`.
        tag: String,
    },
    /// Removes a strategy.
    Remove {
        /// Its id.
        id: String,
    },
}

impl Delta {
    /// Adds a strategy.
    pub fn add(category: &str, content: &str) -> Self {
        Self::Add { category: category.into(), content: content.to_owned() }
    }

    /// Counts a use of a strategy.
    pub fn tag(id: &StrategyId, tag: Tag) -> Self {
        Self::Tag { id: id.as_str().into(), tag: tag.word().into() }
    }
}

/// What deltas did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The new strategies.
    pub added: Vec<StrategyId>,
    /// Strategies that were removed to make room for new ones.
    pub evicted: Vec<StrategyId>,
    /// The deltas without an effect, by index.
    pub ignored: Vec<(usize, Ignored)>,
}

/// Why a delta had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// There is no strategy with its id.
    UnknownId,
    /// There is no such tag.
    UnknownTag,
    /// Its category or content is empty.
    Empty,
    /// Its category or content is too long.
    TooLong,
    /// Another strategy has this content.
    Repeated,
}

impl From<InvalidText> for Ignored {
    fn from(invalid: InvalidText) -> Self {
        match invalid {
            InvalidText::Empty => Self::Empty,
            InvalidText::TooLong => Self::TooLong,
        }
    }
}

impl Playbook {
    /// Applies deltas in order. One that cannot be applied is ignored and reported.
    pub fn apply(&mut self, deltas: &[Delta], at: &Timestamp) -> Applied {
        let mut applied = Applied::default();
        for (index, delta) in deltas.iter().enumerate() {
            if let Err(reason) = self.apply_one(delta, at, &mut applied) {
                applied.ignored.push((index, reason));
            }
        }
        applied
    }

    fn apply_one(&mut self, delta: &Delta, at: &Timestamp, applied: &mut Applied) -> Result<(), Ignored> {
        match delta {
            Delta::Add { category, content } => self.add(category, content, at, applied)?,
            Delta::Update { id, content } => {
                let content = normal_content(content)?;
                let found = self.position(id)?;
                let category = &self.strategies[found].category;
                if self.same(category, &content).is_some_and(|same| same != found) {
                    return Err(Ignored::Repeated);
                }
                self.strategies[found].content = content;
            }
            Delta::Tag { id, tag } => {
                let found = self.position(id)?;
                self.strategies[found].tag(Tag::find(tag).ok_or(Ignored::UnknownTag)?, at);
            }
            Delta::Remove { id } => {
                let found = self.position(id)?;
                self.strategies.remove(found);
            }
        }
        Ok(())
    }

    /// Adds a strategy. The same sentence again is no second strategy, which would only take the place of another one in
    /// requests; it is counted.
    fn add(&mut self, category: &str, content: &str, at: &Timestamp, applied: &mut Applied) -> Result<(), Ignored> {
        let (category, content) = (normal_category(category)?, normal_content(content)?);
        if let Some(same) = self.same(&category, &content) {
            let observed = &mut self.strategies[same].observed;
            *observed = observed.saturating_add(1);
            return Ok(());
        }
        if self.strategies.len() >= MAX_STRATEGIES {
            applied.evicted.extend(self.evict());
        }
        let id = self.next_id(&category);
        applied.added.push(id.clone());
        self.strategies.push(Strategy::new(id, category, content, at.clone()));
        Ok(())
    }

    /// Removes the least effective strategy; of several, the oldest of those that helped and were observed least.
    fn evict(&mut self) -> Option<StrategyId> {
        let rank = |at: &usize| {
            let strategy = &self.strategies[*at];
            (strategy.rate(), strategy.helpful, strategy.observed)
        };
        let worst = (0..self.strategies.len()).min_by_key(rank)?;
        Some(self.strategies.remove(worst).id)
    }

    fn next_id(&mut self, category: &str) -> StrategyId {
        loop {
            let id = StrategyId::new(category, self.next);
            self.next = self.next.wrapping_add(1);
            if self.get(&id).is_none() {
                return id;
            }
        }
    }

    fn position(&self, id: &str) -> Result<usize, Ignored> {
        self.strategies.iter().position(|strategy| strategy.id.as_str() == id).ok_or(Ignored::UnknownId)
    }

    /// The strategy with this category and content.
    pub(super) fn same(&self, category: &str, content: &str) -> Option<usize> {
        self.strategies.iter().position(|strategy| strategy.category == category && strategy.content == content)
    }
}
