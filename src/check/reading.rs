//! What a checked rule reads and tests: its condition, guards and texts, in the order written.

use smol_str::SmolStr;

use super::policy::{Action, Condition, Failing, Guard, Piece, Reading, Rule, Template, Test};
use crate::effect::EffectKind;
use crate::fact::ParameterKind;
use crate::quantity::Value;

impl Rule {
    /// Everything that it reads, each time that it does.
    pub fn readings(&self) -> Vec<&Reading> {
        let mut all = Vec::new();
        all.extend(self.condition.readings());
        for guard in &self.guards {
            match &guard.node {
                Guard::OncePer(reading) => all.push(reading),
                Guard::Until(condition) | Guard::OnceUntil(condition) => all.extend(condition.readings()),
                Guard::Once | Guard::Every(_) | Guard::Cooldown(_) | Guard::Limit(_) => {}
            }
        }
        self.every_action().for_each(|action| action.readings(&mut all));
        all
    }

    /// Its condition, and those that its guards wait for.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        std::iter::once(&self.condition).chain(self.ends())
    }

    /// The conditions that its guards wait for.
    pub fn ends(&self) -> impl Iterator<Item = &Condition> {
        self.guards.iter().filter_map(|guard| match &guard.node {
            Guard::Until(end) | Guard::OnceUntil(end) => Some(end),
            _ => None,
        })
    }

    /// All tests of its conditions.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.conditions().flat_map(Condition::tests)
    }

    /// What it does, and what it does when a summary fails.
    pub fn every_action(&self) -> impl Iterator<Item = &Action> {
        let instead = match &self.on_failure.then {
            Failing::Then(action) => Some(&**action),
            Failing::Keep | Failing::Stop | Failing::Ask => None,
        };
        self.actions.iter().chain(instead)
    }

    /// Whether `until` can keep it due when its condition no longer holds. `unless` still holds it back then, so that
    /// `unless X` and `when not X` differ.
    pub fn latches(&self) -> bool {
        self.guards.iter().any(|guard| matches!(guard.node, Guard::Until(_)))
    }

    /// Whether one of its effects is of this kind; what it does when a summary fails does not count.
    pub fn does(&self, kind: EffectKind) -> bool {
        self.actions.iter().any(|action| action.effect.kind == kind)
    }
}

impl Condition {
    /// Everything that it reads, each time that it does.
    pub(super) fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.tests().map(|test| &test.reading)
    }

    /// Its tests, in the order written.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.asked().map(|(test, _)| test)
    }

    /// Its tests, each with whether it is asked to hold: those behind `not` are asked to fail.
    pub fn asked(&self) -> impl Iterator<Item = (&Test, bool)> {
        Asked { next: Some((self, true)), open: Vec::new(), needed: false }
    }

    /// The tests that must all hold, or fail, for it to hold.
    pub fn needed(&self) -> impl Iterator<Item = (&Test, bool)> {
        Asked { next: Some((self, true)), open: Vec::new(), needed: true }
    }
}

/// Walks through a condition.
struct Asked<'c> {
    next: Option<(&'c Condition, bool)>,
    /// What comes after it, the last first.
    open: Vec<(&'c Condition, bool)>,
    /// Whether parts of which one is enough are passed over.
    needed: bool,
}

impl<'c> Iterator for Asked<'c> {
    type Item = (&'c Test, bool);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((condition, truth)) = self.next.take().or_else(|| self.open.pop()) {
            match (condition, truth) {
                (Condition::Constant(_), _) => {}
                (Condition::All(_), false) | (Condition::Any(_), true) if self.needed => {}
                (Condition::Not(inner), _) => self.next = Some((inner, !truth)),
                (Condition::All(parts) | Condition::Any(parts), _) => {
                    self.open.extend(parts.iter().rev().map(|part| (part, truth)));
                }
                (Condition::Test(test), _) => return Some((test, truth)),
            }
        }
        None
    }
}

impl Action {
    fn readings<'c>(&'c self, all: &mut Vec<&'c Reading>) {
        all.extend(self.texts().flat_map(Template::readings));
    }
}

impl Template {
    fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Fact(reading) => Some(reading),
            Piece::Literal(_) | Piece::Variable(_) => None,
        })
    }
}

impl Reading {
    /// The rules that it asks about.
    pub fn rules(&self) -> impl Iterator<Item = &SmolStr> {
        self.fact.parameters.iter().zip(&self.arguments).filter_map(|(parameter, value)| {
            match (parameter.kind, value) {
                (ParameterKind::Rule, Value::Text(name)) => Some(name),
                _ => None,
            }
        })
    }
}
