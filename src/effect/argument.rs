//! The arguments that an effect gets when its rule is due.

use smol_str::SmolStr;

use crate::conversation::Keep;
use crate::quantity::{Counted, Decimal, Quantity, Unit};

/// A text whose facts are filled in; the effect's own names are still open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Own(SmolStr),
}

impl Template {
    /// Adds literal text.
    pub fn literal(&mut self, text: impl Into<String>) {
        self.pieces.push(Piece::Literal(text.into()));
    }

    /// Adds a place for one of the effect's own names.
    pub fn own(&mut self, name: impl Into<SmolStr>) {
        self.pieces.push(Piece::Own(name.into()));
    }

    /// Whether filling it in gives a text at least as long as filling in another one of the same pieces: in characters,
    /// and in characters of JSON.
    fn is_as_long_as(&self, other: &Self) -> bool {
        let own = |template: &Self| template.own_names().cloned().collect::<Vec<_>>();
        let (chars, escaped) = self.length();
        let (others, other_escaped) = other.length();
        own(self) == own(other) && chars >= others && escaped >= other_escaped
    }

    fn own_names(&self) -> impl Iterator<Item = &SmolStr> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Own(name) => Some(name),
            Piece::Literal(_) => None,
        })
    }

    /// The length of its literal text in characters, and in characters of JSON.
    fn length(&self) -> (usize, usize) {
        let literal = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(text) => Some(text.as_str()),
            Piece::Own(_) => None,
        });
        literal.fold((0, 0), |(chars, escaped), text| {
            let json = serde_json::Value::from(text).to_string();
            (chars + text.chars().count(), escaped + json.chars().count())
        })
    }

    /// The text, own names filled in; one that is not in the list becomes empty.
    pub fn fill(&self, names: &[(&str, &str)]) -> String {
        let value = |name: &str| names.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value);
        let piece = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Own(name) => value(name).to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }
}

/// One argument; in a policy its text still has places for facts.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<T = Template> {
    /// A number with its unit.
    Quantity(Quantity),
    /// A word.
    Word(SmolStr),
    /// Several names.
    Names(Vec<SmolStr>),
    /// A text.
    Text(T),
}

impl<T> Argument<T> {
    /// Its number, when it is one.
    pub const fn quantity(&self) -> Option<Quantity> {
        match self {
            Self::Quantity(quantity) => Some(*quantity),
            _ => None,
        }
    }

    /// Its word, when it is one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Its names, when it has some.
    pub fn names(&self) -> Option<&[SmolStr]> {
        match self {
            Self::Names(names) => Some(names),
            _ => None,
        }
    }

    /// Its text, when it is one.
    pub const fn text(&self) -> Option<&T> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The subject and the labels of an effect, with what the policy gives them or their fallbacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// The target word; empty for effects without one.
    pub target: SmolStr,
    /// The text behind the effect's name, for effects that take one.
    pub text: Option<Template>,
    /// The labels that have a value.
    pub labels: Vec<(&'static str, Argument)>,
}

impl Arguments {
    /// Whether they are the same but for texts, of which each is at least as long as the other's.
    pub fn is_as_long_as(&self, other: &Self) -> bool {
        let same = |(one, other): (&(&str, Argument), &(&str, Argument))| match (&one.1, &other.1) {
            _ if one == other => true,
            (Argument::Text(text), Argument::Text(shorter)) => one.0 == other.0 && text.is_as_long_as(shorter),
            _ => false,
        };
        let labels = self.labels.len() == other.labels.len() && self.labels.iter().zip(&other.labels).all(same);
        self.target == other.target && self.text == other.text && labels
    }

    /// The value of a label.
    pub fn get(&self, label: &str) -> Option<&Argument> {
        self.labels.iter().find(|(name, _)| *name == label).map(|(_, argument)| argument)
    }

    /// A label's number with its unit.
    pub fn quantity(&self, label: &str) -> Option<Quantity> {
        self.get(label)?.quantity()
    }

    /// A label's number as a whole one; 0 when there is none.
    pub fn count(&self, label: &str) -> usize {
        self.quantity(label).map_or(0, |quantity| usize::try_from(quantity.to_u64()).unwrap_or(usize::MAX))
    }

    /// A label's share.
    pub fn share(&self, label: &str) -> Option<Decimal> {
        self.quantity(label).filter(|quantity| quantity.unit == Unit::Share).map(|quantity| quantity.amount)
    }

    /// A label's word.
    pub fn word(&self, label: &str) -> Option<&str> {
        self.get(label)?.word()
    }

    /// A label's names; none when it is absent.
    pub fn names(&self, label: &str) -> Option<&[SmolStr]> {
        self.get(label)?.names()
    }

    /// A label's text.
    pub fn template(&self, label: &str) -> Option<&Template> {
        self.get(label)?.text()
    }

    /// The effect's own text, own names left empty.
    pub fn own_text(&self) -> String {
        self.text.as_ref().map(|text| text.fill(&[])).unwrap_or_default()
    }

    /// How much of the tail the label `keep` keeps; nothing when it is absent.
    pub fn keep(&self) -> Keep {
        let count = self.count("keep");
        match self.quantity("keep").map(|quantity| quantity.unit) {
            Some(Unit::Counted(Counted::Results)) => Keep::Results(count),
            Some(Unit::Counted(Counted::Interactions)) => Keep::Interactions(count),
            _ => Keep::Messages(count),
        }
    }
}
