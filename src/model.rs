//! Models: their context windows and prices, and a token counter that needs no tokenizer.
//!
//! In: model ids as people, hosts and recordings write them; texts to count. Out: a row of the embedded table, the
//! default window of a kind of provider, estimated token counts, and their calibration on recorded counts.
//! It does not know policies or transcripts, and asks no provider.

mod calibration;
mod estimate;
mod family;
mod id;
mod table;

use rust_decimal::Decimal;

pub use calibration::{Calibration, LEAST_POINTS, Overhead};
pub use estimate::Estimate;
pub use family::{FAMILIES, Family, factor};

/// What a model is known to hold and cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Its id in the table.
    pub id: &'static str,
    /// The most input tokens of a call, unless it opts into a longer window. Where the provider shares one window between
    /// input and output, all of it; where it sets a part aside for output, what is left.
    pub window: u64,
    /// The window that a request may opt into, where it is larger than [`Model::window`].
    pub long_window: Option<u64>,
    /// The most output tokens of a call, where known.
    pub max_output: Option<u64>,
    /// List prices, where known; without surcharges for long inputs, regions or speed.
    pub prices: Option<Prices>,
    /// The line of models that it belongs to, such as `claude`.
    pub family: &'static str,
}

/// Prices in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// Input that the prompt cache neither held nor took in.
    pub input: Decimal,
    /// Input written to the prompt cache, for the provider's shortest time to live.
    pub cache_write: Decimal,
    /// Input read from the prompt cache.
    pub cache_read: Decimal,
    /// Output.
    pub output: Decimal,
}

/// The window that the marker `[1m]` behind an id stands for, where the table has none.
const LONG_WINDOW: u64 = 1_000_000;

/// The model that an id names: the id as it stands first, then without the marks of hosts, dates and modes. A marker
/// `[1m]` behind the id opts into the long window.
pub fn find(id: &str) -> Option<Model> {
    let (id, is_long) = id::unmark_long(id.trim());
    let mut model = id::resolve(id, table::find)?;
    if is_long {
        model.window = model.window.max(model.long_window.unwrap_or(LONG_WINDOW));
    }
    Some(model)
}

/// Whether an id ends with the marker `[1m]`, which opts into the long window.
pub fn is_marked_long(id: &str) -> bool {
    id::unmark_long(id.trim()).1
}

/// The id in the table that an unknown id is most likely meant to be.
pub fn nearest(id: &str) -> Option<&'static str> {
    let (id, _) = id::unmark_long(id.trim());
    id::nearest(id, all().map(|model| model.id))
}

/// Every model of the table, by id.
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
    fn a_marker_for_the_long_window_widens_it() {
        assert_eq!(window("claude-sonnet-4-20250514"), Some(200_000));
        assert_eq!(window("claude-sonnet-4-20250514[1m]"), Some(1_000_000));
        assert_eq!(window("claude-sonnet-4[1M]"), Some(1_000_000));
        assert_eq!(window("claude-opus-4-6[1m]"), Some(1_000_000));
        assert!(is_marked_long("claude-opus-4-6[1m] ") && !is_marked_long("claude-opus-4-6"));
    }

    #[test]
    fn models_with_an_opt_in_window_have_the_standard_one_first() {
        for id in ["claude-sonnet-4", "claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-4-6"] {
            let model = find(id).expect("a row");
            assert_eq!((model.window, model.long_window), (200_000, Some(1_000_000)), "{id}");
        }
        assert_eq!(find("claude-opus-4-7").map(|model| (model.window, model.long_window)), Some((1_000_000, None)));
    }

    #[test]
    fn ids_of_hosts_and_recordings_find_their_model() {
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
            assert_eq!(find(id).map(|model| model.id), Some(expected), "{id}");
        }
    }

    #[test]
    fn ids_that_name_no_known_model_are_unknown() {
        for id in ["", " ", "/", "[1m]", "<synthetic>", "default", "gpt", "latest", "-", "0", "# id", "claude", "é-0"]
        {
            assert_eq!(find(id), None, "{id:?}");
        }
        assert_eq!(find(&"-0".repeat(1_000_000)), None);
    }

    #[test]
    fn a_slip_of_the_pen_is_understood() {
        assert_eq!(nearest("claude-sonet-4-5"), Some("claude-sonnet-4-5"));
        assert_eq!(nearest("gtp-4o"), Some("gpt-4o"));
        assert_eq!(nearest("openai/gpt-4o-mni"), Some("gpt-4o-mini"));
        assert_eq!(nearest("my-own-finetune"), None);
        assert_eq!(nearest(""), None);
    }
}
