//! Gemini CLI: `settings.json`.
//!
//! What the options do is decided in `packages/core/src` of <https://github.com/google-gemini/gemini-cli>: in `core/client.ts` and
//! `context/chatCompressionService.ts`, `context/toolOutputMaskingService.ts`, `utils/fileUtils.ts` and `utils/summarizer.ts`. Which of
//! them a file reaches is decided in `packages/cli/src/config/config.ts`.

use trimtab_base::quantity::{Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, quoted};
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "gemini-cli",
    title: "Gemini CLI",
    file: "~/.gemini/settings.json",
    syntax: Syntax::Json,
    version: "0.61",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &[".gemini/settings.json"],
    schemas: &["gemini-cli"],
    marks: &["model.name", "security.auth", "general.previewFeatures", "tools.core", "contextManagement"],
    sections: &[
        Section { path: "model", others: None, has_strings: false },
        Section { path: "model.summarizeToolOutput", others: None, has_strings: false },
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
        &SHELL_SUMMARY,
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
    default: DefaultValue::Share("0.5"),
    aliases: &["model.chatCompression.contextPercentageThreshold", "chatCompression.contextPercentageThreshold"],
    about: "The share of the window at which the conversation is compressed.",
};

static TURNS: Setting = Setting {
    key: "model.maxSessionTurns",
    kind: Kind::Signed("turns"),
    default: DefaultValue::Unset,
    aliases: &["maxSessionTurns"],
    about: "The maximum number of model calls in a session; -1 means no limit.",
};

static LOOPS: Setting = Setting {
    key: "model.disableLoopDetection",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Whether repeated calls and texts are let through.",
};

static SUMMARIES: Setting = Setting {
    key: "model.summarizeToolOutput",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &["summarizeToolOutput"],
    about: "The tools whose results a model summarises. Only `run_shell_command` can be one of them.",
};

static SHELL_SUMMARY: Setting = Setting {
    key: "model.summarizeToolOutput.run_shell_command.tokenBudget",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &["summarizeToolOutput.run_shell_command.tokenBudget"],
    about: "The maximum number of tokens in the summary of a command's output; 2,000 by default.",
};

static TRUNCATION: Setting = Setting {
    key: "tools.truncateToolOutputThreshold",
    kind: Kind::Signed("characters"),
    default: DefaultValue::Whole(40_000),
    aliases: &[],
    about: "The maximum number of characters in the result of a command or of an MCP tool: a fifth from its start, the rest from its end.",
};

static PROTECTED: Setting = Setting {
    key: "contextManagement.tools.outputMasking.protectionThresholdTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of newest tokens of results that are never masked. Without effect.",
};

static LEAST_MASKED: Setting = Setting {
    key: "contextManagement.tools.outputMasking.minPrunableThresholdTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The minimum number of tokens masked at once. Without effect.",
};

static LATEST_TURN: Setting = Setting {
    key: "contextManagement.tools.outputMasking.protectLatestTurn",
    kind: Kind::Flag,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Whether the newest message is never masked. Without effect.",
};

static HISTORY: Setting = Setting {
    key: "contextManagement.historyWindow.maxTokens",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of tokens at which the experimental context manager compresses. Without effect.",
};

static RETAINED: Setting = Setting {
    key: "contextManagement.historyWindow.retainedTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of newest tokens that it keeps. Without effect.",
};

static MESSAGE: Setting = Setting {
    key: "contextManagement.messageLimits.normalMaxTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum number of tokens in an older turn. Without effect.",
};

static RETAINED_MESSAGE: Setting = Setting {
    key: "contextManagement.messageLimits.retainedMaxTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum number of tokens in a newer turn. Without effect.",
};

static HEAD: Setting = Setting {
    key: "contextManagement.messageLimits.normalizationHeadRatio",
    kind: Kind::Share,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The share of a shortened turn that comes from its start. Without effect.",
};

static DISTILLED: Setting = Setting {
    key: "contextManagement.tools.distillation.maxOutputTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum number of tokens in a result under the experimental context manager. Without effect.",
};

static SUMMARISED: Setting = Setting {
    key: "contextManagement.tools.distillation.summarizationThresholdTokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of tokens above which a model summarises a result. Without effect.",
};

/// The options that begin with this are documented, and have no effect: `loadCliConfig` of version 0.61 passes none of them on.
const UNREAD: &str = "contextManagement.";
/// The number of newest tokens of results that are never masked: `DEFAULT_TOOL_PROTECTION_THRESHOLD`.
const UNMASKED_TOKENS: u64 = 50_000;
/// The minimum number of tokens masked at once: `DEFAULT_MIN_PRUNABLE_TOKENS_THRESHOLD`.
const LEAST_MASKED_TOKENS: u64 = 30_000;
/// The tool that runs commands.
const SHELL: &str = "run_shell_command";
/// The tokens of a summary of output if they are not written.
const USUAL_SUMMARY: u64 = 2_000;
/// The tools whose results are never masked.
const UNMASKED: &str = "[activate_skill, ask_user, enter_plan_mode, exit_plan_mode]";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    summaries(values, draft);
    truncation(values, draft);
    compression(values, draft);
    masking(draft);
    turns(values, draft);
    if values.flag(&LOOPS) == Some(true) {
        draft.nothing(&LOOPS, "no rule looks for loops");
    } else {
        loops(draft);
    }
    for setting in SYSTEM.settings.iter().filter(|setting| setting.key.starts_with(UNREAD)) {
        draft.nothing(setting, "Gemini CLI does not read it");
    }
}

/// Summaries of the output of commands, before anything shortens it. Their length in tokens is compared with that of the output in
/// characters.
fn summaries(values: &Values<'_>, draft: &mut Draft<'_>) {
    let is_on = SUMMARIES.aliases.iter().chain([&SUMMARIES.key]).any(|key| values.has(&format!("{key}.{SHELL}")));
    if !is_on {
        draft.nothing(&SUMMARIES, "no tool is named whose results can be summarised");
        return draft.nothing(&SHELL_SUMMARY, "");
    }
    let budget = values.whole(&SHELL_SUMMARY).unwrap_or(USUAL_SUMMARY);
    let [over, most] =
        [Unit::Chars, Unit::Tokens].map(|unit| draft.option_value(&SHELL_SUMMARY, Quantity::whole(budget, unit)));
    draft.rule(
        "summarize_output",
        "Summarises the output of commands.",
        &[format!("do summarise arrivals over {over} at_most {most} only [{SHELL}]"), "on_failure keep".to_owned()],
    );
    draft.exact(&SUMMARIES, "rule `summarize_output`");
    if values.is_written(&SHELL_SUMMARY) {
        draft.approximate(
            &SHELL_SUMMARY,
            "`over` and `at_most` of rule `summarize_output`",
            "some versions ignore it and write up to 2,000 tokens",
        );
    } else {
        draft.exact(&SHELL_SUMMARY, "`over` and `at_most` of rule `summarize_output`");
    }
}

fn truncation(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(limit) = values.positive(&TRUNCATION) else {
        return draft.nothing(&TRUNCATION, "no rule shortens results");
    };
    let head = limit / 5;
    let [over, head, tail] =
        [limit, head, limit - head].map(|size| draft.option_value(&TRUNCATION, Quantity::whole(size, Unit::Chars)));
    let clause = format!("do trim arrivals over {over} from ends {head}, {tail} only [{SHELL}, mcp_*]");
    draft.rule("truncate_output", "Shortens long output of commands and of MCP tools.", &[clause]);
    draft.approximate(
        &TRUNCATION,
        "rule `truncate_output`",
        "a result of an MCP tool with several parts stays whole, and near the end of the window less is kept",
    );
}

fn compression(values: &Values<'_>, draft: &mut Draft<'_>) {
    let threshold = values.number(&THRESHOLD).unwrap_or_default();
    let share = draft.option_value(&THRESHOLD, Quantity::new(threshold, Unit::Share));
    draft.rule(
        "compress",
        "Summarises the older part of the conversation.",
        &[
            format!("when (reported.ratio ?? 0%) >= {share} and context.interactions > 1"),
            "do summarise older keep 1 interaction".to_owned(),
            "on_failure keep".to_owned(),
        ],
    );
    draft.exact(&THRESHOLD, "`when` of rule `compress`");
    draft.built_in(
        "what compression keeps",
        "`keep` of rule `compress`",
        Fidelity::Approximate,
        "it keeps the turns that begin in the newest 30% of the conversation, and always the newest one, which is the only \
         one that the rule keeps",
    );
    draft.built_in(
        "check of the summary",
        "rule `compress`",
        Fidelity::Approximate,
        "a second call of the model checks each summary; the rule pays for one call",
    );
    draft.built_in(
        "compression without effect",
        "",
        Fidelity::Impossible,
        "while the newest turn alone is above the threshold, it summarises what precedes it before each call, also a summary; \
         the rule does nothing then",
    );
}

fn masking(draft: &mut Draft<'_>) {
    let [kept, least] = [UNMASKED_TOKENS, LEAST_MASKED_TOKENS].map(|tokens| Quantity::whole(tokens, Unit::Tokens));
    let clause =
        format!("do mask results keep {kept} preview 500 chars except {UNMASKED} including errors at_least {least}");
    draft.rule("mask_output", "Masks old results.", &[clause]);
    draft.built_in(
        "masking of old results",
        "rule `mask_output`",
        Fidelity::Approximate,
        "it counts results alone, the rule all messages: it masks earlier and more; it never masks the newest message, the \
         rule does if that is longer",
    );
}

/// The turns that are counted are the requests to the model, also those with results of tools.
fn turns(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(most) = values.positive(&TURNS) else { return draft.nothing(&TURNS, "") };
    let most = draft.option_value(&TURNS, format!("{most}"));
    let text = quoted("The session has reached its limit of turns.");
    draft.rule(
        "session_turns",
        "Ends a session that is too long.",
        &[format!("when session.calls >= {most}"), format!("do stop {text}")],
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
