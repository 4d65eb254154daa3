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
    settings: &[&AUTO, &RESERVED, &TAIL, &RECENT, &PRUNE, &CONTEXT, &INPUT, &OUTPUT],
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
    about: "The number of tokens that are kept free. Models without `limit.input` ignore it: their maximum output is kept free, up to \
            32,000 tokens.",
};

static TAIL: Setting = Setting {
    key: "compaction.tail_turns",
    kind: Kind::Whole("turns", 0, u64::MAX),
    default: DefaultValue::Computed("no limit"),
    aliases: &[],
    about: "The maximum number of newest user turns kept after a compaction.",
};

static RECENT: Setting = Setting {
    key: "compaction.preserve_recent_tokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Computed("25% of window minus reserve, 2,000 to 15,000"),
    aliases: &["compaction.keep.tokens"],
    about: "The maximum number of tokens kept from the newest turns.",
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

static INPUT: Setting = Setting {
    key: "provider.*.models.*.limit.input",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Computed("that of the model, if it has one"),
    aliases: &[],
    about: "The maximum number of input tokens. It takes precedence over `limit.context`.",
};

static OUTPUT: Setting = Setting {
    key: "provider.*.models.*.limit.output",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Computed("the maximum output of the model"),
    aliases: &[],
    about: "The maximum number of output tokens.",
};

/// The largest default reserve of a model with `limit.input`: 1.18.33 reserves `compaction.reserved ?? min(20000, maximum output)` of
/// `limit.input`, and the maximum output of `limit.context`.
const DEFAULT_RESERVE_LIMIT: u64 = 20_000;
/// The most output that OpenCode asks for, and the maximum output of a model that states none: `min(limit.output, 32000) || 32000`.
const OUTPUT_LIMIT: u64 = 32_000;
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

/// The number of tokens that fit into a request, and the option that states it: OpenCode takes `limit.input`, if a model has it, instead
/// of `limit.context`. Returns `None` if no option or several models state it.
fn room(values: &Values<'_>) -> Option<(&'static Setting, u64)> {
    let settings = [&INPUT, &CONTEXT];
    if settings.iter().any(|setting| values.times(setting) > 1) || values.whole(&CONTEXT) == Some(0) {
        return None;
    }
    settings.into_iter().find_map(|setting| Some((setting, values.positive(setting)?)))
}

fn window(values: &Values<'_>, draft: &mut Draft<'_>) {
    const BECAME: &str = "`window` in the `agent` block";
    const SEVERAL: &str = "several models have a window; the recording or the host has the one in use";
    let Some((setting, tokens)) = room(values) else {
        match values.whole(&CONTEXT) {
            Some(0) if values.times(&CONTEXT) == 1 => {
                draft.approximate(&CONTEXT, "", "0 means that the window is unknown and nothing is compacted");
            }
            Some(_) => draft.approximate(&CONTEXT, "", SEVERAL),
            None => draft.nothing(&CONTEXT, "the recording or the host has the window"),
        }
        match values.positive(&INPUT) {
            Some(_) => draft.approximate(&INPUT, "", SEVERAL),
            None => draft.nothing(&INPUT, ""),
        }
        return;
    };
    let window = draft.option_value(setting, Quantity::whole(tokens, Unit::Tokens));
    draft.agent("window", window);
    draft.exact(setting, BECAME);
    if setting.key == INPUT.key {
        draft.nothing(&CONTEXT, "`limit.input` takes precedence");
    } else {
        draft.nothing(&INPUT, "");
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
         as late, and clears all of it. `opencode run` ends before it has cleared anything",
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
        "size of the context",
        "`when` of rule `compact`",
        Fidelity::Approximate,
        "it counts the newest request with its reply, and not the results that follow: it compacts up to one call later",
    );
    draft.built_in(
        "failed compactions",
        "`on_failure stop` of rule `compact`",
        Fidelity::Approximate,
        "before it stops, it tries again without results and with fewer turns",
    );
}

/// What is kept beside the summary: the newest turns, and no more tokens of them than this. 1.18.33 cuts the oldest of them at a reply, so
/// that it fits.
fn tail(values: &Values<'_>, draft: &mut Draft<'_>, reserved: u64) -> String {
    const BECAME: &str = "`keep` of rule `compact`";
    const OLDER: &str = "if these turns have fewer tokens than the rule keeps, it keeps older turns too";
    let turns = values.whole(&TAIL);
    let room = room(values);
    if turns == Some(0) {
        draft.exact(&TAIL, BECAME);
        draft.nothing(&RECENT, "no turn is kept");
        return draft.option_value(&TAIL, "0 messages");
    }
    let (setting, tokens) = match (values.whole(&RECENT), room, turns) {
        (Some(tokens), _, Some(turns)) if tokens >= room.map_or(LARGEST_WINDOW, |(_, window)| window) => {
            draft.exact(&TAIL, BECAME);
            draft.nothing(&RECENT, "the turns have no more tokens than that");
            return draft.option_value(&TAIL, counted(turns, "interaction"));
        }
        (Some(tokens), ..) => {
            draft.exact(&RECENT, BECAME);
            (&RECENT, tokens)
        }
        (None, Some((setting, window)), _) => {
            draft.exact(&RECENT, BECAME);
            let [minimum, maximum] = DEFAULT_TAIL_RANGE;
            (setting, (window.saturating_sub(reserved) / 4).clamp(minimum, maximum))
        }
        (None, None, _) => {
            draft.approximate(&RECENT, BECAME, "a window of less than 60,000 tokens besides the reserve keeps less");
            (&RECENT, DEFAULT_TAIL_RANGE[1])
        }
    };
    if turns.is_some() {
        draft.approximate(&TAIL, "", OLDER);
    } else {
        draft.nothing(&TAIL, "only the tokens limit what is kept");
    }
    draft.option_value(setting, Quantity::whole(tokens, Unit::Tokens))
}

fn for_each(settings: &[&Setting], mut each: impl FnMut(&Setting)) {
    for setting in settings {
        each(setting);
    }
}

/// The maximum output of the model in use, if the file states it. OpenCode asks for no more than [`OUTPUT_LIMIT`], also if it is 0.
fn max_output(values: &Values<'_>) -> Option<u64> {
    let output = values.whole(&OUTPUT).filter(|_| values.times(&OUTPUT) == 1)?;
    Some(if output == 0 { OUTPUT_LIMIT } else { output.min(OUTPUT_LIMIT) })
}

/// The room that is kept free, in the `agent` block. `compaction.reserved` counts only for models with `limit.input`; a file that states no
/// limits does not show whether its model has one.
fn reserve(values: &Values<'_>, draft: &mut Draft<'_>) -> u64 {
    const BECAME: &str = "`reserve` in the `agent` block";
    let has_input = values.positive(&INPUT).is_some();
    let may_have_input = has_input || !values.is_written(&CONTEXT);
    let written = values.whole(&RESERVED).filter(|_| may_have_input);
    let most = if has_input { DEFAULT_RESERVE_LIMIT } else { OUTPUT_LIMIT };
    let tokens = written.unwrap_or_else(|| max_output(values).map_or(most, |output| output.min(most)));
    let setting = if written.is_some() { &RESERVED } else { &OUTPUT };
    let reserve = draft.option_value(setting, Quantity::whole(tokens, Unit::Tokens));
    draft.agent("reserve", reserve);
    if written.is_some() {
        written_reserve(values, draft, BECAME);
        return tokens;
    }
    match () {
        () if has_input => draft.exact(&RESERVED, BECAME),
        () if may_have_input => {
            let reason = "models with `limit.input` reserve at most 20,000 tokens: they compact later";
            draft.approximate(&RESERVED, BECAME, reason);
        }
        () => draft.nothing(&RESERVED, "models without `limit.input` reserve their maximum output instead"),
    }
    match (max_output(values), values.times(&OUTPUT)) {
        (Some(_), _) => draft.exact(&OUTPUT, BECAME),
        (None, 0) => draft.approximate(&OUTPUT, BECAME, "models with a smaller maximum output compact later"),
        (None, _) => draft.approximate(&OUTPUT, "", "several models have a maximum output; the one in use is unknown"),
    }
    tokens
}

/// The rows of a reserve that the file states, and that a model may use.
fn written_reserve(values: &Values<'_>, draft: &mut Draft<'_>, became: &str) {
    let with_input = values.times(&INPUT);
    if with_input > 0 && with_input >= values.times(&CONTEXT) {
        draft.exact(&RESERVED, became);
        return draft.nothing(&OUTPUT, "`compaction.reserved` takes precedence");
    }
    let reason = "models without `limit.input` ignore it and reserve their maximum output, up to 32,000 tokens";
    draft.approximate(&RESERVED, became, reason);
    if values.is_written(&OUTPUT) {
        let reason = "models without `limit.input` reserve this many tokens instead of `compaction.reserved`";
        draft.approximate(&OUTPUT, "", reason);
    } else {
        draft.nothing(&OUTPUT, "");
    }
}
