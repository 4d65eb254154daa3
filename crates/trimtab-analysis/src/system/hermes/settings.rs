//! The options of hermes-agent.

use crate::system::kind::Kind;
use crate::system::setting::{DefaultValue, Setting};

/// The tokens at which it is compressed at the earliest, and those of the smallest window: `MINIMUM_CONTEXT_LENGTH` of
/// `agent/model_metadata.py`.
pub(super) const LEAST_TOKENS: u64 = 64_000;

pub(super) static WINDOW: Setting = Setting {
    key: "model.context_length",
    kind: Kind::Whole("tokens", LEAST_TOKENS, u64::MAX),
    default: DefaultValue::Computed("the window of the model"),
    aliases: &[],
    about: "The window of the model. With less than 64,000 tokens, hermes-agent does not start.",
};

pub(super) static ENABLED: Setting = Setting {
    key: "compression.enabled",
    kind: Kind::Flag,
    default: DefaultValue::Flag(true),
    aliases: &[],
    about: "Whether the conversation is compressed.",
};

pub(super) static THRESHOLD: Setting = Setting {
    key: "compression.threshold",
    kind: Kind::Share,
    default: DefaultValue::Share("0.5"),
    aliases: &[],
    about: "The share of the window at which it is compressed. In a window of less than 512,000 tokens it is at least 75%.",
};

pub(super) static CAP: Setting = Setting {
    key: "compression.threshold_tokens",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of tokens at which it is compressed, if they are fewer than that share.",
};

pub(super) static TARGET: Setting = Setting {
    key: "compression.target_ratio",
    kind: Kind::Share,
    default: DefaultValue::Share("0.2"),
    aliases: &[],
    about: "The share of the threshold that the newest messages may have, from 10% to 80%.",
};

pub(super) static MODE: Setting = Setting {
    key: "compression.tail_mode",
    kind: Kind::Word(&["legacy", "lean"]),
    default: DefaultValue::Word("legacy"),
    aliases: &[],
    about: "Whether `target_ratio` gives the size of the newest messages, or 2.5% of the window, from 10,000 to 25,000 tokens.",
};

pub(super) static FIRST: Setting = Setting {
    key: "compression.protect_first_n",
    kind: Kind::Whole("messages", 0, u64::MAX),
    default: DefaultValue::Whole(3),
    aliases: &[],
    about: "The number of first messages that the first compression keeps.",
};

pub(super) static LAST: Setting = Setting {
    key: "compression.protect_last_n",
    kind: Kind::Whole("messages", 0, u64::MAX),
    default: DefaultValue::Whole(20),
    aliases: &[],
    about: "The minimum number of newest messages that are kept; more than 8 count as 8.",
};

pub(super) static ABORT: Setting = Setting {
    key: "compression.abort_on_summary_failure",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Whether the run ends when no summary can be written; otherwise the messages are dropped.",
};

pub(super) static IDLE: Setting = Setting {
    key: "compression.idle_compact_after_seconds",
    kind: Kind::Whole("seconds", 0, u64::MAX),
    default: DefaultValue::Whole(0),
    aliases: &[],
    about: "The pause after which a session is compressed before it goes on; 0 turns this off.",
};

pub(super) static PRUNE: Setting = Setting {
    key: "compression.proactive_prune_tokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Whole(0),
    aliases: &[],
    about: "The number of tokens above which old results are shortened without a model; 0 turns this off.",
};

pub(super) static LONG: Setting = Setting {
    key: "compression.proactive_prune_min_result_chars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    default: DefaultValue::Whole(8_000),
    aliases: &[],
    about: "The number of characters above which an old result is shortened.",
};

pub(super) static LEAST: Setting = Setting {
    key: "compression.proactive_prune_min_reclaim_tokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Whole(4_096),
    aliases: &[],
    about: "The minimum number of tokens that this shortening frees.",
};
