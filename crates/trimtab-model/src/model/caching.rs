//! The rules by which providers cache prompts.
//!
//! A provider keeps the beginning of a request for a while. A later request with the same beginning reads it instead of
//! processing it again.

use super::Prices;

/// How a provider caches the prompts of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caching {
    /// Which earlier prefixes a request can read.
    pub lookup: Lookup,
    /// The least number of tokens of a prefix that is cached.
    pub minimum: u64,
    /// The number of tokens by which a cached prefix grows.
    pub step: u64,
    /// How long an unused prefix is kept at least, in seconds.
    pub lifetime: u64,
    /// Whether writing to the cache costs more than uncached input, so that usage counts it apart.
    pub counts_writes: bool,
}

/// Which earlier prefixes a request can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The longest common prefix with an earlier request.
    LongestPrefix,
    /// A prefix that ends at a breakpoint of an earlier request, if that is at most this many content blocks before a
    /// breakpoint of this one. Agents place breakpoints after the system prompt and at the end of the request.
    Breakpoints {
        /// The number of blocks.
        blocks: usize,
    },
}

/// The rule of a model family.
#[derive(Clone, Copy, Debug)]
pub struct CachingRule {
    /// The family, as in the table of models.
    pub family: &'static str,
    /// The rule for models without values of their own.
    pub caching: Caching,
    /// The cost of unexplained misses, relative to the costs by the rule.
    pub misses: MissRate,
    /// The source of the rule.
    pub source: &'static str,
}

/// The cost of unexplained cache misses, relative to the cost of calls by the caching rule of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissRate {
    /// The additional cost in thousandths.
    pub thousandths: i64,
    /// The source of the figure.
    pub source: &'static str,
}

impl MissRate {
    /// The rate of Anthropic.
    pub const CLAUDE: Self =
        Self { thousandths: 90, source: "recorded costs, compared with the published rules: 8 to 9% more" };
    /// The rate of OpenAI.
    pub const OPENAI: Self =
        Self { thousandths: 270, source: "recorded costs, compared with the published rules: 11 to 27% more" };
    /// The rate of other providers.
    pub const OTHER: Self = Self { source: "as for OpenAI, whose cache is automatic too", ..Self::OPENAI };

    /// The rate of a model family, or [`MissRate::OTHER`] if the family has no rule.
    pub fn of_family(family: Option<&str>) -> Self {
        let rule = CACHING_RULES.iter().find(|rule| Some(rule.family) == family);
        rule.map_or(Self::OTHER, |rule| rule.misses)
    }
}

/// The rule where a provider has published none: the longest prefix is read for some minutes.
const AUTOMATIC: Caching =
    Caching { lookup: Lookup::LongestPrefix, minimum: 1024, step: 1, lifetime: 300, counts_writes: false };

impl Caching {
    /// An hour, the longer of the two times for which Anthropic keeps a prefix, in seconds.
    pub const HOUR: u64 = 3600;

    /// The rule for a model about which nothing is known but that its provider caches, and whether it counts writes.
    pub const fn unknown(counts_writes: bool) -> Self {
        Self { counts_writes, ..AUTOMATIC }
    }
}

/// The rules of all families that are known to cache prompts.
pub static CACHING_RULES: [CachingRule; 8] = [
    CachingRule {
        family: "claude",
        caching: Caching { lookup: Lookup::Breakpoints { blocks: 20 }, counts_writes: true, ..AUTOMATIC },
        misses: MissRate::CLAUDE,
        source: "Anthropic's page on prompt caching, November 2026: breakpoints, 20 blocks of lookback, 5 minutes from \
                 the last use",
    },
    CachingRule {
        family: "deepseek",
        caching: Caching { minimum: 64, step: 64, lifetime: 3600, ..AUTOMATIC },
        misses: MissRate::OTHER,
        source: "DeepSeek's page on context caching: units of 64 tokens, kept for hours",
    },
    CachingRule {
        family: "gemini",
        caching: Caching { minimum: 4096, ..AUTOMATIC },
        misses: MissRate::OTHER,
        source: "Google's page on implicit caching, October 2026: the least size by model; the lifetime is not published",
    },
    CachingRule {
        family: "glm",
        caching: AUTOMATIC,
        misses: MissRate::OTHER,
        source: "not published; common prefixes are billed as cached input",
    },
    CachingRule {
        family: "gpt",
        caching: Caching { step: 128, ..AUTOMATIC },
        misses: MissRate::OPENAI,
        source: "OpenAI's page on prompt caching, November 2026: 1,024 tokens and steps of 128, kept for 5 to 10 minutes, \
                 for 30 minutes from GPT-5.6 on",
    },
    CachingRule {
        family: "grok",
        caching: AUTOMATIC,
        misses: MissRate::OTHER,
        source: "not published; common prefixes are billed as cached input",
    },
    CachingRule {
        family: "kimi",
        caching: AUTOMATIC,
        misses: MissRate::OTHER,
        source: "not published; common prefixes are billed as cached input",
    },
    CachingRule {
        family: "qwen",
        caching: AUTOMATIC,
        misses: MissRate::OTHER,
        source: "not published; common prefixes are billed as cached input",
    },
];

/// The columns of the table of models that determine the caching of a model.
pub(super) struct Columns<'a> {
    pub(super) family: &'a str,
    pub(super) prices: Option<Prices>,
    pub(super) minimum: Option<u64>,
    pub(super) lifetime: Option<u64>,
}

/// The caching of a model: the rule of its family with its own values. Returns `None` if reading from the cache is not
/// cheaper.
pub(super) fn of(columns: &Columns<'_>) -> Option<Caching> {
    let rule = CACHING_RULES.iter().find(|rule| rule.family == columns.family)?;
    let prices = columns.prices?;
    (prices.cache_read < prices.input).then_some(Caching {
        minimum: columns.minimum.unwrap_or(rule.caching.minimum),
        lifetime: columns.lifetime.unwrap_or(rule.caching.lifetime),
        counts_writes: prices.cache_write > prices.input,
        ..rule.caching
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caching(id: &str) -> Option<Caching> {
        crate::model::find(id).and_then(|model| model.caching)
    }

    #[test]
    fn models_have_the_published_rules_of_their_providers() {
        let values = |id: &str| caching(id).map(|caching| (caching.minimum, caching.step, caching.lifetime));
        assert_eq!(values("claude-sonnet-4-5"), Some((1024, 1, 300)));
        assert_eq!(values("claude-opus-4-6"), Some((4096, 1, 300)));
        assert_eq!(values("gpt-5"), Some((1024, 128, 300)));
        assert_eq!(values("gpt-5.6"), Some((1024, 128, 1800)));
        assert_eq!(values("gemini-2.5-pro"), Some((2048, 1, 300)));
    }

    #[test]
    fn writing_is_counted_where_it_costs_more() {
        let counts = |id: &str| caching(id).map(|caching| caching.counts_writes);
        assert_eq!(counts("claude-sonnet-4-5"), Some(true));
        assert_eq!(counts("gpt-5"), Some(false));
        assert_eq!(counts("gpt-5.6"), Some(true));
    }

    #[test]
    fn a_model_without_a_discount_for_cached_input_has_no_caching() {
        assert_eq!(caching("gpt-4"), None);
        assert_eq!(caching("my-own"), None);
    }

    #[test]
    fn a_family_without_a_rule_misses_like_other_providers() {
        let rate = |family: Option<&str>| MissRate::of_family(family).thousandths;
        assert_eq!([Some("claude"), Some("gpt"), Some("glm"), Some("llama"), None].map(rate), [90, 270, 270, 270, 270]);
    }

    #[test]
    fn every_rule_belongs_to_models_in_the_table() {
        for rule in &CACHING_RULES {
            assert!(crate::model::all().any(|model| model.family == rule.family), "{}", rule.family);
        }
        assert!(CACHING_RULES.is_sorted_by_key(|rule| rule.family));
    }
}
