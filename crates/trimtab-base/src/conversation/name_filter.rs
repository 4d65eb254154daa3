//! Choices of names: which tools are offered, and which sections of the system prompt are sent.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use smol_str::SmolStr;

use super::any_matches;

/// A choice of names. A name may end in `*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameFilter {
    /// The only names that are shown. `None` shows all.
    pub only: Option<Vec<SmolStr>>,
    /// Names that are hidden.
    pub hidden: Vec<SmolStr>,
}

impl NameFilter {
    /// Whether a name is shown.
    pub fn shows(&self, name: &str) -> bool {
        let is_in = |names: &[SmolStr]| any_matches(names.iter().map(SmolStr::as_str), name);
        self.only.as_deref().is_none_or(is_in) && !is_in(&self.hidden)
    }

    /// Adds another choice: its `only` replaces this one, and what it hides is hidden too.
    pub(super) fn add(&mut self, other: &Self) {
        if other.only.is_some() {
            self.only.clone_from(&other.only);
        }
        let new = other.hidden.iter().filter(|name| !self.hidden.contains(name));
        self.hidden.extend(new.cloned().collect::<Vec<_>>());
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.only.is_none() && self.hidden.is_empty()
    }

    /// Whether adding another choice changes which of these names are shown. Without any names, whether it is a new
    /// choice. If it only hides more, only names that it newly hides are examined.
    pub(super) fn changes_any(&self, other: &Self, names: &BTreeSet<SmolStr>) -> bool {
        if names.is_empty() || other.only.is_some() && other.only != self.only {
            let mut new = self.clone();
            new.add(other);
            return new != *self && (names.is_empty() || names.iter().any(|name| self.shows(name) != new.shows(name)));
        }
        let new = other.hidden.iter().filter(|name| !self.hidden.contains(name));
        new.flat_map(|name| matching(names, name)).any(|name| self.shows(name))
    }
}

/// The names that match `name`, which may end in `*`.
fn matching<'a>(names: &'a BTreeSet<SmolStr>, name: &'a str) -> impl Iterator<Item = &'a SmolStr> {
    let (start, is_prefix) = name.strip_suffix('*').map_or((name, false), |start| (start, true));
    let begins = move |other: &&SmolStr| if is_prefix { other.starts_with(start) } else { *other == name };
    names.range::<str, _>((Bound::Included(start), Bound::Unbounded)).take_while(begins)
}

/// The tools that the last choice hides. A cache, so that many tools do not make each request slower.
#[derive(Clone, Debug, Default)]
pub(super) struct HiddenTools {
    filter: NameFilter,
    names: Arc<[SmolStr]>,
    /// The tokens of their schemas.
    tokens: u64,
    /// No names.
    none: Arc<[SmolStr]>,
}

impl HiddenTools {
    /// Finds the declared tools that a choice hides, and the tokens of their schemas if known. The declared tools must
    /// be the same each time.
    pub(super) fn update(&mut self, filter: &NameFilter, tools: &BTreeSet<SmolStr>, schemas: &BTreeMap<SmolStr, u64>) {
        if filter.is_empty() || *filter == self.filter {
            return;
        }
        self.names = tools.iter().filter(|name| !filter.shows(name)).cloned().collect();
        self.tokens = schemas.iter().filter(|(name, _)| !filter.shows(name)).map(|(_, tokens)| tokens).sum();
        self.filter = filter.clone();
    }

    /// The names of the tools that a choice hides, with the tokens of their schemas.
    pub(super) fn of(&self, filter: &NameFilter) -> (&Arc<[SmolStr]>, u64) {
        if filter.is_empty() { (&self.none, 0) } else { (&self.names, self.tokens) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names() -> impl Strategy<Value = Vec<SmolStr>> {
        prop::collection::vec(prop::sample::select(vec!["a", "ab", "abc", "b", "a*", "ab*", "*"]), 0..4)
            .prop_map(|names| names.into_iter().map(SmolStr::new).collect())
    }

    fn filter() -> impl Strategy<Value = NameFilter> {
        (prop::option::of(names()), names()).prop_map(|(only, hidden)| NameFilter { only, hidden })
    }

    proptest! {
        #[test]
        fn newly_hidden_names_decide_like_all_names(current in filter(), other in filter(), tools in names()) {
            let tools: BTreeSet<SmolStr> = tools.into_iter().filter(|name| !name.ends_with('*')).collect();
            let mut new = current.clone();
            new.add(&other);
            let changes = if tools.is_empty() {
                new != current
            } else {
                tools.iter().any(|tool| current.shows(tool) != new.shows(tool))
            };
            prop_assert_eq!(current.changes_any(&other, &tools), changes);
        }
    }
}
