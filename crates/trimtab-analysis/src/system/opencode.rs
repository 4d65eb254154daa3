//! OpenCode: `opencode.json`.
//!
//! The options are those of its configuration schema, <https://opencode.ai/config.json>.

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
    standard: Standard::Flag(true),
    others: &[],
    about: "Whether the conversation is compacted when the window is full.",
};

static RESERVED: Setting = Setting {
    key: "compaction.reserved",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Computed("20000, or what the model writes at most"),
    others: &["compaction.buffer"],
    about: "The tokens that are kept free. Without a limit of input in the model, the limit of output counts instead.",
};

static TAIL: Setting = Setting {
    key: "compaction.tail_turns",
    kind: Kind::Whole("turns", 0, u64::MAX),
    standard: Standard::Whole(2),
    others: &[],
    about: "The newest turns of a person that are kept beside the summary.",
};

static RECENT: Setting = Setting {
    key: "compaction.preserve_recent_tokens",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Computed("a quarter of the window, from 2000 to 15000"),
    others: &["compaction.keep.tokens"],
    about: "The most tokens of those turns.",
};

static PRUNE: Setting = Setting {
    key: "compaction.prune",
    kind: Kind::Flag,
    standard: Standard::Flag(false),
    others: &[],
    about: "Whether old output of tools is cleared at the end of a turn.",
};

static CONTEXT: Setting = Setting {
    key: "provider.*.models.*.limit.context",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Computed("the window of the model"),
    others: &[],
    about: "The window of a model.",
};

static OUTPUT: Setting = Setting {
    key: "provider.*.models.*.limit.output",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    standard: Standard::Computed("what the model writes at most"),
    others: &[],
    about: "The most tokens of a reply.",
};

/// The most that is reserved if it is not written.
const MOST_RESERVED: u64 = 20_000;
/// The least older output at which something is cleared: 20,000 tokens are cleared at once, and the newest 40,000 stay.
const LEAST_PRUNED: u64 = 60_000;
/// The largest window of a model.
const LARGEST_WINDOW: u64 = 1_000_000;
/// The least and the most tokens of the newest turns that are kept if it is not written.
const USUAL_TAIL: [u64; 2] = [2_000, 15_000];
/// What stands in place of cleared output.
const CLEARED: &str = "[Old tool result content cleared]";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    window(values, draft);
    prune(values, draft);
    compact(values, draft);
}

fn window(values: &Values<'_>, draft: &mut Draft<'_>) {
    match (values.whole(&CONTEXT), values.times(&CONTEXT)) {
        (Some(tokens @ 1..), 1) => {
            let window = draft.hole(&CONTEXT, Quantity::whole(tokens, Unit::Tokens));
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

/// The end of a turn and the start of the next one are the same place. There, the request that begins it is an interaction too.
fn prune(values: &Values<'_>, draft: &mut Draft<'_>) {
    if values.flag(&PRUNE) != Some(true) {
        return draft.nothing(&PRUNE, "no rule clears output");
    }
    let mask = draft.hole(&PRUNE, "mask");
    let least = Quantity::whole(LEAST_PRUNED, Unit::Tokens);
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
    let when = draft.hole(&AUTO, "context.free");
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
        return draft.hole(&TAIL, "0 messages");
    }
    let (setting, tokens) = match (values.whole(&RECENT), window) {
        (Some(tokens), _) if tokens >= window.unwrap_or(LARGEST_WINDOW) => {
            draft.exact(&TAIL, BECAME);
            draft.nothing(&RECENT, "the turns have no more tokens than that");
            return draft.hole(&TAIL, counted(turns, "interaction"));
        }
        (Some(tokens), _) => {
            draft.exact(&RECENT, BECAME);
            (&RECENT, tokens)
        }
        (None, Some(window)) => {
            draft.exact(&RECENT, BECAME);
            let [least, most] = USUAL_TAIL;
            (&CONTEXT, (window.saturating_sub(reserved) / 4).clamp(least, most))
        }
        (None, None) => {
            draft.approximate(&RECENT, BECAME, "a window below 80,000 tokens keeps less");
            (&RECENT, USUAL_TAIL[1])
        }
    };
    draft.approximate(&TAIL, "", OLDER);
    draft.hole(setting, Quantity::whole(tokens, Unit::Tokens))
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
        (None, Some(output)) => (&OUTPUT, output.min(MOST_RESERVED)),
        (None, None) => (&RESERVED, MOST_RESERVED),
    };
    let reserve = draft.hole(setting, Quantity::whole(tokens, Unit::Tokens));
    draft.agent("reserve", reserve);
    if values.is_written(&RESERVED) {
        let has_input = values.has("provider.*.models.*.limit.input");
        let reason = "without `limit.input` of the model it is ignored, and what the model writes at most is kept free";
        if has_input {
            draft.exact(&RESERVED, BECAME);
        } else {
            draft.approximate(&RESERVED, BECAME, reason);
        }
        draft.nothing(&OUTPUT, "`compaction.reserved` takes precedence");
    } else {
        let reason =
            "a model that writes less compacts later, one without `limit.input` that writes more compacts earlier";
        draft.approximate(&RESERVED, BECAME, reason);
        if output.is_some() { draft.exact(&OUTPUT, BECAME) } else { draft.nothing(&OUTPUT, "") }
    }
    tokens
}
