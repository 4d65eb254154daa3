//! OpenCode: `opencode.json`.
//!
//! The options are those of its configuration schema, <https://opencode.ai/config.json>.

use trimtab_base::quantity::{Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted, quoted};
use super::kind::Kind;
use super::row::Fidelity;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "opencode",
    title: "OpenCode",
    file: "opencode.json",
    syntax: Syntax::Json,
    version: "1.18.34",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &["opencode.json", "opencode.jsonc"],
    schemas: &["opencode.ai/config"],
    marks: &["compaction", "provider", "agent", "permission"],
    sections: &[Section { path: "compaction", others: Some(&["mode", "keep"]), has_strings: false }],
    settings: &[&AUTO, &RESERVED, &TAIL, &RECENT, &PRUNE, &CONTEXT, &OUTPUT],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "prune",
            summary: "Clears old output of tools at the end of a turn.",
            alternatives: &[&[(&PRUNE, Amount::Flag(true))]],
        },
        Adjustment {
            name: "tail",
            summary: "Keeps less of the newest turns when it compacts.",
            alternatives: &[&[(&RECENT, Amount::Whole(5_000))], &[(&RECENT, Amount::Whole(1_000))]],
        },
    ],
    recordings: &["opencode"],
    policy,
};

static AUTO: Setting = Setting {
    key: "compaction.auto",
    kind: Kind::Flag,
    default: DefaultValue::Flag(true),
    aliases: &[],
    about: "Whether the conversation is compacted when the window is full.",
};

static RESERVED: Setting = Setting {
    key: "compaction.reserved",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Computed("the maximum output of the model, up to 20,000"),
    aliases: &["compaction.buffer"],
    about: "The number of tokens that are kept free. If the model has no `limit.input`, `limit.output` is used instead.",
};

static TAIL: Setting = Setting {
    key: "compaction.tail_turns",
    kind: Kind::Whole("turns", 0, u64::MAX),
    default: DefaultValue::Whole(2),
    aliases: &[],
    about: "The number of newest user turns kept after a compaction.",
};

static RECENT: Setting = Setting {
    key: "compaction.preserve_recent_tokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Computed("25% of window minus reserve, 2,000 to 15,000"),
    aliases: &["compaction.keep.tokens"],
    about: "The maximum number of tokens kept from those turns.",
};

static PRUNE: Setting = Setting {
    key: "compaction.prune",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Whether old output of tools is cleared at the end of a turn.",
};

static CONTEXT: Setting = Setting {
    key: "provider.*.models.*.limit.context",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Computed("the window of the model"),
    aliases: &[],
    about: "The window of a model.",
};

static OUTPUT: Setting = Setting {
    key: "provider.*.models.*.limit.output",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Computed("the maximum output of the model"),
    aliases: &[],
    about: "The maximum number of output tokens.",
};

/// The largest default reserve.
const DEFAULT_RESERVE_LIMIT: u64 = 20_000;
/// The smallest older output of which something is cleared: at least 20,000 tokens are cleared, and the newest 40,000 stay.
const MIN_PRUNED: u64 = 60_000;
/// The largest window of a model.
const LARGEST_WINDOW: u64 = 1_000_000;
/// The minimum and the maximum number of tokens of the newest turns that are kept by default.
const DEFAULT_TAIL_RANGE: [u64; 2] = [2_000, 15_000];
/// The placeholder of cleared output.
const CLEARED: &str = "[Old tool result content cleared]";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    window(values, draft);
    prune(values, draft);
    compact(values, draft);
}

fn window(values: &Values<'_>, draft: &mut Draft<'_>) {
    match (values.whole(&CONTEXT), values.times(&CONTEXT)) {
        (Some(tokens @ 1..), 1) => {
            let window = draft.option_value(&CONTEXT, Quantity::whole(tokens, Unit::Tokens));
            draft.agent("window", window);
            draft.exact(&CONTEXT, "`window` in the `agent` block");
        }
        (Some(0), 1) => draft.approximate(&CONTEXT, "", "0 means that the window is unknown and nothing is compacted"),
        (None, _) => draft.nothing(&CONTEXT, "the recording or the host has the window"),
        _ => draft.approximate(
            &CONTEXT,
            "",
            "several models have a window; the recording or the host has the one in use",
        ),
    }
}

/// The rule runs at the start of the next turn, so it also counts that turn's user message as an interaction.
fn prune(values: &Values<'_>, draft: &mut Draft<'_>) {
    if values.flag(&PRUNE) != Some(true) {
        return draft.nothing(&PRUNE, "no rule clears output");
    }
    let mask = draft.option_value(&PRUNE, "mask");
    let least = Quantity::whole(MIN_PRUNED, Unit::Tokens);
    let clause = format!(
        "do {mask} results keep 3 interactions except [skill] at_least {least} placeholder {}",
        quoted(CLEARED)
    );
    draft.rule(
        "prune",
        "Clears old output of tools at the start of a turn.",
        &["when iteration == 0".to_owned(), clause],
    );
    draft.approximate(
        &PRUNE,
        "rule `prune`",
        "it keeps the newest 40,000 tokens of the output before the last two turns and clears the rest; the rule begins \
         as late, and clears all of it",
    );
}

fn compact(values: &Values<'_>, draft: &mut Draft<'_>) {
    if values.flag(&AUTO) == Some(false) {
        draft.nothing(&AUTO, "no rule compacts");
        return for_each(&[&RESERVED, &TAIL, &RECENT, &OUTPUT], |setting| {
            draft.nothing(setting, "automatic compaction is off");
        });
    }
    let reserved = reserve(values, draft);
    let kept = tail(values, draft, reserved);
    let when = draft.option_value(&AUTO, "context.free");
    draft.rule(
        "compact",
        "Summarises all but the newest turns when the reserve is reached.",
        &[format!("when {when} <= 0 tokens"), format!("do summarise older keep {kept}"), "on_failure stop".to_owned()],
    );
    draft.exact(&AUTO, "rule `compact`");
    draft.built_in(
        "failed compactions",
        "`on_failure stop` of rule `compact`",
        Fidelity::Approximate,
        "before it stops, it tries again without results and with fewer turns",
    );
}

/// What is kept beside the summary: the newest turns, and no more tokens of them than this.
fn tail(values: &Values<'_>, draft: &mut Draft<'_>, reserved: u64) -> String {
    const BECAME: &str = "`keep` of rule `compact`";
    const OLDER: &str = "if these turns have fewer tokens than the rule keeps, it keeps older turns too";
    let turns = values.whole(&TAIL).unwrap_or(2);
    let window = values.positive(&CONTEXT).filter(|_| values.times(&CONTEXT) == 1);
    if turns == 0 {
        draft.exact(&TAIL, BECAME);
        draft.nothing(&RECENT, "no turn is kept");
        return draft.option_value(&TAIL, "0 messages");
    }
    let (setting, tokens) = match (values.whole(&RECENT), window) {
        (Some(tokens), _) if tokens >= window.unwrap_or(LARGEST_WINDOW) => {
            draft.exact(&TAIL, BECAME);
            draft.nothing(&RECENT, "the turns have no more tokens than that");
            return draft.option_value(&TAIL, counted(turns, "interaction"));
        }
        (Some(tokens), _) => {
            draft.exact(&RECENT, BECAME);
            (&RECENT, tokens)
        }
        (None, Some(window)) => {
            draft.exact(&RECENT, BECAME);
            let [minimum, maximum] = DEFAULT_TAIL_RANGE;
            (&CONTEXT, (window.saturating_sub(reserved) / 4).clamp(minimum, maximum))
        }
        (None, None) => {
            draft.approximate(&RECENT, BECAME, "a window below 80,000 tokens keeps less");
            (&RECENT, DEFAULT_TAIL_RANGE[1])
        }
    };
    draft.approximate(&TAIL, "", OLDER);
    draft.option_value(setting, Quantity::whole(tokens, Unit::Tokens))
}

fn for_each(settings: &[&Setting], mut each: impl FnMut(&Setting)) {
    for setting in settings {
        each(setting);
    }
}

/// The room that is kept free, in the `agent` block.
fn reserve(values: &Values<'_>, draft: &mut Draft<'_>) -> u64 {
    const BECAME: &str = "`reserve` in the `agent` block";
    let one = |setting: &Setting| values.whole(setting).filter(|_| values.times(setting) == 1);
    let output = one(&OUTPUT);
    let (setting, tokens) = match (values.whole(&RESERVED), output) {
        (Some(tokens), _) => (&RESERVED, tokens),
        (None, Some(output)) => (&OUTPUT, output.min(DEFAULT_RESERVE_LIMIT)),
        (None, None) => (&RESERVED, DEFAULT_RESERVE_LIMIT),
    };
    let reserve = draft.option_value(setting, Quantity::whole(tokens, Unit::Tokens));
    draft.agent("reserve", reserve);
    if values.is_written(&RESERVED) {
        written_reserve(values, draft, BECAME);
    } else {
        let reason = "models with a smaller maximum output compact later; models without `limit.input` and with a \
                      larger one compact earlier";
        draft.approximate(&RESERVED, BECAME, reason);
        if output.is_some() { draft.exact(&OUTPUT, BECAME) } else { draft.nothing(&OUTPUT, "") }
    }
    tokens
}

/// The rows of a reserve that the file states. OpenCode uses it only for models with `limit.input`.
fn written_reserve(values: &Values<'_>, draft: &mut Draft<'_>, became: &str) {
    if values.has("provider.*.models.*.limit.input") {
        draft.exact(&RESERVED, became);
        return draft.nothing(&OUTPUT, "`compaction.reserved` takes precedence");
    }
    let reason = "without `limit.input`, OpenCode ignores it and reserves the maximum output of the model";
    draft.approximate(&RESERVED, became, reason);
    if values.is_written(&OUTPUT) {
        let reason = "without `limit.input`, OpenCode reserves this many tokens instead of `compaction.reserved`";
        draft.approximate(&OUTPUT, "", reason);
    } else {
        draft.nothing(&OUTPUT, "");
    }
}
