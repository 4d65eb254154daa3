//! Texts of effects. Facts are filled in each time a rule is tried; the effect's own variables when it runs.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::hook::FieldValue;

/// Where an effect finds one of its texts among the [`Texts`] of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSlot {
    index: usize,
    variables: Vec<SmolStr>,
}

impl TextSlot {
    /// The slot of this index, for a text that uses these variables of the effect.
    pub const fn new(index: usize, variables: Vec<SmolStr>) -> Self {
        Self { index, variables }
    }

    /// Whether the text uses a variable of the effect.
    pub fn uses(&self, variable: &str) -> bool {
        self.variables.iter().any(|name| name == variable)
    }
}

/// The texts of one use of an effect with their facts filled in, by slot, and its fields with their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    texts: Vec<FilledText>,
    fields: BTreeMap<String, FieldValue>,
}

impl Texts {
    /// The text of a slot, with the effect's variables replaced by these values.
    pub fn render(&self, slot: &TextSlot, variables: &[(&str, &str)]) -> String {
        self.texts.get(slot.index).map_or_else(String::new, |text| text.render(variables))
    }

    /// With these fields.
    #[must_use]
    pub fn with_fields(self, fields: BTreeMap<String, FieldValue>) -> Self {
        Self { fields, ..self }
    }

    /// The fields.
    pub const fn fields(&self) -> &BTreeMap<String, FieldValue> {
        &self.fields
    }

    /// Whether each text is at least as long as the same text of another step.
    pub fn are_as_long_as(&self, other: &Self) -> bool {
        self.texts.len() == other.texts.len()
            && self.texts.iter().zip(&other.texts).all(|(text, other)| text.is_as_long_as(other))
    }
}

impl FromIterator<FilledText> for Texts {
    fn from_iter<I: IntoIterator<Item = FilledText>>(texts: I) -> Self {
        Self { texts: texts.into_iter().collect(), fields: BTreeMap::new() }
    }
}

/// A text whose facts are filled in. The effect's variables are still open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilledText {
    pieces: Vec<FilledPiece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FilledPiece {
    Literal(String),
    Variable(SmolStr),
}

impl FilledText {
    /// Adds literal text.
    pub fn push_literal(&mut self, text: impl Into<String>) {
        self.pieces.push(FilledPiece::Literal(text.into()));
    }

    /// Adds one of the effect's variables.
    pub fn push_variable(&mut self, name: impl Into<SmolStr>) {
        self.pieces.push(FilledPiece::Variable(name.into()));
    }

    /// The text with these values of the variables; a variable without a value becomes empty.
    fn render(&self, variables: &[(&str, &str)]) -> String {
        let value =
            |name: &str| variables.iter().find(|(variable, _)| *variable == name).map_or("", |(_, value)| value);
        let piece = |piece: &FilledPiece| match piece {
            FilledPiece::Literal(text) => text.clone(),
            FilledPiece::Variable(name) => value(name).to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }

    /// Whether it renders to a text at least as long as another with the same variables: in characters, and in
    /// characters of JSON.
    fn is_as_long_as(&self, other: &Self) -> bool {
        let (chars, escaped) = self.literal_chars();
        let (other_chars, other_escaped) = other.literal_chars();
        self.variables().eq(other.variables()) && chars >= other_chars && escaped >= other_escaped
    }

    fn variables(&self) -> impl Iterator<Item = &SmolStr> {
        self.pieces.iter().filter_map(|piece| match piece {
            FilledPiece::Variable(name) => Some(name),
            FilledPiece::Literal(_) => None,
        })
    }

    /// The length of its literal text in characters, and in characters of JSON.
    fn literal_chars(&self) -> (usize, usize) {
        let literal = self.pieces.iter().filter_map(|piece| match piece {
            FilledPiece::Literal(text) => Some(text.as_str()),
            FilledPiece::Variable(_) => None,
        });
        literal.fold((0, 0), |(chars, escaped), text| {
            let json = serde_json::Value::from(text).to_string();
            (chars + text.chars().count(), escaped + json.chars().count())
        })
    }
}
