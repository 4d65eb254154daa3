//! Google ADK: the arguments of `EventsCompactionConfig` as JSON, alone or as `events_compaction_config`.
//!
//! The arguments are those of `src/google/adk/apps/_configs.py` in <https://github.com/google/adk-python>.

use trimtab_base::quantity::{Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted};
use super::kind::Kind;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "adk",
    title: "Google ADK",
    file: "the arguments of `EventsCompactionConfig` as JSON",
    syntax: Syntax::Json,
    version: "1.38.0",
    date: "November 2026",
    block: "events_compaction_config",
    is_target: true,
    files: &[],
    schemas: &[],
    marks: &[],
    sections: &[Section { path: "events_compaction_config", others: Some(&[]), has_strings: false }],
    settings: &[&THRESHOLD, &RETAINED, &INTERVAL, &OVERLAP, &SUMMARISER],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "by_tokens",
            summary: "Summarises older events when the last request was too long.",
            alternatives: &[
                &[(&THRESHOLD, Amount::ContextTokens(120_000)), (&RETAINED, Amount::Whole(20))],
                &[(&THRESHOLD, Amount::ContextTokens(60_000)), (&RETAINED, Amount::Whole(20))],
                &[(&THRESHOLD, Amount::ContextTokens(30_000)), (&RETAINED, Amount::Whole(10))],
            ],
        },
        Adjustment {
            name: "by_interval",
            summary: "Summarises older requests after some of them.",
            alternatives: &[
                &[(&INTERVAL, Amount::Whole(5)), (&OVERLAP, Amount::Whole(0))],
                &[(&INTERVAL, Amount::Whole(2)), (&OVERLAP, Amount::Whole(0))],
            ],
        },
    ],
    recordings: &["adk"],
    policy,
};

static THRESHOLD: Setting = Setting {
    key: "events_compaction_config.token_threshold",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of tokens in the last request at which events are summarised.",
};

static RETAINED: Setting = Setting {
    key: "events_compaction_config.event_retention_size",
    kind: Kind::Whole("events", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of newest events that are kept.",
};

static INTERVAL: Setting = Setting {
    key: "events_compaction_config.compaction_interval",
    kind: Kind::Whole("invocations", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of new user requests after which their events are summarised.",
};

static OVERLAP: Setting = Setting {
    key: "events_compaction_config.overlap_size",
    kind: Kind::Whole("invocations", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of older requests that are summarised again with the new ones.",
};

static SUMMARISER: Setting = Setting {
    key: "events_compaction_config.summarizer",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The summariser.",
};

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    by_tokens(values, draft);
    by_interval(values, draft);
    draft.impossible(&SUMMARISER, "the host chooses the model that writes summaries");
}

fn by_tokens(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(threshold) = values.whole(&THRESHOLD) else {
        draft.nothing(&THRESHOLD, "");
        return draft.nothing(&RETAINED, "without `token_threshold` it has no effect");
    };
    let threshold = draft.option_value(&THRESHOLD, Quantity::whole(threshold, Unit::Tokens));
    let kept = values.whole(&RETAINED).unwrap_or(0);
    let kept = draft.option_value(&RETAINED, counted(kept, "message"));
    draft.rule(
        "by_tokens",
        "Summarises all but the newest events when the last request was too long.",
        &[
            format!("when (reported.tokens ?? 0 tokens) >= {threshold}"),
            format!("do summarise older keep {kept}"),
            "on_failure keep".to_owned(),
        ],
    );
    draft.exact(&THRESHOLD, "`when` of rule `by_tokens`");
    draft.approximate(&RETAINED, "`keep` of rule `by_tokens`", "an event is one message or two");
}

fn by_interval(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(interval) = values.whole(&INTERVAL) else {
        draft.nothing(&INTERVAL, "");
        return draft.nothing(&OVERLAP, "without `compaction_interval` it has no effect");
    };
    let interval = draft.option_value(&INTERVAL, counted(interval, "interaction"));
    draft.rule(
        "by_interval",
        "Summarises the older requests after some of them.",
        &[
            format!("when context.interactions > {interval} and iteration == 0"),
            "do summarise older keep 1 interaction".to_owned(),
            "on_failure keep".to_owned(),
        ],
    );
    draft.approximate(
        &INTERVAL,
        "`when` of rule `by_interval`",
        "it compacts after the reply, the rule before the next one",
    );
    match values.whole(&OVERLAP) {
        Some(0) => draft.exact(&OVERLAP, "`keep` of rule `by_interval`"),
        _ => draft.impossible(&OVERLAP, "nothing is summarised twice: the summary holds less of older requests"),
    }
}
