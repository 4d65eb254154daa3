//! Model families and the factors between the counter `estimate` and their tokenizers.

use rust_decimal::Decimal;

/// A model family with a measured factor.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name in the table, which also identifies the family in ids that the table does not list.
    pub name: &'static str,
    /// The tokens of its tokenizer per estimated token, in thousandths.
    milli: i64,
    /// The source of the factor.
    pub source: &'static str,
}

/// Every family with a measured factor.
pub static FAMILIES: [Family; 2] = [
    Family {
        name: "claude",
        milli: 1200,
        source: "recorded Claude Code sessions: what each call added to the usage, for an estimated token",
    },
    Family { name: "gpt", milli: 1000, source: "the estimate is fitted to OpenAI's tokenizer `o200k`" },
];

impl Family {
    /// The tokens of its tokenizer per estimated token.
    pub fn factor(&self) -> Decimal {
        Decimal::new(self.milli, 3).normalize()
    }
}

/// Returns the factor between the estimate and the tokenizer of a model: that of its family, or 1.
pub fn factor(id: &str) -> Decimal {
    let listed = super::find(id).map(|model| model.family);
    let id = id.to_ascii_lowercase();
    let is_member = |family: &&Family| listed.map_or_else(|| id.contains(family.name), |name| name == family.name);
    FAMILIES.iter().find(is_member).map_or(Decimal::ONE, Family::factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlisted_ids_get_the_factor_of_their_family() {
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
