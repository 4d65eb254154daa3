//! Models: context windows, prices, and token counters.
//!
//! [`find`] looks up a model id, in any of the spellings that people, hosts and recordings use, in an embedded table.
//! [`TokenCounter`] counts tokens, by the classes of bytes or with a published [`Tokenizer`], and [`Calibration`] fits
//! those counts to recorded usage. The module sends no requests to providers and does not depend on policies or
//! transcripts.

mod caching;
mod calibration;
mod family;
mod id;
mod measured;
mod models;
mod prices;
mod table;
mod token_counter;
mod tokenizer;

use std::cell::RefCell;

use smol_str::SmolStr;

pub use caching::{CACHING_RULES, Caching, CachingRule, Lookup, MissRate};
pub use calibration::{Calibration, ContextSize, Overhead};
pub use family::{FAMILIES, Family, factor_of, family_of};
pub use measured::{MeasuredCounter, Measures};
pub use models::{ModelChanges, Models, Surcharge};
pub use prices::{FormerPrices, LongPrices, PriceList, Prices, ServiceFactors};
pub use token_counter::TokenCounter;
pub use tokenizer::{Tokenizer, TokenizerError};

/// The window and the prices of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The id in the table.
    pub id: SmolStr,
    /// The maximum input tokens of a call without an opt-in to a longer window. If input and output share one window, this
    /// is the whole window; if a part is reserved for output, this is the rest.
    pub window: u64,
    /// The window that a request can opt into, if it is larger than [`Model::window`].
    pub long_window: Option<u64>,
    /// The maximum output tokens of a call, if known.
    pub max_output: Option<u64>,
    /// The list prices, if known.
    pub prices: Option<PriceList>,
    /// The model family, such as `claude`.
    pub family: SmolStr,
    /// How the provider caches prompts, or `None` if it does not, or if nothing is known about it.
    pub caching: Option<Caching>,
    /// Whether the reasoning in a request is bound to everything before it, so that the provider drops or refuses it after
    /// an edit of an earlier message.
    pub binds_reasoning: bool,
    /// The tokenizer, if its vendor has published it.
    pub tokenizer: Option<&'static str>,
}

/// The published tokenizers of models in the table.
pub static TOKENIZERS: [&str; 2] = ["cl100k", "o200k"];

/// The window of an id with the suffix `[1m]`, if the table has no long window for the model.
const LONG_WINDOW: u64 = 1_000_000;

thread_local! {
    /// The id that was looked up last, and its model. A replay looks up the model of its recording several times.
    static NEWEST: RefCell<Option<(SmolStr, Option<Model>)>> = const { RefCell::new(None) };
}

/// Finds the model with this id: as written, then without the prefixes and suffixes of hosts, dates and modes. The suffix
/// `[1m]` selects the long window. Variants with prices of their own, such as `:free`, have no prices, but for `-fast`
/// where the provider has a fast mode.
pub fn find(id: &str) -> Option<Model> {
    NEWEST.with_borrow_mut(|newest| match newest {
        Some((last_id, model)) if last_id == id => model.clone(),
        _ => {
            let model = find_in(id, table::find);
            *newest = Some((id.into(), model.clone()));
            model
        }
    })
}

/// Finds the model with this id as [`find`] does, with another lookup of normalised ids.
fn find_in(id: &str, lookup: impl Fn(&str) -> Option<Model>) -> Option<Model> {
    let (id, is_long) = id::strip_long_suffix(id.trim());
    let id::Resolved { found: mut model, is_variant } = id::resolve(id, lookup)?;
    if is_variant {
        // A host's id with the suffix is the model in the fast mode of its provider, if that has one.
        let is_fast = id.to_ascii_lowercase().ends_with("-fast");
        model.prices = model.prices.filter(|_| is_fast).and_then(PriceList::in_fast_mode);
    }
    if is_long {
        model.window = model.window.max(model.long_window.unwrap_or(LONG_WINDOW));
    }
    Some(model)
}

/// Returns whether an id has the suffix `[1m]`, which selects the long window.
pub fn has_long_suffix(id: &str) -> bool {
    id::strip_long_suffix(id.trim()).1
}

/// Returns the id in the table that is the most similar to an unknown id, for suggestions.
pub fn nearest(id: &str) -> Option<SmolStr> {
    let (id, _) = id::strip_long_suffix(id.trim());
    id::nearest(id, table::ids()).map(SmolStr::new_static)
}

/// Returns all models in the table, sorted by id.
pub fn all() -> impl Iterator<Item = Model> {
    table::all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(id: &str) -> Option<u64> {
        find(id).map(|model| model.window)
    }

    #[test]
    fn the_long_window_suffix_selects_the_long_window() {
        assert_eq!(window("claude-sonnet-4-20250514"), Some(200_000));
        assert_eq!(window("claude-sonnet-4-20250514[1m]"), Some(1_000_000));
        assert_eq!(window("claude-sonnet-4[1M]"), Some(1_000_000));
        assert_eq!(window("claude-opus-4-6[1m]"), Some(1_000_000));
        assert!(has_long_suffix("claude-opus-4-6[1m] ") && !has_long_suffix("claude-opus-4-6"));
    }

    #[test]
    fn a_model_with_an_opt_in_window_has_the_standard_window_by_default() {
        for id in ["claude-sonnet-4", "claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-4-6"] {
            let model = find(id).expect("a row");
            assert_eq!((model.window, model.long_window), (200_000, Some(1_000_000)), "{id}");
        }
        assert_eq!(find("claude-opus-4-7").map(|model| (model.window, model.long_window)), Some((1_000_000, None)));
    }

    #[test]
    fn ids_in_the_spellings_of_hosts_and_recordings_are_found() {
        let cases = [
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
            ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
            ("anthropic:claude-3-5-sonnet-latest", "claude-3-5-sonnet"),
            ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
            ("claude-3-5-sonnet-20240620", "claude-3-5-sonnet-20240620"),
            ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet"),
            ("bedrock/eu.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
            ("vertex_ai/claude-3-5-haiku@20241022", "claude-3-5-haiku"),
            ("claude-sonnet-4-0", "claude-sonnet-4"),
            ("claude-4-sonnet", "claude-sonnet-4"),
            ("claude-4.5-haiku", "claude-haiku-4-5"),
            ("claude-sonnet-3.7", "claude-3-7-sonnet"),
            ("openrouter/anthropic/claude-3.7-sonnet:thinking", "claude-3-7-sonnet"),
            ("litellm_proxy/claude-sonnet-4-20250514", "claude-sonnet-4"),
            ("openai/gpt-4o", "gpt-4o"),
            ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
            ("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"),
            ("gpt-5.2-codex-xhigh", "gpt-5.2-codex"),
            ("o3-2025-04-16", "o3"),
            ("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
            ("models/gemini-2.5-flash", "gemini-2.5-flash"),
            ("gemini-2-5-pro", "gemini-2.5-pro"),
            ("grok-4-0709", "grok-4"),
            ("xai/grok-4-fast-non-reasoning", "grok-4-fast"),
            ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b-instruct"),
            ("meta-llama/llama-4-maverick", "llama-4-maverick"),
            ("moonshotai/kimi-k2-instruct", "kimi-k2"),
            ("qwen/qwen3-coder:free", "qwen3-coder"),
            ("zai-org/GLM-4.6", "glm-4.6"),
            (" GPT-5 ", "gpt-5"),
        ];
        for (id, expected) in cases {
            assert_eq!(find(id).map(|model| model.id).as_deref(), Some(expected), "{id}");
        }
    }

    #[test]
    fn unknown_ids_are_not_found() {
        for id in ["", " ", "/", "[1m]", "<synthetic>", "default", "gpt", "latest", "-", "0", "# id", "claude", "é-0"]
        {
            assert_eq!(find(id), None, "{id:?}");
        }
        assert_eq!(find(&"-0".repeat(1_000_000)), None);
    }

    #[test]
    fn the_nearest_id_is_suggested_for_a_typo() {
        assert_eq!(nearest("claude-sonet-4-5").as_deref(), Some("claude-sonnet-4-5"));
        assert_eq!(nearest("gtp-4o").as_deref(), Some("gpt-4o"));
        assert_eq!(nearest("openai/gpt-4o-mni").as_deref(), Some("gpt-4o-mini"));
        assert_eq!(nearest("my-own-finetune"), None);
        assert_eq!(nearest(""), None);
    }
}
