//! Families of models: what the counter `estimate` must be multiplied by for their tokenizer.
//!
//! In: the id of a model. Out: the usual factor of its family. It does not know the table's rows by themselves.

use rust_decimal::Decimal;

/// A line of models whose tokenizer is known to differ from the estimate, or known not to.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name in the table, and the word in ids that the table does not hold.
    pub name: &'static str,
    /// Tokens of its tokenizer for an estimated one, in thousandths.
    milli: i64,
    /// Where the factor comes from.
    pub source: &'static str,
}

/// Every family with a factor of its own.
pub static FAMILIES: [Family; 2] = [
    Family {
        name: "claude",
        milli: 1200,
        source: "recorded Claude Code sessions: what each call added to the usage, for an estimated token",
    },
    Family { name: "gpt", milli: 1000, source: "the estimate is fitted to OpenAI's tokenizer `o200k`" },
];

impl Family {
    /// Tokens of its tokenizer for an estimated one.
    pub fn factor(&self) -> Decimal {
        Decimal::new(self.milli, 3).normalize()
    }
}

/// The usual factor between the estimate and the tokenizer of a model: 1 for other families.
pub fn factor(id: &str) -> Decimal {
    let known = super::find(id).map(|model| model.family);
    let id = id.to_ascii_lowercase();
    let named = |family: &&Family| known.map_or_else(|| id.contains(family.name), |known| known == family.name);
    FAMILIES.iter().find(named).map_or(Decimal::ONE, Family::factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_gives_the_factor_also_for_ids_that_the_table_does_not_hold() {
        for (id, milli) in [
            ("claude-sonnet-4-5", 1200),
            ("us.anthropic.claude-opus-4-1-20250805-v1:0", 1200),
            ("Claude-Next-9", 1200),
            ("gpt-5", 1000),
            ("gemini-2.5-pro", 1000),
            ("my-own", 1000),
            ("", 1000),
        ] {
            assert_eq!(factor(id), Decimal::new(milli, 3), "{id}");
        }
    }

    #[test]
    fn every_family_has_models_in_the_table() {
        for family in &FAMILIES {
            assert!(super::super::all().any(|model| model.family == family.name), "{}", family.name);
        }
    }
}
