//! Model families: the factors between the counter `estimate` and their tokenizers, and what becomes of reasoning.

use rust_decimal::Decimal;

use super::Model;

/// A model family with a measured factor, or those of its models that share a tokenizer.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name in the table, which also identifies the family in ids that the table does not list.
    pub name: &'static str,
    /// Its models in words.
    pub models: &'static str,
    /// The ids of the models, or `None` for all models of the family that no earlier entry lists.
    ids: Option<&'static [&'static str]>,
    /// The tokens of its tokenizer per estimated token, in thousandths.
    milli: i64,
    /// The source of the factor.
    pub source: &'static str,
}

/// The Claude models before 4.7, where the tokenizer changed.
const EARLIER_CLAUDE: [&str; 15] = [
    "claude-3-5-haiku",
    "claude-3-5-sonnet",
    "claude-3-5-sonnet-20240620",
    "claude-3-7-sonnet",
    "claude-3-haiku",
    "claude-3-opus",
    "claude-3-sonnet",
    "claude-haiku-4-5",
    "claude-opus-4",
    "claude-opus-4-1",
    "claude-opus-4-5",
    "claude-opus-4-6",
    "claude-sonnet-4",
    "claude-sonnet-4-5",
    "claude-sonnet-4-6",
];

/// Every family with a measured factor. The first entry that has a model decides.
pub static FAMILIES: [Family; 3] = [
    Family {
        name: "claude",
        models: "Claude models before 4.7",
        ids: Some(&EARLIER_CLAUDE),
        milli: 1200,
        source: "recorded Claude Code sessions: what each call added to the usage, for an estimated token",
    },
    Family {
        name: "claude",
        models: "Claude models from 4.7 on",
        ids: None,
        milli: 1600,
        source: "the same in sessions of claude-opus-4-8 and claude-fable-5, which have another tokenizer",
    },
    Family {
        name: "gpt",
        models: "gpt",
        ids: None,
        milli: 1000,
        source: "the estimate is fitted to OpenAI's tokenizer `o200k`",
    },
];

impl Family {
    /// The tokens of its tokenizer per estimated token.
    pub fn factor(&self) -> Decimal {
        Decimal::new(self.milli, 3).normalize()
    }

    fn has_id(&self, id: &str) -> bool {
        self.ids.is_none_or(|ids| ids.contains(&id))
    }
}

/// Returns the family of a model of the table or of a project, if its factor is known.
pub fn family_of(model: &Model) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| model.family == family.name && family.has_id(&model.id))
}

/// Returns the factor of a model of the table or of a project.
pub fn factor_of(model: &Model) -> Decimal {
    family_of(model).map_or(Decimal::ONE, Family::factor)
}

/// Returns the factor of a model that has been looked up.
pub(super) fn factor_if_listed(id: &str, listed: Option<&Model>) -> Decimal {
    let id = id.to_ascii_lowercase();
    let unlisted = || {
        let family = FAMILIES.iter().find(|family| id.contains(family.name) && family.has_id(&id));
        family.map_or(Decimal::ONE, Family::factor)
    };
    listed.map_or_else(unlisted, factor_of)
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
            ("claude-opus-4-7", 1600),
            ("anthropic/claude-fable-5", 1600),
            ("Claude-Next-9", 1600),
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
            let is_own = |model: &Model| family_of(model).is_some_and(|own| std::ptr::eq(own, family));
            assert!(super::super::all().any(|model| is_own(&model)), "{}", family.models);
            let is_listed = |id: &&&str| super::super::find(id).is_some_and(|model| model.id == **id);
            assert!(family.ids.unwrap_or_default().iter().all(|id| is_listed(&id)), "{}", family.models);
        }
    }
}
