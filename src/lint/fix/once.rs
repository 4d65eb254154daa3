//! The `once` and `once until` clauses of a text, so that no set of fixes makes one of the other.

use crate::source::{Source, SourceId};
use crate::syntax::parse;
use crate::syntax::tree::{ClauseKind, Item, PolicyItem};

/// Where the clauses of a text begin.
#[derive(Debug, Default)]
pub(super) struct Onces {
    once: Vec<u32>,
    once_until: Vec<u32>,
}

impl Onces {
    pub(super) fn of(text: &str) -> Self {
        let mut found = Self::default();
        // Most texts need no second parse.
        if !text.contains("once") || !text.contains("until") {
            return found;
        }
        let (file, _) = parse(&Source::new(SourceId(0), "fixed.trim", text));
        let policies = file.items.iter().filter_map(|item| if let Item::Policy(one) = item { Some(one) } else { None });
        let rules = policies.flat_map(|policy| &policy.items);
        let rules = rules.filter_map(|item| if let PolicyItem::Rule(one) = item { Some(one) } else { None });
        for clause in rules.flat_map(|rule| &rule.clauses) {
            match clause.kind {
                ClauseKind::Once => found.once.push(clause.span.start),
                ClauseKind::OnceUntil(_) => found.once_until.push(clause.span.start),
                _ => {}
            }
        }
        found
    }

    /// Whether a `once` clause has become a `once until` clause; `moved` gives the new place of an old one.
    pub(super) fn are_joined(&self, after: &Self, moved: impl Fn(u32) -> i64) -> bool {
        let mut places = self.once.iter().filter_map(|place| u32::try_from(moved(*place)).ok());
        places.any(|place| after.once_until.binary_search(&place).is_ok())
    }
}
