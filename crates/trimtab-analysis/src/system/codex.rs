//! Codex: `config.toml`.

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
    name: "codex",
    title: "Codex",
    file: "~/.codex/config.toml",
    syntax: Syntax::Toml,
    version: "0.169",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &[".codex/config.toml"],
    schemas: &[],
    marks: &["model_provider", "model_providers", "model_reasoning_effort", "approval_policy", "sandbox_mode"],
    sections: &[Section { path: "", others: None, has_strings: false }],
    settings: &[&MODEL, &WINDOW, &LIMIT, &SCOPE, &OUTPUT, &PROMPT, &PROMPT_FILE],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "tool_output",
            summary: "Cuts long results.",
            alternatives: &[
                &[(&OUTPUT, Amount::Whole(5_000))],
                &[(&OUTPUT, Amount::Whole(2_500))],
                &[(&OUTPUT, Amount::Whole(1_000))],
            ],
        },
        Adjustment {
            name: "compaction",
            summary: "Compacts earlier.",
            alternatives: &[
                &[(&LIMIT, Amount::ContextTokens(300_000))],
                &[(&LIMIT, Amount::ContextTokens(200_000))],
                &[(&LIMIT, Amount::ContextTokens(140_000))],
                &[(&LIMIT, Amount::ContextTokens(90_000))],
            ],
        },
    ],
    recordings: &["codex"],
    policy,
};

static MODEL: Setting = Setting {
    key: "model",
    kind: Kind::Text,
    default: DefaultValue::Computed("the newest model"),
    aliases: &[],
    about: "The model.",
};

static WINDOW: Setting = Setting {
    key: "model_context_window",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Computed("the window of the model"),
    aliases: &[],
    about: "The window of the model.",
};

static LIMIT: Setting = Setting {
    key: "model_auto_compact_token_limit",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Computed("90% of the window"),
    aliases: &[],
    about: "The number of tokens at which the conversation is compacted. It can only lower the limit of 90% of the window.",
};

static SCOPE: Setting = Setting {
    key: "model_auto_compact_token_limit_scope",
    kind: Kind::Word(&["total", "body_after_prefix"]),
    default: DefaultValue::Word("total"),
    aliases: &[],
    about: "Whether the instructions and tools count towards the limit.",
};

static OUTPUT: Setting = Setting {
    key: "tool_output_token_limit",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Computed("10,000 tokens, or the limit of the model"),
    aliases: &[],
    about: "The maximum number of tokens kept of a result, of 4 bytes each.",
};

static PROMPT: Setting = Setting {
    key: "compact_prompt",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The instructions for the summary. Compaction by the provider does not use it.",
};

static PROMPT_FILE: Setting = Setting {
    key: "experimental_compact_prompt_file",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "A file with the instructions for the summary.",
};

/// The percentage of the window at which compaction starts at the latest.
const LATEST: u64 = 90;
/// What compaction keeps of the messages of a person: the newest, up to `COMPACT_USER_MESSAGE_MAX_TOKENS` of
/// `codex-rs/core/src/compact.rs`.
const KEPT: &str = "pin users within 20k tokens";
/// The limit of a result that most models have, in tokens.
const USUAL_OUTPUT: u64 = 10_000;
/// The bytes that count as a token of a result: `APPROX_BYTES_PER_TOKEN` of `codex-rs/core/src/truncate.rs`.
const BYTES_PER_TOKEN: u64 = 4;
/// The most characters that Codex adds to a result that it cuts: the header with the exit code and the sizes, and the mark of the cut.
/// Results of 0.169 had 207 and 208; larger numbers and ids need more.
const HEADER: u64 = 256;

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    agent(values, draft);
    tool_output(values, draft);
    prompt(values, draft);
    auto_compact(values, draft);
    draft.built_in(
        "messages of the user",
        "`pin` of rule `auto_compact`",
        Fidelity::Approximate,
        "the one that exceeds 20,000 tokens is cut there; the rule keeps the request of the run whole, and leaves out another one",
    );
}

fn agent(values: &Values<'_>, draft: &mut Draft<'_>) {
    match values.text(&MODEL) {
        Some(model) => {
            let name = draft.name(&MODEL, model);
            let model = draft.option_value(&MODEL, name);
            draft.agent("model", model);
            draft.exact(&MODEL, "`model` in the `agent` block");
        }
        None => draft.nothing(&MODEL, "the recording or the host has the model"),
    }
    match values.whole(&WINDOW) {
        Some(window) => {
            let window = draft.option_value(&WINDOW, Quantity::whole(window, Unit::Tokens));
            draft.agent("window", window);
            draft.exact(&WINDOW, "`window` in the `agent` block");
        }
        None => draft.nothing(&WINDOW, "the recording or the host has the window"),
    }
}

fn tool_output(values: &Values<'_>, draft: &mut Draft<'_>) {
    const BECAME: &str = "rule `tool_output`";
    const BYTES: &str = "Codex counts bytes and the rule characters, so that it keeps more of text that is not ASCII";
    let tokens = values.whole(&OUTPUT).unwrap_or(USUAL_OUTPUT);
    let limit = tokens.saturating_mul(BYTES_PER_TOKEN).saturating_add(HEADER);
    let limit = draft.option_value(&OUTPUT, Quantity::whole(limit, Unit::Chars));
    let clause = format!("do trim arrivals over {limit} to {limit} from middle including errors");
    draft.rule("tool_output", "Shortens long results.", &[clause]);
    if values.is_written(&OUTPUT) {
        draft.approximate(&OUTPUT, BECAME, BYTES);
    } else {
        let reason = format!("some models have a limit of 10,000 bytes, which is shorter; {BYTES}");
        draft.approximate(&OUTPUT, BECAME, reason);
    }
}

fn prompt(values: &Values<'_>, draft: &mut Draft<'_>) {
    match values.text(&PROMPT) {
        Some(text) => {
            draft.prompt(&PROMPT, "compaction", text);
            draft.approximate(&PROMPT, "prompt `compaction`", "compaction by the provider does not use it");
        }
        None => draft.nothing(&PROMPT, ""),
    }
    draft.impossible(&PROMPT_FILE, "the text is in another file: write it in the prompt `compaction`");
}

fn auto_compact(values: &Values<'_>, draft: &mut Draft<'_>) {
    let condition = condition(values, draft);
    let using = if values.text(&PROMPT).is_some() { " using compaction" } else { "" };
    draft.rule(
        "auto_compact",
        "Replaces the conversation with a summary at the limit.",
        &[format!("when {condition}"), format!("do summarise all{using} {KEPT}"), "on_failure stop".to_owned()],
    );
    if values.text(&SCOPE).is_some_and(|scope| scope == "body_after_prefix") {
        draft.impossible(
            &SCOPE,
            "no fact is the size of the context without instructions and tools: the rule compacts earlier",
        );
    } else {
        draft.exact(&SCOPE, "`when` of rule `auto_compact`");
    }
}

/// When the conversation is compacted.
fn condition(values: &Values<'_>, draft: &mut Draft<'_>) -> String {
    const BECAME: &str = "`when` of rule `auto_compact`";
    let latest = format!("context.ratio >= {LATEST}%");
    let Some(limit) = values.whole(&LIMIT) else {
        draft.exact(&LIMIT, BECAME);
        return latest;
    };
    let most =
        values.whole(&WINDOW).map(|window| whole(Decimal::from(window) * Decimal::from(LATEST) / Decimal::ONE_HUNDRED));
    if most.is_some_and(|most| limit > most) {
        draft.nothing(&LIMIT, "it is above 90% of the window, the limit that it can only lower");
        return latest;
    }
    let tokens = draft.option_value(&LIMIT, Quantity::whole(limit, Unit::Tokens));
    draft.exact(&LIMIT, BECAME);
    let later = if most.is_some() { String::new() } else { format!(" or {latest}") };
    format!("context.tokens >= {tokens}{later}")
}
