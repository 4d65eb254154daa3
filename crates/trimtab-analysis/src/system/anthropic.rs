//! Anthropic's `context_management`: edits that the Messages API makes to a request. The file is a request, or the block alone.
//!
//! The edits are made anew for each request, from the history that the client sends, so they never last longer than their condition.
//! A rule's edit lasts.

use trimtab_base::quantity::{Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted};
use super::kind::Kind;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "anthropic",
    title: "Anthropic context management",
    file: "a request or its `context_management`",
    syntax: Syntax::Json,
    version: "context-management-2025-06-27",
    date: "November 2026",
    block: "context_management",
    is_target: true,
    files: &[],
    schemas: &[],
    marks: &["context_management.edits"],
    sections: &[
        Section { path: "context_management", others: Some(&[]), has_strings: false },
        Section {
            path: "context_management.edits[clear_thinking_20251015]",
            others: Some(&["type"]),
            has_strings: false,
        },
        Section {
            path: "context_management.edits[clear_tool_uses_20250919]",
            others: Some(&["type"]),
            has_strings: false,
        },
        Section { path: "context_management.edits[compact_20260112]", others: Some(&["type"]), has_strings: false },
    ],
    settings: &[
        &THINKING,
        &CLEARING,
        &CLEARING_UNIT,
        &CLEARING_TRIGGER,
        &CLEARING_KEEP,
        &CLEARING_LEAST,
        &EXCLUDED,
        &INPUTS,
        &COMPACTION,
        &COMPACTION_TRIGGER,
        &INSTRUCTIONS,
        &PAUSE,
    ],
    typed_parts: &[
        ("context_management.edits[clear_thinking_20251015].keep", "thinking_turns"),
        ("context_management.edits[clear_tool_uses_20250919].trigger", "input_tokens"),
        ("context_management.edits[clear_tool_uses_20250919].keep", "tool_uses"),
        ("context_management.edits[clear_tool_uses_20250919].clear_at_least", "input_tokens"),
        ("context_management.edits[compact_20260112].trigger", "input_tokens"),
    ],
    adjustments: &[
        Adjustment {
            name: "clear_tool_uses",
            summary: "Clears old tool results in steps.",
            alternatives: &[
                &[
                    (&CLEARING, Amount::Word("clear_tool_uses_20250919")),
                    (&CLEARING_UNIT, Amount::Word("input_tokens")),
                    (&CLEARING_TRIGGER, Amount::ContextTokens(100_000)),
                    (&CLEARING_LEAST, Amount::Whole(40_000)),
                ],
                &[
                    (&CLEARING, Amount::Word("clear_tool_uses_20250919")),
                    (&CLEARING_UNIT, Amount::Word("input_tokens")),
                    (&CLEARING_TRIGGER, Amount::ContextTokens(50_000)),
                    (&CLEARING_LEAST, Amount::Whole(20_000)),
                ],
                &[
                    (&CLEARING, Amount::Word("clear_tool_uses_20250919")),
                    (&CLEARING_UNIT, Amount::Word("input_tokens")),
                    (&CLEARING_TRIGGER, Amount::ContextTokens(25_000)),
                    (&CLEARING_LEAST, Amount::Whole(10_000)),
                ],
            ],
        },
        Adjustment {
            name: "clear_thinking",
            summary: "Drops the thinking of older turns.",
            alternatives: &[&[(&THINKING, Amount::Whole(2))], &[(&THINKING, Amount::Whole(1))]],
        },
        Adjustment {
            name: "compact",
            summary: "Replaces the conversation with a summary.",
            alternatives: &[
                &[
                    (&COMPACTION, Amount::Word("compact_20260112")),
                    (&COMPACTION_TRIGGER, Amount::ContextTokens(150_000)),
                ],
                &[
                    (&COMPACTION, Amount::Word("compact_20260112")),
                    (&COMPACTION_TRIGGER, Amount::ContextTokens(100_000)),
                ],
                &[
                    (&COMPACTION, Amount::Word("compact_20260112")),
                    (&COMPACTION_TRIGGER, Amount::ContextTokens(60_000)),
                ],
            ],
        },
    ],
    recordings: &[],
    policy,
};

static THINKING: Setting = Setting {
    key: "context_management.edits[clear_thinking_20251015].keep.value",
    kind: Kind::Whole("turns", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of newest turns whose thinking is kept; one by default. `all` keeps it all.",
};

static CLEARING: Setting = Setting {
    key: "context_management.edits[clear_tool_uses_20250919].type",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Clears old tool results.",
};

static CLEARING_UNIT: Setting = Setting {
    key: "context_management.edits[clear_tool_uses_20250919].trigger.type",
    kind: Kind::Word(&["input_tokens", "tool_uses"]),
    default: DefaultValue::Word("input_tokens"),
    aliases: &[],
    about: "What the trigger of clearing counts.",
};

static CLEARING_TRIGGER: Setting = Setting {
    key: "context_management.edits[clear_tool_uses_20250919].trigger.value",
    kind: Kind::Whole("tokens or calls", 0, u64::MAX),
    default: DefaultValue::Whole(100_000),
    aliases: &[],
    about: "The size above which results are cleared.",
};

static CLEARING_KEEP: Setting = Setting {
    key: "context_management.edits[clear_tool_uses_20250919].keep.value",
    kind: Kind::Whole("calls", 0, u64::MAX),
    default: DefaultValue::Whole(3),
    aliases: &[],
    about: "The number of newest calls whose results are kept.",
};

static CLEARING_LEAST: Setting = Setting {
    key: "context_management.edits[clear_tool_uses_20250919].clear_at_least.value",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The minimum number of tokens cleared at once; if fewer can be cleared, nothing is.",
};

static EXCLUDED: Setting = Setting {
    key: "context_management.edits[clear_tool_uses_20250919].exclude_tools",
    kind: Kind::Names,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The tools whose results are never cleared.",
};

static INPUTS: Setting = Setting {
    key: "context_management.edits[clear_tool_uses_20250919].clear_tool_inputs",
    kind: Kind::AnyOf(&[Kind::Flag, Kind::Names]),
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Whether the arguments of these calls are cleared too, or those of some tools.",
};

static COMPACTION: Setting = Setting {
    key: "context_management.edits[compact_20260112].type",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Replaces the conversation with a summary.",
};

static COMPACTION_TRIGGER: Setting = Setting {
    key: "context_management.edits[compact_20260112].trigger.value",
    kind: Kind::Whole("tokens", 50_000, u64::MAX),
    default: DefaultValue::Whole(150_000),
    aliases: &[],
    about: "The size above which the conversation is compacted.",
};

static INSTRUCTIONS: Setting = Setting {
    key: "context_management.edits[compact_20260112].instructions",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The instructions for the summary.",
};

static PAUSE: Setting = Setting {
    key: "context_management.edits[compact_20260112].pause_after_compaction",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Whether the reply ends after the summary, so that the client can add to it.",
};

const LASTS: &str = "the API decides anew for each request, the edit of a rule lasts: the rule clears no less";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    thinking(values, draft);
    clearing(values, draft);
    compaction(values, draft);
}

fn thinking(values: &Values<'_>, draft: &mut Draft<'_>) {
    const EDIT: &str = "context_management.edits[clear_thinking_20251015]";
    let keeps_all = values.has(&format!("{EDIT}.keep")) && values.whole(&THINKING).is_none();
    if !values.has(EDIT) || keeps_all {
        let reason = if keeps_all { "all thinking is kept" } else { "" };
        return draft.nothing(&THINKING, reason);
    }
    let turns = values.whole(&THINKING).unwrap_or(1);
    let turns = draft.option_value(&THINKING, counted(turns, "interaction"));
    draft.rule("clear_thinking", "Drops the thinking of older turns.", &[format!("do drop thinking keep {turns}")]);
    draft.approximate(
        &THINKING,
        "rule `clear_thinking`",
        "a turn is a reply with thinking there, and an interaction here: the rule keeps more",
    );
}

fn clearing(values: &Values<'_>, draft: &mut Draft<'_>) {
    let details = [&CLEARING_UNIT, &CLEARING_TRIGGER, &CLEARING_KEEP, &CLEARING_LEAST, &EXCLUDED, &INPUTS];
    if !values.is_written(&CLEARING) {
        draft.nothing(&CLEARING, "");
        return details.into_iter().for_each(|setting| draft.nothing(setting, "results are not cleared"));
    }
    let counts_calls = values.text(&CLEARING_UNIT).is_some_and(|unit| unit == "tool_uses");
    let when = clearing_condition(values, draft, counts_calls);
    let mask = clearing_effects(values, draft);
    draft.rule("clear_tool_uses", "Clears old tool results.", &[format!("when {when}"), format!("do {mask}")]);
    if values.times(&CLEARING) > 1 {
        draft.approximate(&CLEARING, "rule `clear_tool_uses`", "only the first edit of this type is written");
    } else {
        draft.approximate(&CLEARING, "rule `clear_tool_uses`", LASTS);
    }
}

fn clearing_condition(values: &Values<'_>, draft: &mut Draft<'_>, counts_calls: bool) -> String {
    const BECAME: &str = "`when` of rule `clear_tool_uses`";
    let trigger = values.whole(&CLEARING_TRIGGER).unwrap_or_default();
    draft.exact(&CLEARING_UNIT, BECAME);
    if counts_calls {
        let results = draft.option_value(&CLEARING_TRIGGER, counted(trigger, "result"));
        draft.approximate(
            &CLEARING_TRIGGER,
            BECAME,
            "results that were cleared count here, so the rule is due more often",
        );
        return format!("context.results > {results}");
    }
    let tokens = draft.option_value(&CLEARING_TRIGGER, Quantity::whole(trigger, Unit::Tokens));
    draft.exact(&CLEARING_TRIGGER, BECAME);
    format!("context.tokens > {tokens}")
}

fn clearing_effects(values: &Values<'_>, draft: &mut Draft<'_>) -> String {
    let keep = values.whole(&CLEARING_KEEP).unwrap_or_default();
    let keep = draft.option_value(&CLEARING_KEEP, format!("keep {}", counted(keep, "result")));
    draft.exact(&CLEARING_KEEP, "`keep` of rule `clear_tool_uses`");
    let excluded = draft.tool_list(&EXCLUDED);
    let except = excluded
        .map(|list| format!(" {}", draft.option_value(&EXCLUDED, format!("except {list}"))))
        .unwrap_or_default();
    draft.exact(&EXCLUDED, if except.is_empty() { "" } else { "`except` of rule `clear_tool_uses`" });
    let least = values.positive(&CLEARING_LEAST).map(|least| Quantity::whole(least, Unit::Tokens));
    let least =
        least.map(|least| format!(" at_least {}", draft.option_value(&CLEARING_LEAST, least))).unwrap_or_default();
    draft.exact(&CLEARING_LEAST, if least.is_empty() { "" } else { "`at_least` of rule `clear_tool_uses`" });
    let calls = match values.flag(&INPUTS) {
        Some(true) => Some(except.clone()),
        _ => draft.tool_list(&INPUTS).map(|list| format!(" only {list}")),
    };
    match &calls {
        Some(_) => draft.exact(&INPUTS, "`mask calls` of rule `clear_tool_uses`"),
        None => draft.nothing(&INPUTS, "arguments stay"),
    }
    let calls =
        calls.map(|which| draft.option_value(&INPUTS, format!(" then mask calls {keep}{which}"))).unwrap_or_default();
    format!("mask results {keep}{except} including errors{least}{calls}")
}

fn compaction(values: &Values<'_>, draft: &mut Draft<'_>) {
    if !values.is_written(&COMPACTION) {
        draft.nothing(&COMPACTION, "");
        let details = [&COMPACTION_TRIGGER, &INSTRUCTIONS, &PAUSE];
        return details.into_iter().for_each(|setting| draft.nothing(setting, "the API does not compact"));
    }
    let trigger = Quantity::whole(values.whole(&COMPACTION_TRIGGER).unwrap_or_default(), Unit::Tokens);
    let trigger = draft.option_value(&COMPACTION_TRIGGER, trigger);
    let using = match values.text(&INSTRUCTIONS) {
        Some(text) => {
            draft.prompt(&INSTRUCTIONS, "instructions", text);
            " using instructions"
        }
        None => "",
    };
    draft.rule(
        "compact",
        "Replaces the conversation with a summary.",
        &[format!("when context.tokens > {trigger}"), format!("do summarise all{using}"), "on_failure keep".to_owned()],
    );
    draft.exact(&COMPACTION, "rule `compact`");
    draft.exact(&COMPACTION_TRIGGER, "`when` of rule `compact`");
    draft.exact(&INSTRUCTIONS, if using.is_empty() { "" } else { "prompt `instructions`" });
    match values.flag(&PAUSE) {
        Some(true) => draft.impossible(&PAUSE, "a rule cannot pause for the client"),
        _ => draft.nothing(&PAUSE, ""),
    }
}
