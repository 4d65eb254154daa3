//! Filling in facts: from a rule's arguments to an effect's.

use crate::check::{Action, Argument, Label, Piece, Template};
use crate::condition::read;
use crate::effect;
use crate::fact::Facts;

/// The arguments of an action at this moment.
pub(super) fn arguments(action: &Action, facts: &dyn Facts) -> effect::Arguments {
    let label = |label: &Label| {
        let argument = match &label.argument {
            Argument::Quantity(quantity) => effect::Argument::Quantity(*quantity),
            Argument::Word(word) => effect::Argument::Word(word.clone()),
            Argument::Names(names) => effect::Argument::Names(names.clone()),
            Argument::Text(text) => effect::Argument::Text(template(text, facts)),
        };
        (label.name, argument)
    };
    effect::Arguments {
        target: action.target.clone(),
        text: action.text.as_ref().map(|text| template(text, facts)),
        labels: action.labels.iter().map(label).collect(),
    }
}

fn template(text: &Template, facts: &dyn Facts) -> effect::Template {
    let mut filled = effect::Template::default();
    for piece in &text.pieces {
        match piece {
            Piece::Literal(text) => filled.literal(text),
            Piece::Own(name) => filled.own(name.clone()),
            Piece::Fact(reading) => {
                let value = read(reading, facts);
                filled.literal(value.map_or_else(String::new, |value| value.format_bare(reading.fact.ty)));
            }
        }
    }
    filled
}
