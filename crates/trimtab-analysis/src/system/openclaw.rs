//! OpenClaw: `agents.defaults.contextPruning` in `openclaw.json`.
//!
//! Pruning makes a view of the history for each request, and only when the provider's cache has expired.

use trimtab_base::quantity::{Decimal, Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, quoted};
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{Section, Setting, Standard};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "openclaw",
    title: "OpenClaw",
    file: "~/.openclaw/openclaw.json",
    syntax: Syntax::Json,
    version: "2026.11",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &["openclaw.json", ".openclaw/openclaw.json"],
    schemas: &["openclaw"],
    marks: &["agents.defaults", "gateway", "channels"],
    sections: &[
        Section { path: "agents.defaults.contextPruning", others: Some(&[]), has_strings: false },
        Section { path: "agents.defaults.contextPruning.softTrim", others: Some(&[]), has_strings: false },
        Section { path: "agents.defaults.contextPruning.hardClear", others: Some(&[]), has_strings: false },
        Section { path: "agents.defaults.contextPruning.tools", others: Some(&[]), has_strings: false },
    ],
    settings: &[
        &MODE,
        &TTL,
        &KEPT,
        &SOFT,
        &HARD,
        &LEAST,
        &LONG,
        &HEAD,
        &TAIL,
        &CLEARS,
        &PLACEHOLDER,
        &ALLOWED,
        &DENIED,
        &WINDOW,
        &COMPACTION,
    ],
    typed_parts: &[],
    adjustments: &[Adjustment {
        name: "pruning",
        summary: "Prunes old results when the cache has expired.",
        alternatives: &[
            &[(&MODE, Amount::Word("cache-ttl"))],
            &[
                (&MODE, Amount::Word("cache-ttl")),
                (&SOFT, Amount::Share(15)),
                (&HARD, Amount::Share(25)),
                (&LEAST, Amount::Whole(20_000)),
            ],
            &[(&MODE, Amount::Word("cache-ttl")), (&TTL, Amount::Word("1h"))],
        ],
    }],
    recordings: &["openclaw"],
    policy,
};

static MODE: Setting = Setting {
    key: "agents.defaults.contextPruning.mode",
    kind: Kind::Word(&["off", "cache-ttl"]),
    standard: Standard::Word("off"),
    others: &[],
    about: "Whether old results are pruned when the cache has expired.",
};

static TTL: Setting = Setting {
    key: "agents.defaults.contextPruning.ttl",
    kind: Kind::Text,
    standard: Standard::Word("5m"),
    others: &[],
    about: "The time without a call after which the cache has expired.",
};

static KEPT: Setting = Setting {
    key: "agents.defaults.contextPruning.keepLastAssistants",
    kind: Kind::Whole("replies", 0, u64::MAX),
    standard: Standard::Whole(3),
    others: &[],
    about: "The newest replies whose results stay.",
};

static SOFT: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrimRatio",
    kind: Kind::Share,
    standard: Standard::Share("0.3"),
    others: &[],
    about: "The share of the window at which long results are shortened.",
};

static HARD: Setting = Setting {
    key: "agents.defaults.contextPruning.hardClearRatio",
    kind: Kind::Share,
    standard: Standard::Share("0.5"),
    others: &[],
    about: "The share of the window at which results are cleared, the oldest first.",
};

static LEAST: Setting = Setting {
    key: "agents.defaults.contextPruning.minPrunableToolChars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    standard: Standard::Whole(50_000),
    others: &[],
    about: "The characters of results without which nothing is cleared.",
};

static LONG: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrim.maxChars",
    kind: Kind::Whole("characters", 1, u64::MAX),
    standard: Standard::Whole(4_000),
    others: &[],
    about: "The characters above which a result is shortened.",
};

static HEAD: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrim.headChars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    standard: Standard::Whole(1_500),
    others: &[],
    about: "The characters that stay from its start.",
};

static TAIL: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrim.tailChars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    standard: Standard::Whole(1_500),
    others: &[],
    about: "The characters that stay from its end.",
};

static CLEARS: Setting = Setting {
    key: "agents.defaults.contextPruning.hardClear.enabled",
    kind: Kind::Flag,
    standard: Standard::Flag(true),
    others: &[],
    about: "Whether results are cleared.",
};

static PLACEHOLDER: Setting = Setting {
    key: "agents.defaults.contextPruning.hardClear.placeholder",
    kind: Kind::Text,
    standard: Standard::Word("[Old tool result content cleared]"),
    others: &[],
    about: "What stands in place of a cleared result.",
};

static ALLOWED: Setting = Setting {
    key: "agents.defaults.contextPruning.tools.allow",
    kind: Kind::Names,
    standard: Standard::Unset,
    others: &[],
    about: "The only tools whose results are pruned.",
};

static DENIED: Setting = Setting {
    key: "agents.defaults.contextPruning.tools.deny",
    kind: Kind::Names,
    standard: Standard::Unset,
    others: &[],
    about: "The tools whose results stay; it takes precedence.",
};

static WINDOW: Setting = Setting {
    key: "agents.defaults.contextTokens",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    standard: Standard::Computed("the window of the model, or 200000"),
    others: &[],
    about: "The window.",
};

static COMPACTION: Setting = Setting {
    key: "agents.defaults.compaction",
    kind: Kind::Anything,
    standard: Standard::Unset,
    others: &[],
    about: "How the conversation is compacted near the end of the window.",
};

const VIEW: &str = "each request is pruned anew there, the edit of a rule lasts";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    match values.whole(&WINDOW) {
        Some(window) => {
            let window = draft.hole(&WINDOW, Quantity::whole(window, Unit::Tokens));
            draft.agent("window", window);
            draft.exact(&WINDOW, "`window` in the `agent` block");
        }
        None => draft.nothing(&WINDOW, "the recording or the host has the window"),
    }
    draft.impossible(&COMPACTION, "its compaction is not written as rules");
    if values.text(&MODE).is_none_or(|mode| mode == "off") {
        draft.nothing(&MODE, "no rule prunes");
        let others =
            SYSTEM.settings.iter().filter(|setting| setting.key.starts_with("agents.defaults.contextPruning."));
        return others.skip(1).for_each(|setting| draft.nothing(setting, "pruning is off"));
    }
    let Some(idle) = idle(values, draft) else { return };
    let which = which(values, draft);
    soft_trim(values, draft, &idle, &which);
    hard_clear(values, draft, &idle, &which);
    draft.approximate(&MODE, "rules `soft_trim` and `hard_clear`", VIEW);
    draft.approximate(&KEPT, "`keep` of both rules", "a reply with results counts as two messages here");
    draft.built_in("results with images", "", Fidelity::Impossible, "they are left alone there, the rules take them");
}

/// The condition that the cache has expired.
fn idle(values: &Values<'_>, draft: &mut Draft<'_>) -> Option<String> {
    let ttl = values.text(&TTL).cloned().unwrap_or_default();
    let (number, unit) = ttl.split_at(ttl.find(|char: char| !char.is_ascii_digit()).unwrap_or(ttl.len()));
    if number.is_empty() || number.len() > 6 || !matches!(unit, "s" | "m" | "h") {
        draft.impossible(&TTL, "it is not a duration such as `5m`");
        return None;
    }
    draft.exact(&TTL, "`when` of both rules");
    Some(format!("(idle ?? 0s) >= {}", draft.hole(&TTL, &ttl)))
}

/// The labels that select tools and messages.
fn which(values: &Values<'_>, draft: &mut Draft<'_>) -> String {
    let kept = values.whole(&KEPT).unwrap_or_default().saturating_mul(2);
    let mut labels = format!("keep {}", draft.hole(&KEPT, format!("{kept} messages")));
    match (draft.tool_list(&ALLOWED), draft.tool_list(&DENIED)) {
        (Some(allowed), None) => {
            labels += &format!(" only {}", draft.hole(&ALLOWED, allowed));
            draft.approximate(&ALLOWED, "`only` of both rules", "upper and lower case differ here");
            draft.nothing(&DENIED, "");
        }
        (allowed, Some(denied)) => {
            labels += &format!(" except {}", draft.hole(&DENIED, denied));
            draft.approximate(&DENIED, "`except` of both rules", "upper and lower case differ here");
            if allowed.is_some() {
                draft.impossible(&ALLOWED, "a rule has `only` or `except`: it prunes results of other tools too");
            } else {
                draft.nothing(&ALLOWED, "");
            }
        }
        (None, None) => {
            draft.nothing(&ALLOWED, "");
            draft.nothing(&DENIED, "");
        }
    }
    labels
}

fn soft_trim(values: &Values<'_>, draft: &mut Draft<'_>, idle: &str, which: &str) {
    let number = |setting: &Setting| values.whole(setting).unwrap_or_default();
    let share = draft.hole(&SOFT, Quantity::new(values.number(&SOFT).unwrap_or_default(), Unit::Share));
    let over = draft.hole(&LONG, Quantity::whole(number(&LONG), Unit::Chars));
    let [head, tail] = [&HEAD, &TAIL].map(|setting| draft.hole(setting, Quantity::whole(number(setting), Unit::Chars)));
    draft.rule(
        "soft_trim",
        "Shortens long old results when the cache has expired.",
        &[
            format!("when {idle} and context.ratio >= {share}"),
            format!("do trim results over {over} from ends {head}, {tail} {which} including errors"),
        ],
    );
    draft.exact(&SOFT, "`when` of rule `soft_trim`");
    draft.exact(&LONG, "`over` of rule `soft_trim`");
    for setting in [&HEAD, &TAIL] {
        draft.exact(setting, "`from` of rule `soft_trim`");
    }
}

fn hard_clear(values: &Values<'_>, draft: &mut Draft<'_>, idle: &str, which: &str) {
    if values.flag(&CLEARS) == Some(false) {
        draft.nothing(&CLEARS, "no rule clears");
        return [&HARD, &PLACEHOLDER, &LEAST].into_iter().for_each(|setting| draft.nothing(setting, "clearing is off"));
    }
    let share = Quantity::new(values.number(&HARD).unwrap_or_default(), Unit::Share);
    let share = draft.hole(&HARD, share);
    // Four characters are a token there.
    let least = values.whole(&LEAST).unwrap_or_default() / 4;
    let least = draft.hole(&LEAST, Quantity::new(Decimal::from(least), Unit::Tokens));
    let text = values.text(&PLACEHOLDER).cloned().unwrap_or_default();
    let text = draft.hole(&PLACEHOLDER, quoted(&text));
    draft.rule(
        "hard_clear",
        "Clears old results when the cache has expired.",
        &[
            format!("when {idle} and context.ratio >= {share}"),
            format!("do mask results {which} including errors placeholder {text} down_to {share} at_least {least}"),
        ],
    );
    draft.exact(&CLEARS, "rule `hard_clear`");
    draft.exact(&HARD, "`when` of rule `hard_clear`");
    draft.exact(&PLACEHOLDER, "`placeholder` of rule `hard_clear`");
    draft.approximate(
        &LEAST,
        "`at_least` of rule `hard_clear`",
        "it counts what may be cleared there, what is cleared here",
    );
}
