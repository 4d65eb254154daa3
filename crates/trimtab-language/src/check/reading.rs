//! The facts that a checked rule reads, and the tests of its conditions.

use smol_str::SmolStr;
use trimtab_base::quantity::Value;
use trimtab_base::source::Span;

use super::policy::{Action, Condition, FailureAction, Guard, Reading, Rule, Template, Test, TextPiece};
use crate::effect::EffectKind;
use crate::fact::{Fact, ParameterKind, Scope, written_host_fact};

impl Rule {
    /// Every reading of a fact, in source order, with repetitions.
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
        all.extend(self.confirm.iter().flat_map(Template::readings));
        self.all_actions().for_each(|action| action.readings(&mut all));
        all
    }

    /// The readings that `changed` compares, in conditions, guards, texts and fields.
    pub fn compared(&self) -> impl Iterator<Item = &Reading> {
        self.readings().into_iter().flat_map(|reading| &reading.compared)
    }

    /// Its condition and the conditions of its guards.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        std::iter::once(&self.condition).chain(self.end_conditions())
    }

    /// The conditions of its `until` and `once until` guards.
    pub fn end_conditions(&self) -> impl Iterator<Item = &Condition> {
        self.guards.iter().filter_map(|guard| match &guard.node {
            Guard::Until(end) | Guard::OnceUntil(end) => Some(end),
            _ => None,
        })
    }

    /// All tests of its conditions.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.conditions().flat_map(Condition::tests)
    }

    /// Its actions, including the one after `on_failure then`.
    pub fn all_actions(&self) -> impl Iterator<Item = &Action> {
        let instead = match &self.on_failure.then {
            FailureAction::Then(action) => Some(&**action),
            FailureAction::Keep | FailureAction::Stop | FailureAction::Ask => None,
        };
        self.actions.iter().chain(instead)
    }

    /// Whether an `until` can keep it triggered after its condition stops to hold. `unless` still blocks it then, so `unless X`
    /// and `when not X` differ.
    pub fn has_until(&self) -> bool {
        self.guards.iter().any(|guard| matches!(guard.node, Guard::Until(_)))
    }

    /// Whether a guard remembers when `when` held or failed. `unless X` and `when not X` differ then.
    pub fn remembers_condition(&self) -> bool {
        self.guards.iter().any(|guard| matches!(guard.node, Guard::Until(_) | Guard::OncePer(_)))
    }

    /// Whether one of its actions, apart from `on_failure`, has an effect of this kind.
    pub fn does(&self, kind: EffectKind) -> bool {
        self.actions.iter().any(|action| action.effect.kind == kind)
    }
}

impl Condition {
    /// Every reading of a fact, compared ones too, in source order, with repetitions.
    pub(super) fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.tests().flat_map(|test| std::iter::once(&test.reading).chain(&test.reading.compared))
    }

    /// Its tests in source order.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.tests_with_polarity().map(|(test, _)| test)
    }

    /// Its tests, each with its polarity: `false` for those under an odd number of `not`.
    pub fn tests_with_polarity(&self) -> impl Iterator<Item = (&Test, bool)> {
        Tests { next: Some((self, true)), open: Vec::new(), needed: false }
    }

    /// The tests that must all have the given result for it to hold.
    pub fn required_tests(&self) -> impl Iterator<Item = (&Test, bool)> {
        Tests { next: Some((self, true)), open: Vec::new(), needed: true }
    }
}

/// Iterates over the tests of a condition.
struct Tests<'c> {
    next: Option<(&'c Condition, bool)>,
    /// The parts after it, last one first.
    open: Vec<(&'c Condition, bool)>,
    /// Whether alternatives are skipped.
    needed: bool,
}

impl<'c> Iterator for Tests<'c> {
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
        all.extend(self.fields().map(|(_, reading)| reading));
    }
}

impl Template {
    fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.pieces.iter().filter_map(|piece| match piece {
            TextPiece::Fact(reading) => Some(reading),
            TextPiece::Literal(_) | TextPiece::Variable(_) => None,
        })
    }
}

impl Reading {
    /// A reading of a fact that the host supplies.
    pub fn of_host(fact: &'static Fact, name: &SmolStr, span: Span) -> Self {
        Self::new(fact, vec![Value::Text(name.clone())], span)
    }

    /// The name of the declared fact that it reads, if the host supplies it.
    pub fn host_fact(&self) -> Option<&SmolStr> {
        match self.arguments.first() {
            Some(Value::Text(name)) if self.fact.is_host() => Some(name),
            _ => None,
        }
    }

    /// The name of its fact as a policy writes it, without arguments.
    pub fn name(&self) -> SmolStr {
        self.host_fact().map_or(SmolStr::new_static(self.fact.name), |name| written_host_fact(name))
    }

    /// The rule that it is read in, if it depends on that.
    pub fn own_rule(&self) -> Option<&SmolStr> {
        self.fact.parameters.iter().zip(&self.arguments).find_map(|(parameter, value)| match (parameter.kind, value) {
            (ParameterKind::OwnRule, Value::Text(name)) => Some(name),
            _ => None,
        })
    }

    /// How far back it remembers. A fact without such a parameter remembers the run.
    pub fn scope(&self) -> Scope {
        self.fact.scope(&self.arguments).unwrap_or_default()
    }

    /// Whether it has an argument that is not left out.
    pub fn has_arguments(&self) -> bool {
        self.fact.parameters.iter().zip(&self.arguments).any(|(parameter, value)| !parameter.is_omitted(value))
    }

    /// The rules that its arguments name.
    pub fn rules(&self) -> impl Iterator<Item = &SmolStr> {
        self.fact.parameters.iter().zip(&self.arguments).filter_map(|(parameter, value)| {
            match (parameter.kind, value) {
                (ParameterKind::Rule, Value::Text(name)) => Some(name),
                _ => None,
            }
        })
    }
}
