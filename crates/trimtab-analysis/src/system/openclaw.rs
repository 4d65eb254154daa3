//! OpenClaw: `agents.defaults.contextPruning` in `openclaw.json`.
//!
//! Pruning makes a view of the history for each request, and only when the provider's cache has expired.

use trimtab_base::quantity::{Decimal, Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, quoted};
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{DefaultValue, Section, Setting};
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
    default: DefaultValue::Word("off"),
    aliases: &[],
    about: "Whether old results are pruned when the cache has expired.",
};

static TTL: Setting = Setting {
    key: "agents.defaults.contextPruning.ttl",
    kind: Kind::Text,
    default: DefaultValue::Word("5m"),
    aliases: &[],
    about: "The time without a call after which the cache has expired.",
};

static KEPT: Setting = Setting {
    key: "agents.defaults.contextPruning.keepLastAssistants",
    kind: Kind::Whole("replies", 0, u64::MAX),
    default: DefaultValue::Whole(3),
    aliases: &[],
    about: "The number of newest replies whose results are kept.",
};

static SOFT: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrimRatio",
    kind: Kind::Share,
    default: DefaultValue::Share("0.3"),
    aliases: &[],
    about: "The share of the window at which long results are shortened.",
};

static HARD: Setting = Setting {
    key: "agents.defaults.contextPruning.hardClearRatio",
    kind: Kind::Share,
    default: DefaultValue::Share("0.5"),
    aliases: &[],
    about: "The share of the window at which results are cleared, the oldest first.",
};

static LEAST: Setting = Setting {
    key: "agents.defaults.contextPruning.minPrunableToolChars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    default: DefaultValue::Whole(50_000),
    aliases: &[],
    about: "The minimum number of characters of results; with fewer, nothing is cleared.",
};

static LONG: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrim.maxChars",
    kind: Kind::Whole("characters", 1, u64::MAX),
    default: DefaultValue::Whole(4_000),
    aliases: &[],
    about: "The number of characters above which a result is shortened.",
};

static HEAD: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrim.headChars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    default: DefaultValue::Whole(1_500),
    aliases: &[],
    about: "The number of characters kept from its start.",
};

static TAIL: Setting = Setting {
    key: "agents.defaults.contextPruning.softTrim.tailChars",
    kind: Kind::Whole("characters", 0, u64::MAX),
    default: DefaultValue::Whole(1_500),
    aliases: &[],
    about: "The number of characters kept from its end.",
};

static CLEARS: Setting = Setting {
    key: "agents.defaults.contextPruning.hardClear.enabled",
    kind: Kind::Flag,
    default: DefaultValue::Flag(true),
    aliases: &[],
    about: "Whether results are cleared.",
};

static PLACEHOLDER: Setting = Setting {
    key: "agents.defaults.contextPruning.hardClear.placeholder",
    kind: Kind::Text,
    default: DefaultValue::Word("[Old tool result content cleared]"),
    aliases: &[],
    about: "The placeholder of a cleared result.",
};

static ALLOWED: Setting = Setting {
    key: "agents.defaults.contextPruning.tools.allow",
    kind: Kind::Names,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The only tools whose results are pruned.",
};

static DENIED: Setting = Setting {
    key: "agents.defaults.contextPruning.tools.deny",
    kind: Kind::Names,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The tools whose results are kept; takes precedence.",
};

static WINDOW: Setting = Setting {
    key: "agents.defaults.contextTokens",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Computed("the window of the model, or 200,000"),
    aliases: &[],
    about: "The window.",
};

static COMPACTION: Setting = Setting {
    key: "agents.defaults.compaction",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "How the conversation is compacted near the end of the window.",
};

const VIEW: &str = "each request is pruned anew there, the edit of a rule lasts";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    match values.whole(&WINDOW) {
        Some(window) => {
            let window = draft.option_value(&WINDOW, Quantity::whole(window, Unit::Tokens));
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
    Some(format!("(idle ?? 0s) >= {}", draft.option_value(&TTL, &ttl)))
}

/// The labels that select tools and messages.
fn which(values: &Values<'_>, draft: &mut Draft<'_>) -> String {
    let kept = values.whole(&KEPT).unwrap_or_default().saturating_mul(2);
    let mut labels = format!("keep {}", draft.option_value(&KEPT, format!("{kept} messages")));
    match (draft.tool_list(&ALLOWED), draft.tool_list(&DENIED)) {
        (Some(allowed), None) => {
            labels += &format!(" only {}", draft.option_value(&ALLOWED, allowed));
            draft.approximate(&ALLOWED, "`only` of both rules", "upper and lower case differ here");
            draft.nothing(&DENIED, "");
        }
        (allowed, Some(denied)) => {
            labels += &format!(" except {}", draft.option_value(&DENIED, denied));
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
    let share = draft.option_value(&SOFT, Quantity::new(values.number(&SOFT).unwrap_or_default(), Unit::Share));
    let over = draft.option_value(&LONG, Quantity::whole(number(&LONG), Unit::Chars));
    let [head, tail] =
        [&HEAD, &TAIL].map(|setting| draft.option_value(setting, Quantity::whole(number(setting), Unit::Chars)));
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
    let share = draft.option_value(&HARD, share);
    // Four characters are a token there.
    let least = values.whole(&LEAST).unwrap_or_default() / 4;
    let least = draft.option_value(&LEAST, Quantity::new(Decimal::from(least), Unit::Tokens));
    let text = values.text(&PLACEHOLDER).cloned().unwrap_or_default();
    let text = draft.option_value(&PLACEHOLDER, quoted(&text));
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
