//! Filling in facts: from a rule's arguments to an effect's.

use super::condition::read;
use crate::check::{Action, Argument, Piece, Template};
use crate::effect;
use crate::fact::Moment;

/// The arguments of an action at this moment.
pub(super) fn arguments(action: &Action, moment: &Moment<'_>) -> effect::Arguments {
    let label = |(name, argument): &(&'static str, Argument)| {
        let argument = match argument {
            Argument::Quantity(quantity) => effect::Argument::Quantity(*quantity),
            Argument::Word(word) => effect::Argument::Word(word.clone()),
            Argument::Names(names) => effect::Argument::Names(names.clone()),
            Argument::Text(text) => effect::Argument::Text(template(text, moment)),
        };
        (*name, argument)
    };
    effect::Arguments {
        target: action.target.clone(),
        text: action.text.as_ref().map(|text| template(text, moment)),
        labels: action.labels.iter().map(label).collect(),
    }
}

fn template(text: &Template, moment: &Moment<'_>) -> effect::Template {
    let mut filled = effect::Template::default();
    for piece in &text.pieces {
        match piece {
            Piece::Literal(text) => filled.literal(text),
            Piece::Own(name) => filled.own(name.clone()),
            Piece::Fact(reading) => {
                let value = read(reading, moment);
                filled.literal(value.map_or_else(String::new, |value| value.spoken(reading.fact.ty)));
            }
        }
    }
    filled
}
