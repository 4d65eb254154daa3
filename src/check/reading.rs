//! What a checked rule reads: its condition, guards and texts, in the order written.

use smol_str::SmolStr;

use super::policy::{Action, Condition, Failing, Guard, Piece, Reading, Rule, Template};
use crate::fact::ParameterKind;
use crate::quantity::Value;

impl Rule {
    /// Everything that it reads, each time that it does.
    pub fn readings(&self) -> Vec<&Reading> {
        let mut all = Vec::new();
        self.condition.readings(&mut all);
        for guard in &self.guards {
            match &guard.node {
                Guard::OncePer(reading) => all.push(reading),
                Guard::Until(condition) | Guard::OnceUntil(condition) => condition.readings(&mut all),
                Guard::Once | Guard::Every(_) | Guard::Cooldown(_) | Guard::Limit(_) => {}
            }
        }
        self.every_action().for_each(|action| action.readings(&mut all));
        all
    }

    /// What it does, and what it does when a summary fails.
    pub fn every_action(&self) -> impl Iterator<Item = &Action> {
        let instead = match &self.on_failure.then {
            Failing::Then(action) => Some(&**action),
            Failing::Keep | Failing::Stop | Failing::Ask => None,
        };
        self.actions.iter().chain(instead)
    }

    /// Whether it has this effect, a failed summary aside.
    pub fn does(&self, effect: &str) -> bool {
        self.actions.iter().any(|action| action.effect.name == effect)
    }
}

impl Condition {
    fn readings<'c>(&'c self, all: &mut Vec<&'c Reading>) {
        match self {
            Self::Constant(_) => {}
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.readings(all)),
            Self::Not(inner) => inner.readings(all),
            Self::Test(test) => all.push(&test.reading),
        }
    }
}

impl Action {
    fn readings<'c>(&'c self, all: &mut Vec<&'c Reading>) {
        let labels = self.labels.iter().filter_map(|label| label.argument.text());
        for text in self.text.iter().chain(labels) {
            all.extend(text.readings());
        }
    }
}

impl Template {
    fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Fact(reading) => Some(reading),
            Piece::Literal(_) | Piece::Own(_) => None,
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
