//! hermes-agent: `compression` in `config.yaml`.
//!
//! Options and defaults are those of its configuration guide at
//! <https://hermes-agent.nousresearch.com/docs/user-guide/configuration>. What stays is decided in `agent/context_compressor.py` of
//! <https://github.com/NousResearch/hermes-agent>.

use trimtab_base::quantity::{Decimal, Quantity, Unit, whole};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted};
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "hermes",
    title: "hermes-agent",
    file: "~/.hermes/config.yaml",
    syntax: Syntax::Yaml,
    version: "0.21.3",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &[".hermes/config.yaml"],
    schemas: &[],
    marks: &["compression", "terminal.backend", "auxiliary.compression"],
    sections: &[Section {
        path: "compression",
        others: Some(&[
            "summary_model",
            "summary_provider",
            "summary_base_url",
            "progress_notices",
            "in_place",
            "hygiene_hard_message_limit",
            "hygiene_timeout_seconds",
            "hygiene_total_ceiling_seconds",
            "hygiene_failure_cooldown_seconds",
            "context_timeout_seconds",
            "context_total_ceiling_seconds",
        ]),
        has_strings: false,
    }],
    settings: &[&ENABLED, &THRESHOLD, &CAP, &TARGET, &MODE, &FIRST, &LAST, &ABORT, &IDLE, &PRUNE, &LONG, &LEAST],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "threshold",
            summary: "Compresses at another share of the window.",
            alternatives: &[
                &[(&THRESHOLD, Amount::Share(70))],
                &[(&THRESHOLD, Amount::Share(35))],
                &[(&THRESHOLD, Amount::Share(20))],
            ],
        },
        Adjustment {
            name: "idle_compression",
            summary: "Compresses after a pause in which the cache has expired.",
            alternatives: &[&[(&IDLE, Amount::Whole(3_600))], &[(&IDLE, Amount::Whole(300))]],
        },
        Adjustment {
            name: "tail",
            summary: "Keeps fewer of the newest messages when it compresses.",
            alternatives: &[&[(&TARGET, Amount::Share(10))]],
        },
    ],
    recordings: &["hermes"],
    policy,
};

static ENABLED: Setting = Setting {
    key: "compression.enabled",
    kind: Kind::Flag,
    default: DefaultValue::Flag(true),
    aliases: &[],
    about: "Whether the conversation is compressed.",
};

static THRESHOLD: Setting = Setting {
    key: "compression.threshold",
    kind: Kind::Share,
    default: DefaultValue::Share("0.5"),
    aliases: &[],
    about: "The share of the window at which it is compressed.",
};

static CAP: Setting = Setting {
    key: "compression.threshold_tokens",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of tokens at which it is compressed, if they are fewer than that share.",
};

static TARGET: Setting = Setting {
    key: "compression.target_ratio",
    kind: Kind::Share,
    default: DefaultValue::Share("0.2"),
    aliases: &[],
    about: "The share of the threshold that the newest messages may have.",
};

static MODE: Setting = Setting {
    key: "compression.tail_mode",
    kind: Kind::Word(&["legacy", "lean"]),
    default: DefaultValue::Word("legacy"),
    aliases: &[],
    about: "Whether `target_ratio` gives the size of the newest messages, or 2.5% of the window, from 10,000 to 25,000 tokens.",
};

static FIRST: Setting = Setting {
    key: "compression.protect_first_n",
    kind: Kind::Whole("messages", 0, u64::MAX),
    default: DefaultValue::Whole(3),
    aliases: &[],
    about: "The number of first messages that are always kept.",
};

static LAST: Setting = Setting {
    key: "compression.protect_last_n",
    kind: Kind::Whole("messages", 0, u64::MAX),
    default: DefaultValue::Whole(20),
    aliases: &[],
    about: "The minimum number of newest messages that are kept; more than 8 count as 8.",
};

static ABORT: Setting = Setting {
    key: "compression.abort_on_summary_failure",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Whether the run ends when no summary can be written; otherwise the messages are dropped.",
};

static IDLE: Setting = Setting {
    key: "compression.idle_compact_after_seconds",
    kind: Kind::Whole("seconds", 0, u64::MAX),
    default: DefaultValue::Whole(0),
    aliases: &[],
    about: "The pause after which a session is compressed before it goes on; 0 turns this off.",
};

static PRUNE: Setting = Setting {
    key: "compression.proactive_prune_tokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Whole(0),
    aliases: &[],
    about: "The number of tokens above which old results are shortened without a model; 0 turns this off.",
};

static LONG: Setting = Setting {
    key: "compression.proactive_prune_min_result_chars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    default: DefaultValue::Whole(8_000),
    aliases: &[],
    about: "The number of characters above which an old result is shortened.",
};

static LEAST: Setting = Setting {
    key: "compression.proactive_prune_min_reclaim_tokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Whole(4_096),
    aliases: &[],
    about: "The minimum number of tokens that this shortening frees.",
};

/// The tokens that `tail_mode: lean` keeps of a window up to 400,000 tokens.
const LEAN_TAIL: u64 = 10_000;

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    if values.flag(&ENABLED) == Some(false) {
        draft.nothing(&ENABLED, "no rule compresses");
        return [&THRESHOLD, &CAP, &TARGET, &MODE, &FIRST, &LAST, &ABORT, &IDLE, &PRUNE, &LONG, &LEAST]
            .into_iter()
            .for_each(|setting| draft.nothing(setting, "compression is off"));
    }
    let share =
        draft.option_value(&THRESHOLD, Quantity::new(values.number(&THRESHOLD).unwrap_or_default(), Unit::Share));
    let cap = values.whole(&CAP).map(|cap| draft.option_value(&CAP, Quantity::whole(cap, Unit::Tokens)));
    let cap = cap.map(|cap| format!(" or context.tokens >= {cap}")).unwrap_or_default();
    let tail = tail(values, draft);
    let pin = match values.whole(&FIRST) {
        None | Some(0) => String::new(),
        Some(first) => format!(" pin first {}", draft.option_value(&FIRST, counted(first, "message"))),
    };
    let ends = values.flag(&ABORT) == Some(true);
    let failure = if ends { "stop".to_owned() } else { format!("then drop older keep {tail}{pin}") };
    let failure = draft.option_value(&ABORT, failure);
    draft.rule(
        "compress",
        "Summarises the middle of the conversation.",
        &[
            format!("when context.ratio >= {share}{cap}"),
            format!("do summarise older keep {tail}{pin}"),
            format!("on_failure {failure}"),
        ],
    );
    rows(values, draft);
    idle(values, draft, &format!("do summarise older keep {tail}{pin}"));
    prune(values, draft);
}

/// The newest part that stays. The walk from the end stops at one and a half times the size that is set.
fn tail(values: &Values<'_>, draft: &mut Draft<'_>) -> String {
    const BECAME: &str = "`keep` of rule `compress`";
    let exceeded = |size: Decimal| size * Decimal::new(15, 1);
    if values.text(&MODE).is_some_and(|mode| mode == "lean") {
        draft.approximate(&MODE, BECAME, "of a window above 400,000 tokens it keeps 2.5%");
        draft.nothing(&TARGET, "`tail_mode: lean` does not use it");
        return draft.option_value(&MODE, Quantity::new(exceeded(Decimal::from(LEAN_TAIL)), Unit::Tokens));
    }
    draft.nothing(&MODE, "");
    let target = exceeded(values.number(&TARGET).unwrap_or_default());
    let (tail, reason) = match values.whole(&CAP) {
        Some(cap) => (
            Quantity::whole(whole(target * Decimal::from(cap)), Unit::Tokens),
            "messages stay until they have one and a half times that share, as in the rule; in a window whose threshold is \
             below `threshold_tokens`, fewer stay",
        ),
        None => (
            // A tail that is larger than the window keeps everything.
            Quantity::new((target * values.number(&THRESHOLD).unwrap_or_default()).min(Decimal::ONE), Unit::Share),
            "messages stay until they have one and a half times that share, as in the rule; the last reply stays too, even \
             if it is older",
        ),
    };
    draft.approximate(&TARGET, BECAME, reason);
    draft.option_value(&TARGET, tail)
}

/// Shortens old results without a model. What stays is counted in messages.
fn prune(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(trigger) = values.positive(&PRUNE) else {
        for setting in [&PRUNE, &LONG, &LEAST] {
            draft.nothing(setting, "no rule shortens results");
        }
        return;
    };
    let trigger = draft.option_value(&PRUNE, Quantity::whole(trigger, Unit::Tokens));
    let long = draft.option_value(&LONG, Quantity::whole(values.whole(&LONG).unwrap_or_default(), Unit::Chars));
    let least = draft.option_value(&LEAST, Quantity::whole(values.whole(&LEAST).unwrap_or_default(), Unit::Tokens));
    let last = draft.option_value(&LAST, counted(values.whole(&LAST).unwrap_or_default(), "message"));
    draft.rule(
        "proactive_prune",
        "Masks long old results.",
        &[
            format!("when context.tokens >= {trigger}"),
            format!("do mask results over {long} keep {last} including errors at_least {least}"),
        ],
    );
    draft.approximate(
        &PRUNE,
        "rule `proactive_prune`",
        "after it has shortened results it waits until the context has grown by as many tokens: the rule acts more often",
    );
    draft.exact(&LONG, "`over` of rule `proactive_prune`");
    draft.exact(&LEAST, "`at_least` of rule `proactive_prune`");
}

fn idle(values: &Values<'_>, draft: &mut Draft<'_>, summarise: &str) {
    let Some(seconds) = values.positive(&IDLE) else { return draft.nothing(&IDLE, "no rule waits for a pause") };
    let seconds = draft.option_value(&IDLE, format!("{seconds}s"));
    draft.rule(
        "idle_compress",
        "Summarises the middle of the conversation after a pause.",
        &[format!("when (idle ?? 0s) >= {seconds}"), summarise.to_owned(), "on_failure keep".to_owned()],
    );
    draft.approximate(
        &IDLE,
        "rule `idle_compress`",
        "a context that is as small as after a compression is left alone there: the rule compresses more often",
    );
}

fn rows(values: &Values<'_>, draft: &mut Draft<'_>) {
    draft.exact(&ENABLED, "rule `compress`");
    draft.exact(&THRESHOLD, "`when` of rule `compress`");
    draft.exact(&CAP, if values.is_written(&CAP) { "`when` of rule `compress`" } else { "" });
    draft.approximate(
        &LAST,
        if values.positive(&PRUNE).is_some() { "`keep` of rule `proactive_prune`" } else { "" },
        "up to 8 of these messages stay even if they are longer than the share that stays; rule `compress` keeps fewer",
    );
    draft.exact(&ABORT, "`on_failure` of rule `compress`");
    match values.whole(&FIRST) {
        Some(0) => draft.approximate(&FIRST, "", "the request of the person stays here by default"),
        _ => draft.exact(&FIRST, "`pin` of rule `compress`"),
    }
    draft.built_in(
        "two compressions without effect",
        "",
        Fidelity::Impossible,
        "after them it stops to compress, the rule goes on",
    );
}
