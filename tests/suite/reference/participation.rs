//! How often each effect, target, guard, fact and phase takes part.

use std::collections::{BTreeMap, BTreeSet};

use super::fact::Scope;

/// What took part in a case: an effect that changed the conversation or the request or sent a signal, a guard of a rule
/// whose condition held, a fact that was read, a phase with a rule that was tried, an answer to a failed summary.
#[derive(Clone, Debug, Default)]
pub(super) struct Participation {
    seen: BTreeSet<(&'static str, String)>,
}

impl Participation {
    pub(super) fn effect(&mut self, name: &'static str, target: Option<&'static str>) {
        let target = target.map_or_else(String::new, |target| format!(" {target}"));
        self.seen.insert(("effect", format!("{name}{target}")));
    }

    /// The words of an effect, among them its labels.
    pub(super) fn labels(&mut self, name: &'static str, text: &str) {
        let outside_of_texts = text.split('"').step_by(2).flat_map(str::split_whitespace).skip(1);
        self.seen.extend(outside_of_texts.map(|word| ("label", format!("{name} {word}"))));
    }

    /// A value of a label, named by its form.
    pub(super) fn value(&mut self, form: &'static str) {
        self.seen.insert(("value", form.to_owned()));
    }

    pub(super) fn guard(&mut self, name: &'static str, scope: Scope) {
        self.seen.insert(("guard", name.to_owned()));
        self.session(name, Some(scope));
    }

    pub(super) fn fact(&mut self, name: &'static str, scope: Option<Scope>) {
        self.seen.insert(("fact", name.to_owned()));
        self.session(name, scope);
    }

    /// An argument of a fact that a case may leave out.
    pub(super) fn argument(&mut self, fact: &'static str, name: &str) {
        self.seen.insert(("argument", format!("{fact} {name}")));
    }

    /// A guard or a fact that remembers the session, or a view that lasts as long.
    pub(super) fn session(&mut self, name: &str, scope: Option<Scope>) {
        if scope == Some(Scope::Session) {
            self.seen.insert(("in session", name.to_owned()));
        }
    }

    pub(super) fn phase(&mut self, name: &'static str) {
        self.seen.insert(("phase", name.to_owned()));
    }

    pub(super) fn answer(&mut self, answer: &'static str) {
        self.seen.insert(("confirm", answer.to_owned()));
    }

    pub(super) fn failure(&mut self, arm: &'static str) {
        self.seen.insert(("on_failure", arm.to_owned()));
    }
}

/// In how many of the cases each took part.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub(super) cases: usize,
    pub(super) steps: usize,
    counts: BTreeMap<(&'static str, String), usize>,
}

impl Totals {
    pub(super) fn add(&mut self, one: &Participation, steps: usize) {
        self.cases += 1;
        self.steps += steps;
        for seen in &one.seen {
            *self.counts.entry(seen.clone()).or_default() += 1;
        }
    }

    pub(super) fn count(&self, kind: &'static str, name: &str) -> usize {
        self.counts.get(&(kind, name.to_owned())).copied().unwrap_or(0)
    }

    /// A line for each, with the number of cases and their share in percent.
    pub(super) fn table(&self) -> String {
        let line = |((kind, name), count): (&(&str, String), &usize)| {
            let tenths = 1000 * count / self.cases.max(1);
            format!("  {kind:<10} {name:<24} {count:>7}  {:>3}.{} %\n", tenths / 10, tenths % 10)
        };
        let counts = self.counts.iter().filter(|((kind, _), _)| *kind != "label");
        format!("{} model calls in {} cases\n", self.steps, self.cases) + &counts.map(line).collect::<String>()
    }
}
