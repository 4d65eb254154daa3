//! Gemini CLI: `settings.json`.

use trimtab_base::quantity::{Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted, quoted};
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{Section, Setting, Standard};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "gemini-cli",
    title: "Gemini CLI",
    file: "~/.gemini/settings.json",
    syntax: Syntax::Json,
    version: "0.56",
    date: "August 2026",
    block: "",
    is_target: true,
    files: &[".gemini/settings.json"],
    schemas: &["gemini-cli"],
    marks: &["model.name", "security.auth", "general.previewFeatures", "tools.core", "contextManagement"],
    sections: &[
        Section { path: "model", others: None, has_strings: false },
        Section { path: "tools", others: None, has_strings: false },
        Section { path: "contextManagement", others: Some(&[]), has_strings: false },
        Section { path: "contextManagement.historyWindow", others: Some(&[]), has_strings: false },
        Section { path: "contextManagement.messageLimits", others: Some(&[]), has_strings: false },
        Section { path: "contextManagement.tools", others: Some(&[]), has_strings: false },
        Section { path: "contextManagement.tools.distillation", others: Some(&[]), has_strings: false },
        Section { path: "contextManagement.tools.outputMasking", others: Some(&[]), has_strings: false },
    ],
    settings: &[
        &THRESHOLD,
        &TURNS,
        &LOOPS,
        &SUMMARIES,
        &TRUNCATION,
        &PROTECTED,
        &LEAST_MASKED,
        &LATEST_TURN,
        &HISTORY,
        &RETAINED,
        &MESSAGE,
        &RETAINED_MESSAGE,
        &HEAD,
        &DISTILLED,
        &SUMMARISED,
    ],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "truncate_output",
            summary: "Cuts long results.",
            alternatives: &[
                &[(&TRUNCATION, Amount::Whole(20_000))],
                &[(&TRUNCATION, Amount::Whole(10_000))],
                &[(&TRUNCATION, Amount::Whole(5_000))],
            ],
        },
        Adjustment {
            name: "mask_output",
            summary: "Masks old results in other steps.",
            alternatives: &[
                &[(&LEAST_MASKED, Amount::Whole(60_000))],
                &[(&LEAST_MASKED, Amount::Whole(15_000))],
                &[(&LATEST_TURN, Amount::Flag(false))],
                &[(&LEAST_MASKED, Amount::Whole(15_000)), (&LATEST_TURN, Amount::Flag(false))],
            ],
        },
        Adjustment {
            name: "compression",
            summary: "Summarises at another share of the window.",
            alternatives: &[
                &[(&THRESHOLD, Amount::Share(70))],
                &[(&THRESHOLD, Amount::Share(35))],
                &[(&THRESHOLD, Amount::Share(20))],
            ],
        },
    ],
    recordings: &["gemini_chat"],
    policy,
};

static THRESHOLD: Setting = Setting {
    key: "model.compressionThreshold",
    kind: Kind::Share,
    standard: Standard::Share("0.5"),
    others: &["model.chatCompression.contextPercentageThreshold", "chatCompression.contextPercentageThreshold"],
    about: "The share of the window at which the conversation is compressed, at the start of a turn.",
};

static TURNS: Setting = Setting {
    key: "model.maxSessionTurns",
    kind: Kind::Signed("turns"),
    standard: Standard::Unset,
    others: &["maxSessionTurns"],
    about: "The most turns of a session; -1 is no limit.",
};

static LOOPS: Setting = Setting {
    key: "model.disableLoopDetection",
    kind: Kind::Flag,
    standard: Standard::Flag(false),
    others: &[],
    about: "Whether repeated calls and texts are let through.",
};

static SUMMARIES: Setting = Setting {
    key: "model.summarizeToolOutput",
    kind: Kind::Anything,
    standard: Standard::Unset,
    others: &["summarizeToolOutput"],
    about: "The tools whose results a model summarises, with the tokens of each summary.",
};

static TRUNCATION: Setting = Setting {
    key: "tools.truncateToolOutputThreshold",
    kind: Kind::Signed("characters"),
    standard: Standard::Whole(40_000),
    others: &[],
    about: "The most characters of a result: a fifth from its start, the rest from its end.",
};

static PROTECTED: Setting = Setting {
    key: "contextManagement.tools.outputMasking.protectionThresholdTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Whole(50_000),
    others: &[],
    about: "The newest tokens of results that are never masked.",
};

static LEAST_MASKED: Setting = Setting {
    key: "contextManagement.tools.outputMasking.minPrunableThresholdTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Whole(30_000),
    others: &[],
    about: "The least tokens that are masked at once.",
};

static LATEST_TURN: Setting = Setting {
    key: "contextManagement.tools.outputMasking.protectLatestTurn",
    kind: Kind::Flag,
    standard: Standard::Flag(true),
    others: &[],
    about: "Whether the results of the newest turn are never masked.",
};

static HISTORY: Setting = Setting {
    key: "contextManagement.historyWindow.maxTokens",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    standard: Standard::Unset,
    others: &[],
    about: "The tokens at which the experimental context manager compresses.",
};

static RETAINED: Setting = Setting {
    key: "contextManagement.historyWindow.retainedTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Unset,
    others: &[],
    about: "The newest tokens that it keeps.",
};

static MESSAGE: Setting = Setting {
    key: "contextManagement.messageLimits.normalMaxTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Unset,
    others: &[],
    about: "The most tokens of an older turn.",
};

static RETAINED_MESSAGE: Setting = Setting {
    key: "contextManagement.messageLimits.retainedMaxTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Unset,
    others: &[],
    about: "The most tokens of a newer turn.",
};

static HEAD: Setting = Setting {
    key: "contextManagement.messageLimits.normalizationHeadRatio",
    kind: Kind::Share,
    standard: Standard::Unset,
    others: &[],
    about: "The share of a shortened turn that comes from its start.",
};

static DISTILLED: Setting = Setting {
    key: "contextManagement.tools.distillation.maxOutputTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Unset,
    others: &[],
    about: "The most tokens of a result under the experimental context manager.",
};

static SUMMARISED: Setting = Setting {
    key: "contextManagement.tools.distillation.summarizationThresholdTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Unset,
    others: &[],
    about: "The tokens of a result above which a model summarises it.",
};

/// The messages that are kept where the system keeps a share of the conversation.
const KEPT: u64 = 10;
const EXPERIMENTAL: &str = "the experimental context manager is not written as rules";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    truncation(values, draft);
    masking(values, draft);
    compression(values, draft);
    turns(values, draft);
    if values.flag(&LOOPS) == Some(true) {
        draft.nothing(&LOOPS, "no rule looks for loops");
    } else {
        loops(draft);
    }
    draft.impossible(&SUMMARIES, "a summary of each result is not written");
    for setting in [&HISTORY, &RETAINED, &MESSAGE, &RETAINED_MESSAGE, &HEAD, &DISTILLED, &SUMMARISED] {
        draft.impossible(setting, EXPERIMENTAL);
    }
}

fn truncation(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(limit) = values.positive(&TRUNCATION) else {
        return draft.nothing(&TRUNCATION, "no rule shortens results");
    };
    let limit = draft.hole(&TRUNCATION, Quantity::whole(limit, Unit::Chars));
    let clause = format!("do trim arrivals over {limit} to {limit} from middle including errors");
    draft.rule("truncate_output", "Shortens long results.", &[clause]);
    draft.approximate(
        &TRUNCATION,
        "rule `truncate_output`",
        "it keeps a fifth from the start and the rest from the end, the rule as much of both",
    );
}

fn masking(values: &Values<'_>, draft: &mut Draft<'_>) {
    let least = Quantity::whole(values.whole(&LEAST_MASKED).unwrap_or(0), Unit::Tokens);
    let least = draft.hole(&LEAST_MASKED, least);
    let kept = u64::from(values.flag(&LATEST_TURN) != Some(false));
    let kept = draft.hole(&LATEST_TURN, counted(kept, "interaction"));
    let clause = format!("do mask results keep {kept} at_least {least}");
    draft.rule("mask_output", "Masks old results.", &[clause]);
    draft.exact(&LEAST_MASKED, "`at_least` of rule `mask_output`");
    draft.exact(&LATEST_TURN, "`keep` of rule `mask_output`");
    draft.impossible(&PROTECTED, "a tail in tokens is not written: the rule masks earlier and more");
}

fn compression(values: &Values<'_>, draft: &mut Draft<'_>) {
    let share = values.number(&THRESHOLD).unwrap_or_default();
    let share = draft.hole(&THRESHOLD, Quantity::new(share, Unit::Share));
    draft.rule(
        "compress",
        "Summarises the older part of the conversation at the start of a turn.",
        &[
            format!("when context.ratio >= {share} and iteration == 0"),
            format!("do summarise older keep {KEPT} messages"),
            "on_failure keep".to_owned(),
        ],
    );
    draft.exact(&THRESHOLD, "`when` of rule `compress`");
    draft.built_in(
        "what compression keeps",
        "`keep` of rule `compress`",
        Fidelity::Approximate,
        "it keeps the newest 30% of the conversation, the rule ten messages",
    );
}

fn turns(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(most) = values.positive(&TURNS) else { return draft.nothing(&TURNS, "") };
    let most = draft.hole(&TURNS, format!("{most}"));
    let text = quoted("The session has reached its limit of turns.");
    draft.rule(
        "session_turns",
        "Ends a session that is too long.",
        &[format!("when run >= {most}"), format!("do stop {text}")],
    );
    draft.exact(&TURNS, "rule `session_turns`");
}

fn loops(draft: &mut Draft<'_>) {
    draft.rule(
        "loop_detection",
        "Ends a run that repeats a call.",
        &["when repeats(within: 20 calls) >= 5".to_owned(), format!("do stop {}", quoted("The last calls repeat."))],
    );
    draft.approximate(
        &LOOPS,
        "rule `loop_detection`",
        "it also finds repeated patterns of calls and texts, and first tells the model about them",
    );
}
