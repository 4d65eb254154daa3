//! SWE-agent: the history processors and limits of a configuration in YAML.
//!
//! The processors are those of `sweagent/agent/history_processors.py` in <https://github.com/SWE-agent/SWE-agent>.

use trimtab_base::quantity::{Quantity, Unit};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted, quoted};
use super::kind::Kind;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "swe-agent",
    title: "SWE-agent",
    file: "a configuration in YAML",
    syntax: Syntax::Yaml,
    version: "1.1.0",
    date: "November 2026",
    block: "",
    is_target: true,
    files: &[],
    schemas: &[],
    marks: &["agent.templates", "agent.tools", "agent.history_processors", "agent.model"],
    sections: &[
        Section { path: "agent.history_processors[last_n_observations]", others: Some(&["type"]), has_strings: false },
        Section {
            path: "agent.history_processors[cache_control]",
            others: Some(&["type", "last_n_messages_offset", "tagged_roles"]),
            has_strings: false,
        },
    ],
    settings: &[
        &OBSERVATIONS,
        &POLLING,
        &KEPT_TAGS,
        &REMOVED_TAGS,
        &CACHE,
        &REGEX,
        &WINDOWS,
        &IMAGES,
        &CALLS,
        &COST,
        &TOTAL,
    ],
    typed_parts: &[],
    adjustments: &[
        Adjustment {
            name: "last_n_observations",
            summary: "Elides old observations.",
            alternatives: &[
                &[(&OBSERVATIONS, Amount::Whole(20))],
                &[(&OBSERVATIONS, Amount::Whole(10))],
                &[(&OBSERVATIONS, Amount::Whole(5))],
            ],
        },
        Adjustment {
            name: "closed_window",
            summary: "Elides older views of a file.",
            alternatives: &[&[(&WINDOWS, Amount::Word("closed_window"))]],
        },
    ],
    recordings: &["swe_agent"],
    policy,
};

static OBSERVATIONS: Setting = Setting {
    key: "agent.history_processors[last_n_observations].n",
    kind: Kind::Whole("observations", 1, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of newest observations that are sent whole; each older one becomes a line.",
};

static POLLING: Setting = Setting {
    key: "agent.history_processors[last_n_observations].polling",
    kind: Kind::Whole("steps", 1, u64::MAX),
    default: DefaultValue::Whole(1),
    aliases: &[],
    about: "The number of steps between two changes of what is elided, so that the cache is used in between.",
};

static KEPT_TAGS: Setting = Setting {
    key: "agent.history_processors[last_n_observations].always_keep_output_for_tags",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Tags of observations that are kept.",
};

static REMOVED_TAGS: Setting = Setting {
    key: "agent.history_processors[last_n_observations].always_remove_output_for_tags",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Tags of observations that are elided wherever they are.",
};

static CACHE: Setting = Setting {
    key: "agent.history_processors[cache_control].last_n_messages",
    kind: Kind::Whole("messages", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The number of newest messages that are marked for the cache.",
};

static REGEX: Setting = Setting {
    key: "agent.history_processors[remove_regex].remove",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Patterns whose matches are removed from messages.",
};

static WINDOWS: Setting = Setting {
    key: "agent.history_processors[closed_window].type",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Elides older views of a file.",
};

static IMAGES: Setting = Setting {
    key: "agent.history_processors[image_parsing].type",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Turns encoded images into images.",
};

static CALLS: Setting = Setting {
    key: "agent.model.per_instance_call_limit",
    kind: Kind::Whole("calls", 0, u64::MAX),
    default: DefaultValue::Whole(0),
    aliases: &[],
    about: "The maximum number of model calls of an instance; 0 means no limit.",
};

static COST: Setting = Setting {
    key: "agent.model.per_instance_cost_limit",
    kind: Kind::Number,
    default: DefaultValue::Whole(3),
    aliases: &[],
    about: "The maximum cost of an instance in dollars; 0 means no limit.",
};

static TOTAL: Setting = Setting {
    key: "agent.model.total_cost_limit",
    kind: Kind::Number,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum cost of all instances in dollars; 0 means no limit.",
};

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    observations(values, draft);
    windows(values, draft);
    draft.impossible(&CACHE, "a policy does not place the marks of the cache");
    draft.impossible(&REGEX, "a policy does not search in texts");
    draft.impossible(&IMAGES, "a policy does not decode images");
    limits(values, draft);
}

fn observations(values: &Values<'_>, draft: &mut Draft<'_>) {
    let Some(kept) = values.whole(&OBSERVATIONS) else {
        for setting in [&OBSERVATIONS, &POLLING, &KEPT_TAGS, &REMOVED_TAGS] {
            draft.nothing(setting, "observations are not elided");
        }
        return;
    };
    let kept = draft.option_value(&OBSERVATIONS, counted(kept, "result"));
    let text = quoted("Old environment output is left out.");
    let clause = format!("do mask results keep {kept} including errors placeholder {text}");
    let steps = values.whole(&POLLING).filter(|steps| *steps > 1);
    let steps =
        steps.map(|steps| format!("every {}", draft.option_value(&POLLING, format_args!("{steps} iterations"))));
    let clauses: Vec<String> = std::iter::once(clause).chain(steps).collect();
    draft.rule("last_n_observations", "Elides old observations.", &clauses);
    draft.approximate(
        &OBSERVATIONS,
        "rule `last_n_observations`",
        "each request is elided anew there, and the line says how long the output was; the edit of a rule lasts",
    );
    match values.whole(&POLLING) {
        Some(1) => draft.exact(&POLLING, "rule `last_n_observations`"),
        _ => draft.approximate(
            &POLLING,
            "`every` of rule `last_n_observations`",
            "it counts observations, the rule calls of the model: both elide as often, but not at the same steps",
        ),
    }
    draft.impossible(&KEPT_TAGS, "a policy knows tools, not tags: use `except [TOOL]`");
    draft.impossible(&REMOVED_TAGS, "a policy knows tools, not tags: use `only [TOOL]`");
}

fn windows(values: &Values<'_>, draft: &mut Draft<'_>) {
    if !values.is_written(&WINDOWS) {
        return draft.nothing(&WINDOWS, "");
    }
    let mask = draft.option_value(&WINDOWS, "mask");
    draft.rule("closed_window", "Masks older views of a file.", &[format!("do {mask} superseded_reads")]);
    draft.approximate(
        &WINDOWS,
        "rule `closed_window`",
        "it also deletes some messages of a person with numbered lines",
    );
}

fn limits(values: &Values<'_>, draft: &mut Draft<'_>) {
    match values.positive(&CALLS) {
        Some(calls) => {
            let calls = draft.option_value(&CALLS, calls);
            let text = quoted("The instance has reached its limit of model calls.");
            draft.rule(
                "call_limit",
                "Ends an instance that takes too long.",
                &[format!("when session.calls >= {calls}"), format!("do stop {text}")],
            );
            draft.exact(&CALLS, "rule `call_limit`");
        }
        None => draft.nothing(&CALLS, "no limit"),
    }
    match values.number(&COST).filter(|cost| !cost.is_zero()) {
        Some(cost) => {
            let cost = draft.option_value(&COST, Quantity::new(cost, Unit::Money));
            let text = quoted("The instance has reached its limit of cost.");
            draft.rule(
                "cost_limit",
                "Ends an instance that costs too much.",
                &[format!("when (session.cost ?? $0) > {cost}"), format!("do stop {text}")],
            );
            draft.exact(&COST, "rule `cost_limit`");
        }
        None => draft.nothing(&COST, "no limit"),
    }
    draft.impossible(&TOTAL, "a policy sees one session");
}
