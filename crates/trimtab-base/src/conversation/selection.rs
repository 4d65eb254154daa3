//! Views that may last longer than a request: choices of tools and sections, and variables.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::name_filter::NameFilter;

/// How long a view lasts. Only choices and variables can last longer than a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// The next request.
    Request,
    /// The run, or until it is changed.
    Run,
    /// The session, or until it is changed.
    Session,
}

/// Choices and variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) tools: NameFilter,
    pub(super) sections: NameFilter,
    pub(super) variables: BTreeMap<SmolStr, SmolStr>,
}

/// What applies now and later. What lasts longer is part of what ends earlier.
#[derive(Clone, Debug, Default)]
pub(super) struct Selections {
    /// What applies to the next request.
    pub(super) now: Selection,
    run: Selection,
    session: Selection,
}

impl Selections {
    /// Forgets what was for one request.
    pub(super) fn end_request(&mut self) {
        self.now = self.run.clone();
    }

    /// Forgets what does not last for the session.
    pub(super) fn begin_run(&mut self) {
        self.run = self.session.clone();
        self.end_request();
    }

    /// What a view of this lifetime changes: all that ends no later than the view.
    pub(super) fn changed_by(&self, lifetime: Lifetime) -> impl Iterator<Item = &Selection> {
        [&self.now, &self.run, &self.session].into_iter().take(lifetime.selections())
    }

    /// What a view of this lifetime changes, to change it.
    pub(super) fn changed_by_mut(&mut self, lifetime: Lifetime) -> impl Iterator<Item = &mut Selection> {
        [&mut self.now, &mut self.run, &mut self.session].into_iter().take(lifetime.selections())
    }
}

impl Lifetime {
    /// The number of selections that a view of this lifetime changes.
    const fn selections(self) -> usize {
        match self {
            Self::Request => 1,
            Self::Run => 2,
            Self::Session => 3,
        }
    }
}

impl Selection {
    /// The value of a variable. An empty text is none.
    pub(super) fn variable(&self, name: &str) -> Option<&SmolStr> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// Whether a variable has a value.
    pub(super) fn has_variables(&self) -> bool {
        self.variables.values().any(|value| !value.is_empty())
    }

    /// The variables as a block of the system prompt, in the form of the second system in `docs/conformance.md`.
    pub(super) fn variables_text(&self) -> Option<String> {
        let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
        let block = |(name, value): (&SmolStr, &SmolStr)| format!("  <{name}>\n{}  </{name}>\n", indented(value));
        let blocks: String = self.variables.iter().filter(|(_, value)| !value.is_empty()).map(block).collect();
        (!blocks.is_empty()).then(|| format!("<variables>\n{blocks}</variables>"))
    }
}
