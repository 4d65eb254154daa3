//! OpenHands: `config.toml`, with one condenser.
//!
//! Options and their defaults are those of `openhands/core/config` in <https://github.com/OpenHands/OpenHands>, and what a condenser
//! keeps is decided in `openhands/memory/condenser/impl`, both up to version 0.62. Version 1 keeps its settings elsewhere. A file
//! without a condenser has the one of version 1: `LLMSummarizingCondenser` of
//! <https://github.com/OpenHands/software-agent-sdk>, which keeps as much.

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
    name: "openhands",
    title: "OpenHands",
    file: "config.toml",
    syntax: Syntax::Toml,
    version: "1.16.0",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &[],
    schemas: &[],
    marks: &["core", "condenser", "sandbox", "core.workspace_base", "agent.enable_history_truncation"],
    sections: &[
        Section { path: "condenser", others: Some(&["condensers"]), has_strings: false },
        Section { path: "core", others: None, has_strings: false },
        Section { path: "llm", others: None, has_strings: false },
        Section { path: "agent", others: None, has_strings: false },
    ],
    settings: &[
        &TYPE,
        &ATTENTION_WINDOW,
        &KEEP_FIRST,
        &MAX_EVENTS,
        &MAX_SIZE,
        &LLM,
        &EVENT_LENGTH,
        &MESSAGE_CHARS,
        &ITERATIONS,
        &BUDGET,
        &TRUNCATION,
    ],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "message_chars",
            summary: "Cuts long output.",
            alternatives: &[
                &[(&MESSAGE_CHARS, Amount::Whole(16_000))],
                &[(&MESSAGE_CHARS, Amount::Whole(8_000))],
                &[(&MESSAGE_CHARS, Amount::Whole(4_000))],
            ],
        },
        Adjustment {
            name: "condenser",
            summary: "Condenses the history at another size or in another way.",
            alternatives: &[
                &[(&TYPE, Amount::Word("observation_masking"))],
                &[(&TYPE, Amount::Word("observation_masking")), (&ATTENTION_WINDOW, Amount::Whole(50))],
                &[(&TYPE, Amount::Word("observation_masking")), (&ATTENTION_WINDOW, Amount::Whole(20))],
                &[(&TYPE, Amount::Word("llm"))],
                &[(&TYPE, Amount::Word("llm")), (&MAX_SIZE, Amount::Whole(60))],
                &[(&TYPE, Amount::Word("amortized"))],
            ],
        },
    ],
    recordings: &["openhands"],
    policy,
};

const TYPES: &[&str] = &[
    "noop",
    "observation_masking",
    "browser_output_masking",
    "recent",
    "llm",
    "amortized",
    "llm_attention",
    "structured",
    "pipeline",
    "conversation_window",
];

static TYPE: Setting = Setting {
    key: "condenser.type",
    kind: Kind::Word(TYPES),
    default: DefaultValue::Computed("llm; noop in a section `condenser`"),
    aliases: &[],
    about: "How the history is condensed. A condenser with an error is replaced by `noop`, with a warning.",
};

static ATTENTION_WINDOW: Setting = Setting {
    key: "condenser.attention_window",
    kind: Kind::Whole("events", 1, u64::MAX),
    default: DefaultValue::Whole(100),
    aliases: &[],
    about: "The number of newest events whose output is not masked, for the masking condensers.",
};

static KEEP_FIRST: Setting = Setting {
    key: "condenser.keep_first",
    kind: Kind::Whole("events", 0, u64::MAX),
    default: DefaultValue::Computed("2; 1 in a section `condenser`"),
    aliases: &[],
    about: "The number of first events that are always kept.",
};

static MAX_EVENTS: Setting = Setting {
    key: "condenser.max_events",
    kind: Kind::Whole("events", 1, u64::MAX),
    default: DefaultValue::Whole(100),
    aliases: &[],
    about: "The number of events that `recent` keeps.",
};

static MAX_SIZE: Setting = Setting {
    key: "condenser.max_size",
    kind: Kind::Whole("events", 2, u64::MAX),
    default: DefaultValue::Computed("240; 100 in a section `condenser`"),
    aliases: &[],
    about: "The number of events above which the history is reduced to half of them, with the summary and the first events.",
};

static LLM: Setting = Setting {
    key: "condenser.llm_config",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The model that writes the summary.",
};

static EVENT_LENGTH: Setting = Setting {
    key: "condenser.max_event_length",
    kind: Kind::Whole("characters", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum number of characters of an event used for the summary; 10,000 by default.",
};

static MESSAGE_CHARS: Setting = Setting {
    key: "llm.max_message_chars",
    kind: Kind::Whole("characters", 2, u64::MAX),
    default: DefaultValue::Whole(30_000),
    aliases: &[],
    about: "The maximum number of characters in the output of an event.",
};

static ITERATIONS: Setting = Setting {
    key: "core.max_iterations",
    kind: Kind::Whole("iterations", 1, u64::MAX),
    default: DefaultValue::Whole(500),
    aliases: &[],
    about: "The maximum number of iterations of a task.",
};

static BUDGET: Setting = Setting {
    key: "core.max_budget_per_task",
    kind: Kind::Number,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum cost of a task in dollars; 0 means no limit.",
};

static TRUNCATION: Setting = Setting {
    key: "agent.enable_history_truncation",
    kind: Kind::Flag,
    default: DefaultValue::Flag(true),
    aliases: &[],
    about: "Whether half of the history is dropped when the provider rejects a request as too long.",
};

/// The section of the condenser.
const SECTION: &str = "condenser";
/// The condensers without a type: in a file without the section, and in the section. The first is `LLMSummarizingCondenser`, which
/// `agent_store.py` of the command line of version 1 sets.
const USUAL_TYPES: [&str; 2] = ["llm", "noop"];
/// `max_size` without and in the section.
const USUAL_SIZES: [u64; 2] = [240, 100];
/// `keep_first` without and in the section.
const USUAL_FIRST: [u64; 2] = [2, 1];

const EVENTS: &str = "some events are no messages, and the calls of one reply are several events";
/// How events differ from the messages that a rule counts.
const SIZES: &str = "some events are no messages, and each call of a reply is an event of its own: with parallel calls it acts \
                     earlier than the rule and keeps less";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    let limit = Quantity::whole(values.whole(&MESSAGE_CHARS).unwrap_or_default(), Unit::Chars);
    let limit = draft.option_value(&MESSAGE_CHARS, limit);
    let clause = format!("do trim arrivals over {limit} to {limit} from middle including errors");
    draft.rule("message_chars", "Shortens long output.", &[clause]);
    draft.exact(&MESSAGE_CHARS, "rule `message_chars`");
    condenser(values, draft);
    limits(values, draft);
    match values.flag(&TRUNCATION) {
        Some(false) => draft.nothing(&TRUNCATION, "no rule drops the history"),
        _ => truncation(draft),
    }
}

fn truncation(draft: &mut Draft<'_>) {
    let half = draft.option_value(&TRUNCATION, "50%");
    draft.rule(
        "history_truncation",
        "Drops half of the history if a request is too long.",
        &["on overflow".to_owned(), format!("do drop older keep {half} pin first_user")],
    );
    draft.approximate(
        &TRUNCATION,
        "rule `history_truncation`",
        "it keeps half of the events, the rule what fits into half of the window",
    );
}

fn condenser(values: &Values<'_>, draft: &mut Draft<'_>) {
    let kind = values.text(&TYPE).cloned().unwrap_or_else(|| usual(values, USUAL_TYPES).into());
    let used: Vec<&Setting> = match kind.as_str() {
        "observation_masking" => masking(values, draft),
        "recent" => recent(values, draft),
        "amortized" => amortized(values, draft),
        "llm" | "structured" => summary(values, draft),
        "noop" => {
            draft.nothing(&TYPE, "no rule condenses");
            vec![&TYPE]
        }
        _ => {
            draft.impossible(&TYPE, format!("the condenser `{kind}` is not written as rules"));
            vec![&TYPE]
        }
    };
    for setting in [&ATTENTION_WINDOW, &KEEP_FIRST, &MAX_EVENTS, &MAX_SIZE, &LLM, &EVENT_LENGTH] {
        if !used.iter().any(|other| other.key == setting.key) {
            draft.nothing(setting, format!("the condenser `{kind}` does not use it"));
        }
    }
}

/// The default of an option of the condenser.
fn usual<T: Copy>(values: &Values<'_>, [without, within]: [T; 2]) -> T {
    if values.has(SECTION) { within } else { without }
}

/// The first events that always stay.
fn first_events(values: &Values<'_>) -> u64 {
    values.whole(&KEEP_FIRST).unwrap_or_else(|| usual(values, USUAL_FIRST))
}

/// The events above which the history is halved.
fn max_size(values: &Values<'_>) -> u64 {
    values.whole(&MAX_SIZE).unwrap_or_else(|| usual(values, USUAL_SIZES))
}

/// The newest events that stay of this number, beside others. OpenHands rejects options with which none would stay.
fn newest(events: u64, others: u64) -> u64 {
    events.saturating_sub(others).max(1)
}

fn messages(draft: &mut Draft<'_>, setting: &Setting, count: u64) -> String {
    draft.option_value(setting, counted(count, "message"))
}

fn masking(values: &Values<'_>, draft: &mut Draft<'_>) -> Vec<&'static Setting> {
    let keep = messages(draft, &ATTENTION_WINDOW, values.whole(&ATTENTION_WINDOW).unwrap_or_default());
    let clause = format!("do mask results keep {keep} including errors placeholder {}", quoted("<MASKED>"));
    draft.rule("observation_masking", "Masks old output.", &[clause]);
    draft.exact(&TYPE, "rule `observation_masking`");
    draft.approximate(&ATTENTION_WINDOW, "`keep` of rule `observation_masking`", EVENTS);
    vec![&TYPE, &ATTENTION_WINDOW]
}

/// The pin of the first events, as far as there is one.
fn pin(values: &Values<'_>, draft: &mut Draft<'_>, rule: &str) -> String {
    match first_events(values) {
        0 => {
            draft.approximate(&KEEP_FIRST, "", "the request of the person stays here by default");
            String::new()
        }
        1 => {
            draft.exact(&KEEP_FIRST, format!("`pin` of rule `{rule}`"));
            format!(" {}", draft.option_value(&KEEP_FIRST, "pin first_user"))
        }
        // The first event is the system prompt, which stays anyway.
        first => {
            draft.approximate(&KEEP_FIRST, format!("`pin` of rule `{rule}`"), EVENTS);
            format!(" pin first {}", messages(draft, &KEEP_FIRST, first - 1))
        }
    }
}

fn recent(values: &Values<'_>, draft: &mut Draft<'_>) -> Vec<&'static Setting> {
    let most = values.whole(&MAX_EVENTS).unwrap_or_default();
    let pin = pin(values, draft, "recent");
    let (over, keep) =
        (messages(draft, &MAX_EVENTS, most), messages(draft, &MAX_EVENTS, newest(most, first_events(values))));
    draft.rule(
        "recent",
        "Keeps the newest messages.",
        &[format!("when context.messages > {over}"), format!("do drop older keep {keep}{pin}")],
    );
    draft.exact(&TYPE, "rule `recent`");
    draft.approximate(&MAX_EVENTS, "rule `recent`", SIZES);
    vec![&TYPE, &KEEP_FIRST, &MAX_EVENTS]
}

fn amortized(values: &Values<'_>, draft: &mut Draft<'_>) -> Vec<&'static Setting> {
    let most = max_size(values);
    let pin = pin(values, draft, "amortized");
    let (over, keep) =
        (messages(draft, &MAX_SIZE, most), messages(draft, &MAX_SIZE, newest(most / 2, first_events(values))));
    draft.rule(
        "amortized",
        "Drops half of a long history.",
        &[format!("when context.messages > {over}"), format!("do drop older keep {keep}{pin}")],
    );
    draft.exact(&TYPE, "rule `amortized`");
    draft.approximate(&MAX_SIZE, "rule `amortized`", SIZES);
    vec![&TYPE, &KEEP_FIRST, &MAX_SIZE]
}

fn summary(values: &Values<'_>, draft: &mut Draft<'_>) -> Vec<&'static Setting> {
    let most = max_size(values);
    let pin = pin(values, draft, "condense");
    // The summary is one of the events that stay.
    let kept = newest(most / 2, first_events(values).saturating_add(1));
    let (over, keep) = (messages(draft, &MAX_SIZE, most), messages(draft, &MAX_SIZE, kept));
    draft.rule(
        "condense",
        "Summarises the older half of a long history.",
        &[
            format!("when context.messages > {over}"),
            format!("do summarise older keep {keep}{pin}"),
            "on_failure keep".to_owned(),
        ],
    );
    draft.exact(&TYPE, "rule `condense`");
    draft.approximate(&MAX_SIZE, "rule `condense`", SIZES);
    draft.impossible(&LLM, "the host chooses the model that writes summaries");
    draft.impossible(&EVENT_LENGTH, "the host shortens what it summarises");
    draft.built_in("summary of summaries", "rule `condense`", Fidelity::Exact, "");
    vec![&TYPE, &KEEP_FIRST, &MAX_SIZE, &LLM, &EVENT_LENGTH]
}

fn limits(values: &Values<'_>, draft: &mut Draft<'_>) {
    let most = values.whole(&ITERATIONS).unwrap_or_default();
    let most = draft.option_value(&ITERATIONS, most);
    let text = quoted("The task has reached its limit of iterations.");
    draft.rule(
        "max_iterations",
        "Ends a task that takes too long.",
        &[format!("when iteration >= {most}"), format!("do stop {text}")],
    );
    draft.exact(&ITERATIONS, "rule `max_iterations`");
    let Some(budget) = values.number(&BUDGET).filter(|budget| !budget.is_zero()) else {
        return draft.nothing(&BUDGET, "no limit");
    };
    let budget = draft.option_value(&BUDGET, Quantity::new(budget, Unit::Money));
    let text = quoted("The task has reached its budget.");
    draft.rule(
        "max_budget",
        "Ends a task that costs too much.",
        &[format!("when (budget.cost ?? $0) >= {budget}"), format!("do stop {text}")],
    );
    draft.exact(&BUDGET, "rule `max_budget`");
}
