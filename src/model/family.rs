//! Model families: the factors between the counter `estimate` and their tokenizers, and what becomes of reasoning.

use rust_decimal::Decimal;

use super::Model;

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

/// Returns the factor of a model in the table.
pub fn factor_of(model: &Model) -> Decimal {
    factor_if_listed(&model.id, Some(model))
}

/// Returns the factor of a model that has been looked up.
pub(super) fn factor_if_listed(id: &str, listed: Option<&Model>) -> Decimal {
    let id = id.to_ascii_lowercase();
    let is_member =
        |family: &&Family| listed.map_or_else(|| id.contains(family.name), |model| model.family == family.name);
    FAMILIES.iter().find(is_member).map_or(Decimal::ONE, Family::factor)
}

/// The Claude models that do not see the reasoning of earlier turns: later ones keep it. Source: Anthropic's page on extended
/// thinking, November 2026, and recorded sessions.
const CLAUDE_DROPS_REASONING: [&str; 6] = [
    "claude-3-7-sonnet",
    "claude-haiku-4-5",
    "claude-opus-4",
    "claude-opus-4-1",
    "claude-sonnet-4",
    "claude-sonnet-4-5",
];

/// Returns whether the provider of a model drops the reasoning of earlier turns when a person writes. The models of OpenAI
/// do, but for those that bind reasoning to its prefix.
pub(super) fn drops_reasoning(model: &Model) -> bool {
    match model.family.as_str() {
        "gpt" => !model.binds_reasoning,
        _ => CLAUDE_DROPS_REASONING.contains(&model.id.as_str()),
    }
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
            assert_eq!(factor_if_listed(id, super::super::find(id).as_ref()), Decimal::new(milli, 3), "{id}");
        }
    }

    #[test]
    fn later_claude_models_keep_reasoning() {
        let drops_reasoning = |id: &str| super::super::Models::default().drops_reasoning(id);
        for id in ["claude-sonnet-4-20250514", "claude-opus-4-1", "claude-haiku-4-5", "gpt-5.5"] {
            assert!(drops_reasoning(id), "{id}");
        }
        for id in ["claude-opus-4-5", "claude-sonnet-4-6", "gemini-2.5-pro", "my-own"] {
            assert!(!drops_reasoning(id), "{id}");
        }
    }

    #[test]
    fn every_family_has_models_in_the_table() {
        for family in &FAMILIES {
            assert!(super::super::all().any(|model| model.family == family.name), "{}", family.name);
        }
    }
}
