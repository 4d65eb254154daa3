//! hermes-agent: `compression` and the window in `config.yaml`.
//!
//! Options and defaults are those of its configuration guide at
//! <https://hermes-agent.nousresearch.com/docs/user-guide/configuration>. When it compresses, and what stays, is decided in
//! `agent/context_compressor.py` of <https://github.com/NousResearch/hermes-agent>. The names in capital letters below are those of
//! its constants.

mod settings;

use trimtab_base::quantity::{Decimal, Quantity, Unit, share_of};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted};
use super::row::Fidelity;
use super::setting::{Section, Setting};
use super::syntax::Syntax;
use super::values::Values;
use settings::{
    ABORT, CAP, ENABLED, FIRST, IDLE, LAST, LEAST, LEAST_TOKENS, LONG, MODE, PRUNE, TARGET, THRESHOLD, WINDOW,
};

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
    settings: &[
        &WINDOW, &ENABLED, &THRESHOLD, &CAP, &TARGET, &MODE, &FIRST, &LAST, &ABORT, &IDLE, &PRUNE, &LONG, &LEAST,
    ],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            // A share below `LEAST_SHARE` has no effect in most windows.
            name: "threshold",
            summary: "Compresses at a number of tokens.",
            alternatives: &[
                &[(&CAP, Amount::ContextTokens(150_000))],
                &[(&CAP, Amount::ContextTokens(100_000))],
                &[(&CAP, Amount::ContextTokens(50_000))],
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

/// The share of a small window at which it is compressed at the earliest: `_SMALL_CTX_THRESHOLD_PERCENT`.
const LEAST_SHARE: Decimal = Decimal::from_parts(75, 0, 0, false, 2);
/// The window from which the share may be smaller: `_SMALL_CTX_WINDOW_LIMIT`.
const LARGE_WINDOW: u64 = 512_000;
/// The share at which a window is compressed whose threshold would be all of it: `_MIN_CTX_TRIGGER_RATIO`.
const LATEST_SHARE: Decimal = Decimal::from_parts(85, 0, 0, false, 2);
/// The smallest and the largest `target_ratio` that it uses.
const TARGETS: [Decimal; 2] = [Decimal::from_parts(1, 0, 0, false, 1), Decimal::from_parts(8, 0, 0, false, 1)];
/// How much longer than its target the tail may become, so that no message is cut: `soft_ceiling`.
const TAIL_EXCESS: Decimal = Decimal::from_parts(15, 0, 0, false, 1);
/// The share of the window that `tail_mode: lean` keeps.
const LEAN_SHARE: Decimal = Decimal::from_parts(25, 0, 0, false, 3);
/// The minimum and the maximum number of tokens that `tail_mode: lean` keeps.
const LEAN_TAILS: [u64; 2] = [10_000, 25_000];

/// When the conversation is compressed.
#[derive(Clone, Copy)]
enum Threshold {
    /// At a share of the window.
    Share(Decimal),
    /// At a number of tokens, of which the option is the origin.
    Tokens(u64, &'static Setting),
    /// At a share of a window that is not known, or at a number of tokens.
    Earlier(Decimal, u64),
}

/// The threshold that the settings have in the window.
fn threshold(values: &Values<'_>) -> Threshold {
    let share = values.number(&THRESHOLD).unwrap_or_default();
    let raised = share.max(LEAST_SHARE);
    let cap = values.whole(&CAP);
    let Some(window) = values.whole(&WINDOW) else {
        let share = if raised >= Decimal::ONE { LATEST_SHARE } else { raised };
        return cap.map_or(Threshold::Share(share), |cap| Threshold::Earlier(share, cap));
    };
    let share = if window < LARGE_WINDOW { raised } else { share };
    let tokens = share_of(window, share);
    let (threshold, tokens) = if tokens.max(LEAST_TOKENS) >= window {
        (Threshold::Share(LATEST_SHARE), share_of(window, LATEST_SHARE))
    } else if tokens < LEAST_TOKENS {
        (Threshold::Tokens(LEAST_TOKENS, &WINDOW), LEAST_TOKENS)
    } else {
        (Threshold::Share(share), tokens)
    };
    match cap {
        Some(cap) if cap < tokens => Threshold::Tokens(cap, &CAP),
        _ => threshold,
    }
}

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    window(values, draft);
    if values.flag(&ENABLED) == Some(false) {
        draft.nothing(&ENABLED, "no rule compresses");
        return [&THRESHOLD, &CAP, &TARGET, &MODE, &FIRST, &LAST, &ABORT, &IDLE, &PRUNE, &LONG, &LEAST]
            .into_iter()
            .for_each(|setting| draft.nothing(setting, "compression is off"));
    }
    let threshold = threshold(values);
    let when = condition(threshold, draft);
    let tail = tail(values, draft, threshold);
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
        &[format!("when {when}"), format!("do summarise older keep {tail}{pin}"), format!("on_failure {failure}")],
    );
    rows(values, draft, threshold);
    idle(values, draft, &format!("do summarise older keep {tail}{pin}"));
    prune(values, draft);
    built_in(values, draft);
}

fn window(values: &Values<'_>, draft: &mut Draft<'_>) {
    match values.whole(&WINDOW) {
        Some(window) => {
            let window = draft.option_value(&WINDOW, Quantity::whole(window, Unit::Tokens));
            draft.agent("window", window);
            draft.exact(&WINDOW, "`window` in the `agent` block");
        }
        None => draft.nothing(&WINDOW, "the recording or the host has the window"),
    }
}

fn condition(threshold: Threshold, draft: &mut Draft<'_>) -> String {
    match threshold {
        Threshold::Share(share) => at_share(share, draft),
        Threshold::Tokens(tokens, setting) => at_tokens(tokens, setting, draft),
        Threshold::Earlier(share, cap) => {
            let (share, cap) = (at_share(share, draft), at_tokens(cap, &CAP, draft));
            format!("{share} or {cap}")
        }
    }
}

fn at_share(share: Decimal, draft: &mut Draft<'_>) -> String {
    let share = draft.option_value(&THRESHOLD, Quantity::new(share, Unit::Share));
    format!("context.ratio >= {share}")
}

fn at_tokens(tokens: u64, setting: &Setting, draft: &mut Draft<'_>) -> String {
    let tokens = draft.option_value(setting, Quantity::whole(tokens, Unit::Tokens));
    format!("context.tokens >= {tokens}")
}

/// The newest part that stays. The walk from the end stops at one and a half times the size that is set.
fn tail(values: &Values<'_>, draft: &mut Draft<'_>, threshold: Threshold) -> String {
    const BECAME: &str = "`keep` of rule `compress`";
    let window = values.whole(&WINDOW);
    if values.text(&MODE).is_some_and(|mode| mode == "lean") {
        draft.nothing(&TARGET, "`tail_mode: lean` does not use it");
        let [least, most] = LEAN_TAILS;
        let size = window.map_or(least, |window| share_of(window, LEAN_SHARE).clamp(least, most));
        if window.is_some() {
            draft.exact(&MODE, BECAME);
        } else {
            draft.approximate(&MODE, BECAME, "of a window above 400,000 tokens it keeps 2.5%");
        }
        return draft.option_value(&MODE, Quantity::whole(share_of(size, TAIL_EXCESS), Unit::Tokens));
    }
    draft.nothing(&MODE, "");
    let [least, most] = TARGETS;
    let target = values.number(&TARGET).unwrap_or_default().clamp(least, most) * TAIL_EXCESS;
    let (tail, more) = match threshold {
        // A tail that is larger than the window keeps everything.
        Threshold::Share(share) => (Quantity::new((target * share).min(Decimal::ONE), Unit::Share), ""),
        Threshold::Tokens(tokens, _) => {
            let tail = share_of(tokens, target).min(window.unwrap_or(u64::MAX));
            (Quantity::whole(tail, Unit::Tokens), "")
        }
        Threshold::Earlier(_, cap) => (
            Quantity::whole(share_of(cap, target), Unit::Tokens),
            "; in a window whose threshold is below `threshold_tokens`, fewer stay",
        ),
    };
    draft.approximate(
        &TARGET,
        BECAME,
        format!(
            "messages stay until they have one and a half times that share of the threshold, as in the rule; the last reply \
             stays too, even if it is older{more}"
        ),
    );
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

fn rows(values: &Values<'_>, draft: &mut Draft<'_>, threshold: Threshold) {
    const WHEN: &str = "`when` of rule `compress`";
    draft.exact(&ENABLED, "rule `compress`");
    let at_cap = matches!(threshold, Threshold::Tokens(_, setting) if setting.key == CAP.key);
    if at_cap {
        draft.nothing(&THRESHOLD, "`threshold_tokens` is reached earlier");
    } else {
        draft.exact(&THRESHOLD, WHEN);
    }
    if at_cap || matches!(threshold, Threshold::Earlier(..)) {
        draft.exact(&CAP, WHEN);
    } else {
        draft.nothing(&CAP, if values.is_written(&CAP) { "the threshold is reached earlier" } else { "" });
    }
    draft.approximate(
        &LAST,
        if values.positive(&PRUNE).is_some() { "`keep` of rule `proactive_prune`" } else { "" },
        "up to 8 of these messages stay even if they are longer than the share that stays; rule `compress` keeps fewer",
    );
    draft.exact(&ABORT, "`on_failure` of rule `compress`");
    match values.whole(&FIRST) {
        Some(0) => draft.approximate(&FIRST, "", "the request of the person stays here by default"),
        _ => draft.approximate(
            &FIRST,
            "`pin` of rule `compress`",
            "only the first compression of a session keeps them; the rule always does",
        ),
    }
}

fn built_in(values: &Values<'_>, draft: &mut Draft<'_>) {
    const LEAST_THRESHOLD: &str = "lowest threshold";
    const WHEN: &str = "`when` of rule `compress`";
    if values.whole(&WINDOW).is_some() {
        draft.built_in(
            LEAST_THRESHOLD,
            WHEN,
            Fidelity::Exact,
            "75% of a window of less than 512,000 tokens, and 64,000 tokens of any window, or 85% if that is all of it",
        );
    } else {
        draft.built_in(
            LEAST_THRESHOLD,
            WHEN,
            Fidelity::Approximate,
            "the rule has 75% of any window; in a window of 512,000 tokens or more, hermes-agent compresses at lower shares \
             too, and in one of less than 85,334 tokens not below 64,000 tokens; `model.context_length` makes the rule exact",
        );
    }
    draft.built_in(
        "newest turn",
        "`keep` of rule `compress`",
        Fidelity::Approximate,
        "everything since the last message of a person stays, and results before the kept part become one line each; the \
         rule summarises them",
    );
    draft.built_in(
        "two compressions without effect",
        "",
        Fidelity::Impossible,
        "after them it stops to compress, the rule goes on",
    );
}
