//! goose: `config.yaml`, whose keys are the variables of its environment.
//!
//! Defaults and the cutoff for old calls are those of `context_mgmt` in <https://github.com/aaif-goose/goose>.

use trimtab_base::quantity::{Decimal, Quantity, Unit, whole};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted, quoted};
use super::kind::Kind;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "goose",
    title: "goose",
    file: "~/.config/goose/config.yaml",
    syntax: Syntax::Yaml,
    version: "1.50.0",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &["goose/config.yaml"],
    schemas: &[],
    marks: &["GOOSE_PROVIDER", "GOOSE_MODEL", "GOOSE_MODE"],
    sections: &[Section { path: "", others: None, has_strings: true }],
    settings: &[&THRESHOLD, &PAIRS, &CUTOFF, &TURNS, &LIMIT],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "tool_pairs",
            summary: "Summarises old calls earlier or later.",
            alternatives: &[
                &[(&CUTOFF, Amount::Whole(60))],
                &[(&CUTOFF, Amount::Whole(30))],
                &[(&CUTOFF, Amount::Whole(10))],
            ],
        },
        Adjustment {
            name: "compaction",
            summary: "Compacts at a smaller share of the window.",
            alternatives: &[
                &[(&THRESHOLD, Amount::Share(60))],
                &[(&THRESHOLD, Amount::Share(40))],
                &[(&THRESHOLD, Amount::Share(20))],
            ],
        },
    ],
    recordings: &[],
    policy,
};

static THRESHOLD: Setting = Setting {
    key: "GOOSE_AUTO_COMPACT_THRESHOLD",
    kind: Kind::Number,
    default: DefaultValue::Share("0.8"),
    aliases: &[],
    about: "The share of the window at which the conversation is compacted, at the start of a turn; 0, and 1 and more, turn it off.",
};

static PAIRS: Setting = Setting {
    key: "GOOSE_TOOL_PAIR_SUMMARIZATION",
    kind: Kind::Flag,
    default: DefaultValue::Flag(true),
    aliases: &[],
    about: "Whether old calls are summarised.",
};

static CUTOFF: Setting = Setting {
    key: "GOOSE_TOOL_CALL_CUTOFF",
    kind: Kind::Whole("calls", 1, u64::MAX),
    default: DefaultValue::Computed("3 for each 20,000 tokens up to the threshold, from 10 to 500"),
    aliases: &[],
    about: "The number of newest calls that are kept; a model summarises each older one with its result, ten at once.",
};

static TURNS: Setting = Setting {
    key: "GOOSE_MAX_TURNS",
    kind: Kind::Whole("turns", 1, u64::MAX),
    default: DefaultValue::Whole(1_000),
    aliases: &[],
    about: "The maximum number of model calls without a user message.",
};

static LIMIT: Setting = Setting {
    key: "GOOSE_CONTEXT_LIMIT",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Computed("the window of the model"),
    aliases: &[],
    about: "The window of the model.",
};

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    match values.whole(&LIMIT) {
        Some(limit) => {
            let limit = draft.option_value(&LIMIT, Quantity::whole(limit, Unit::Tokens));
            draft.agent("window", limit);
            draft.exact(&LIMIT, "`window` in the `agent` block");
        }
        None => draft.nothing(&LIMIT, "the recording or the host has the window"),
    }
    tool_pairs(values, draft);
    compact(values, draft);
    let turns = values.whole(&TURNS).unwrap_or_default();
    let turns = draft.option_value(&TURNS, turns);
    let text = quoted("The turn has reached its limit of model calls.");
    draft.rule(
        "max_turns",
        "Ends a turn that takes too long.",
        &[format!("when iteration >= {turns}"), format!("do stop {text}")],
    );
    draft.exact(&TURNS, "rule `max_turns`");
}

/// The calls that are summarised at once.
const BATCH: u64 = 10;
/// The window of a model that goose does not know.
const USUAL_WINDOW: u64 = 128_000;

/// The calls that stay if it is not written.
fn usual_cutoff(values: &Values<'_>) -> u64 {
    const MOST: u64 = 500;
    let window = Decimal::from(values.whole(&LIMIT).unwrap_or(USUAL_WINDOW));
    let share = values.number(&THRESHOLD).filter(|share| !share.is_zero() && *share <= Decimal::ONE);
    let usable = whole(window * share.unwrap_or(Decimal::new(8, 1)));
    (3 * usable / 20_000).clamp(BATCH, MOST)
}

fn tool_pairs(values: &Values<'_>, draft: &mut Draft<'_>) {
    if values.flag(&PAIRS) == Some(false) {
        draft.nothing(&PAIRS, "no rule summarises results");
        return draft.nothing(&CUTOFF, "old calls are not summarised");
    }
    let cutoff = values.whole(&CUTOFF).unwrap_or_else(|| usual_cutoff(values));
    let [over, kept] = [cutoff + BATCH, cutoff].map(|count| draft.option_value(&CUTOFF, counted(count, "result")));
    draft.rule(
        "tool_pairs",
        "Summarises old results, each by itself.",
        &[
            format!("when context.results > {over}"),
            format!("do summarise results over 1 token keep {kept} including errors"),
            "on_failure keep".to_owned(),
            format!("cooldown {BATCH} iterations in session"),
        ],
    );
    draft.exact(&PAIRS, "rule `tool_pairs`");
    draft.approximate(
        &CUTOFF,
        "rule `tool_pairs`",
        "it summarises the ten oldest calls with their results, and none of the current turn; the rule keeps the \
         arguments of the calls, and acts within a turn too",
    );
}

fn compact(values: &Values<'_>, draft: &mut Draft<'_>) {
    let share = values.number(&THRESHOLD).unwrap_or_default();
    if share.is_zero() || share >= Decimal::ONE {
        return draft.nothing(&THRESHOLD, "no rule compacts");
    }
    let share = draft.option_value(&THRESHOLD, Quantity::new(share, Unit::Share));
    draft.rule(
        "auto_compact",
        "Replaces the conversation with a summary at the start of a turn.",
        &[
            format!("when context.ratio > {share} and iteration == 0"),
            "do summarise all".to_owned(),
            "on_failure keep".to_owned(),
        ],
    );
    draft.exact(&THRESHOLD, "rule `auto_compact`");
}
