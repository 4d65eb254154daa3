//! Claude Code: `settings.json`, with the variables of its `env`.
//!
//! The window for compaction comes from the variable first, then from the setting. Compaction starts when what is left of the window,
//! less the room for a reply, falls below 13,000 tokens; a percentage can only lower that.

use trimtab_base::quantity::{Decimal, Quantity, Unit, whole};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::Draft;
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "claude-code",
    title: "Claude Code",
    file: "~/.claude/settings.json",
    syntax: Syntax::Json,
    version: "2.1.311",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &[".claude/settings.json", ".claude/settings.local.json", "managed-settings.json"],
    schemas: &["claude-code-settings"],
    marks: &["permissions", "statusLine", "enabledPlugins", "hooks", "env.ANTHROPIC_BASE_URL", "env.ANTHROPIC_MODEL"],
    sections: &[
        Section { path: "", others: None, has_strings: false },
        Section { path: "env", others: None, has_strings: true },
    ],
    settings: &[
        &ENABLED,
        &DISABLE_AUTO,
        &DISABLE_ALL,
        &WINDOW_VARIABLE,
        &WINDOW,
        &WINDOWS_BY_MODEL,
        &PERCENT,
        &MAX_OUTPUT,
        &BASH_OUTPUT,
        &MCP_OUTPUT,
        &FILE_OUTPUT,
        &BEFORE_COMPACTION,
        &AFTER_COMPACTION,
    ],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "bash_output",
            summary: "Cuts the output of commands.",
            alternatives: &[
                &[(&BASH_OUTPUT, Amount::Whole(16_000))],
                &[(&BASH_OUTPUT, Amount::Whole(8_000))],
                &[(&BASH_OUTPUT, Amount::Whole(4_000))],
            ],
        },
        Adjustment {
            name: "mcp_output",
            summary: "Cuts results of MCP tools.",
            alternatives: &[
                &[(&MCP_OUTPUT, Amount::Whole(10_000))],
                &[(&MCP_OUTPUT, Amount::Whole(5_000))],
                &[(&MCP_OUTPUT, Amount::Whole(2_500))],
            ],
        },
        Adjustment {
            name: "compaction",
            summary: "Compacts earlier.",
            alternatives: &[
                &[(&WINDOW_VARIABLE, Amount::ContextTokens(500_000))],
                &[(&WINDOW_VARIABLE, Amount::ContextTokens(300_000))],
                &[(&WINDOW_VARIABLE, Amount::ContextTokens(200_000))],
                &[(&WINDOW_VARIABLE, Amount::ContextTokens(150_000))],
                &[(&WINDOW_VARIABLE, Amount::ContextTokens(100_000))],
            ],
        },
    ],
    recordings: &["claude_code"],
    policy,
};

static ENABLED: Setting = Setting {
    key: "autoCompactEnabled",
    kind: Kind::Flag,
    default: DefaultValue::Flag(true),
    aliases: &[],
    about: "Whether the conversation is compacted automatically. Before 2.1.3 it was read from another file.",
};

static DISABLE_AUTO: Setting = Setting {
    key: "env.DISABLE_AUTO_COMPACT",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Turns automatic compaction off.",
};

static DISABLE_ALL: Setting = Setting {
    key: "env.DISABLE_COMPACT",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Turns automatic and manual compaction off.",
};

static WINDOW_VARIABLE: Setting = Setting {
    key: "env.CLAUDE_CODE_AUTO_COMPACT_WINDOW",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The window that compaction is computed for. It takes precedence over `autoCompactWindow`.",
};

static WINDOW: Setting = Setting {
    key: "autoCompactWindow",
    kind: Kind::AnyOf(&[Kind::Whole("tokens", 100_000, 1_000_000), Kind::Word(&["auto"])]),
    default: DefaultValue::Computed("the window of the model"),
    aliases: &[],
    about: "The window that compaction is computed for. One above the window of the model has no effect.",
};

static WINDOWS_BY_MODEL: Setting = Setting {
    key: "modelSettings",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The window that compaction is computed for, for each model.",
};

static PERCENT: Setting = Setting {
    key: "env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
    kind: Kind::Percent,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The share of the window, less the room for a reply, at which compaction starts. It can only lower the threshold.",
};

static MAX_OUTPUT: Setting = Setting {
    key: "env.CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Computed("the maximum output of the model"),
    aliases: &[],
    about: "The maximum number of output tokens. Compaction keeps room for at most 20,000 of them.",
};

static BASH_OUTPUT: Setting = Setting {
    key: "env.BASH_MAX_OUTPUT_LENGTH",
    kind: Kind::Whole("characters", 1, u64::MAX),
    default: DefaultValue::Whole(30_000),
    aliases: &[],
    about: "The maximum number of characters sent of a command's output, up to 150,000.",
};

static MCP_OUTPUT: Setting = Setting {
    key: "env.MAX_MCP_OUTPUT_TOKENS",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Whole(25_000),
    aliases: &[],
    about: "The maximum number of tokens in a result of an MCP tool.",
};

static FILE_OUTPUT: Setting = Setting {
    key: "env.CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum number of tokens of a file that is read at once. A longer file is an error, and the agent reads it in parts.",
};

static BEFORE_COMPACTION: Setting = Setting {
    key: "hooks.PreCompact",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Commands that run before compaction and may prevent it.",
};

static AFTER_COMPACTION: Setting = Setting {
    key: "hooks.PostCompact",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Commands that run after compaction.",
};

/// The tokens that are kept free besides the room for a reply.
const BUFFER: u64 = 13_000;
/// The most room that is kept for a reply.
const MOST_ROOM: u64 = 20_000;
/// The most characters of a command's output, whatever is written.
const MOST_BASH_OUTPUT: u64 = 150_000;
fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    bash_output(values, draft);
    mcp_output(values, draft);
    draft.impossible(&FILE_OUTPUT, "a longer file is an error, which the agent answers with other calls");
    clear_after_pause(draft);
    auto_compact(values, draft);
    draft.impossible(&WINDOWS_BY_MODEL, "a threshold for each model is not written");
    draft.impossible(&BEFORE_COMPACTION, "a command may prevent the compaction or add instructions");
    draft.impossible(&AFTER_COMPACTION, "a command is not part of a policy");
}

fn bash_output(values: &Values<'_>, draft: &mut Draft<'_>) {
    let limit = values.whole(&BASH_OUTPUT).unwrap_or(MOST_BASH_OUTPUT).min(MOST_BASH_OUTPUT);
    let limit = draft.option_value(&BASH_OUTPUT, Quantity::whole(limit, Unit::Chars));
    let clause = format!("do trim arrivals over {limit} to {limit} from middle only [Bash] including errors");
    draft.rule("bash_output", "Shortens the output of commands.", &[clause]);
    draft.approximate(
        &BASH_OUTPUT,
        "rule `bash_output`",
        "newer versions write long output to a file and send its start and its path",
    );
}

fn mcp_output(values: &Values<'_>, draft: &mut Draft<'_>) {
    let limit = Quantity::whole(values.whole(&MCP_OUTPUT).unwrap_or(u64::MAX), Unit::Tokens);
    let limit = draft.option_value(&MCP_OUTPUT, limit);
    let clause = format!("do trim arrivals over {limit} to {limit} from head only [mcp__*] including errors");
    draft.rule("mcp_output", "Shortens results of MCP tools.", &[clause]);
    draft.approximate(
        &MCP_OUTPUT,
        "rule `mcp_output`",
        "newer versions write a longer result to a file and send its path",
    );
}

/// The flag that turns this on is off by default, and is set for users from outside.
fn clear_after_pause(draft: &mut Draft<'_>) {
    draft.built_in(
        "clearing after a pause",
        "",
        Fidelity::Approximate,
        "off, unless Anthropic switches it on for a user, which no setting shows: it then clears all but the newest 5 \
         results after 60 minutes",
    );
}

fn auto_compact(values: &Values<'_>, draft: &mut Draft<'_>) {
    if let Some(switch) = off(values) {
        for setting in [&ENABLED, &DISABLE_AUTO, &DISABLE_ALL] {
            let reason = if setting.key == switch.key { "no rule compacts" } else { "" };
            draft.nothing(setting, reason);
        }
        for setting in [&WINDOW_VARIABLE, &WINDOW, &PERCENT, &MAX_OUTPUT] {
            draft.nothing(setting, "automatic compaction is off");
        }
        return;
    }
    let room = values.whole(&MAX_OUTPUT).map_or(MOST_ROOM, |most| most.min(MOST_ROOM));
    let reserve = draft.option_value(&MAX_OUTPUT, Quantity::whole(room, Unit::Tokens));
    draft.agent("reserve", reserve);
    let condition = match window(values) {
        Some((setting, window)) => absolute(values, draft, setting, window, room),
        None => relative(values, draft),
    };
    draft.rule(
        "auto_compact",
        "Replaces the conversation with a summary before the window is full.",
        &[format!("when {condition}"), "do summarise all".to_owned(), "on_failure keep".to_owned()],
    );
    for setting in [&ENABLED, &DISABLE_AUTO, &DISABLE_ALL] {
        draft.exact(setting, "rule `auto_compact`");
    }
    draft.exact(&MAX_OUTPUT, "`reserve` in the `agent` block");
    draft.built_in(
        "files read again",
        "",
        Fidelity::Impossible,
        "after compaction up to five files are read again, which adds up to 25,000 tokens",
    );
}

/// The option that turns compaction off.
fn off(values: &Values<'_>) -> Option<&'static Setting> {
    let is_on = |setting: &Setting| values.flag(setting) == Some(true);
    match () {
        () if is_on(&DISABLE_ALL) => Some(&DISABLE_ALL),
        () if is_on(&DISABLE_AUTO) => Some(&DISABLE_AUTO),
        () if values.flag(&ENABLED) == Some(false) => Some(&ENABLED),
        () => None,
    }
}

/// The window that is written, and the option that it is written in.
fn window(values: &Values<'_>) -> Option<(&'static Setting, u64)> {
    [&WINDOW_VARIABLE, &WINDOW].into_iter().find_map(|setting| Some((setting, values.whole(setting)?)))
}

/// The condition for a window that is written.
fn absolute(values: &Values<'_>, draft: &mut Draft<'_>, setting: &Setting, window: u64, room: u64) -> String {
    let usable = window.saturating_sub(room);
    let usual = usable.saturating_sub(BUFFER);
    let wanted = values.number(&PERCENT).map(|percent| whole(Decimal::from(usable) * percent / Decimal::ONE_HUNDRED));
    let lowered = wanted.filter(|wanted| *wanted < usual);
    let threshold = Quantity::whole(lowered.unwrap_or(usual), Unit::Tokens);
    let origin = if lowered.is_some() { &PERCENT } else { setting };
    let threshold = draft.option_value(origin, threshold);
    window_rows(draft, setting);
    match (wanted, lowered) {
        (Some(_), Some(_)) => draft.approximate(&PERCENT, "`when` of rule `auto_compact`", IGNORED_PERCENT),
        (Some(_), None) => draft.nothing(&PERCENT, "it is above the usual threshold, which it can only lower"),
        (None, _) => draft.nothing(&PERCENT, ""),
    }
    format!("context.tokens >= {threshold}")
}

/// 2.1.332 names this mode in its schema of the field `enforced`, and did not compact at 242,000 tokens of a window of 200,000 while no request
/// was rejected. With a window that was written, it compacted at the threshold.
const REACTIVE: &str = "some versions compact only after the API has rejected a request as too long, unless a window is \
                        set: they compact later";

const IGNORED_PERCENT: &str = "some versions ignore it in `env` and take it from the shell only: they compact later";

fn window_rows(draft: &mut Draft<'_>, setting: &Setting) {
    for other in [&WINDOW_VARIABLE, &WINDOW] {
        if other.key == setting.key {
            let reason = "a window above that of the model has no effect there: it compacts earlier";
            draft.approximate(other, "`when` of rule `auto_compact`", reason);
        } else {
            draft.nothing(other, format!("`{}` takes precedence or it is not set", setting.key));
        }
    }
}

/// The condition for the window of the model, which is known later.
fn relative(values: &Values<'_>, draft: &mut Draft<'_>) -> String {
    draft.exact(&WINDOW, "`when` of rule `auto_compact`");
    draft.nothing(&WINDOW_VARIABLE, "");
    draft.built_in("compaction after a rejection", "", Fidelity::Approximate, REACTIVE);
    let free = format!("context.free <= {}", Quantity::whole(BUFFER, Unit::Tokens));
    let Some(percent) = values.number(&PERCENT) else {
        draft.nothing(&PERCENT, "");
        return free;
    };
    let share = draft.option_value(&PERCENT, Quantity::new(percent / Decimal::ONE_HUNDRED, Unit::Share));
    let reason = format!("it is a share of the whole window here, so the rule compacts later; {IGNORED_PERCENT}");
    draft.approximate(&PERCENT, "`when` of rule `auto_compact`", reason);
    format!("{free} or context.ratio >= {share}")
}
