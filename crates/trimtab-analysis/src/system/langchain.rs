//! `LangChain`: the arguments of its middleware as JSON, each under the name of its class.

use trimtab_base::quantity::{Decimal, Quantity, Unit, whole};
use trimtab_syntax::syntax::yaml::node::{Node, Value};

use super::adjustment::{Adjustment, Amount};
use super::descriptor::System;
use super::draft::{Draft, counted, quoted};
use super::kind::Kind;
use super::setting::{DefaultValue, Section, Setting};
use super::syntax::Syntax;
use super::values::Values;

pub(super) static SYSTEM: System = System {
    name: "langchain",
    title: "LangChain",
    file: "the arguments of middleware as JSON, by class",
    syntax: Syntax::Json,
    version: "1.4.7",
    date: "November 2026",
    block: "",
    is_target: false,
    files: &[],
    schemas: &[],
    marks: &["SummarizationMiddleware", "ContextEditingMiddleware", "ModelCallLimitMiddleware"],
    sections: &[
        Section {
            path: "SummarizationMiddleware",
            others: Some(&["model", "token_counter", "summarizer"]),
            has_strings: false,
        },
        Section {
            path: "ContextEditingMiddleware",
            others: Some(&["token_count_method", "token_counter"]),
            has_strings: false,
        },
        Section {
            path: "ContextEditingMiddleware.edits[ClearToolUsesEdit]",
            others: Some(&["type"]),
            has_strings: false,
        },
        Section { path: "ModelCallLimitMiddleware", others: Some(&["exit_behavior"]), has_strings: false },
    ],
    settings: &[
        &CLEARING,
        &CLEAR_TRIGGER,
        &CLEAR_KEEP,
        &CLEAR_LEAST,
        &CLEAR_INPUTS,
        &EXCLUDED,
        &PLACEHOLDER,
        &TRIGGER,
        &KEEP,
        &PROMPT,
        &TRIMMED,
        &RUN_CALLS,
        &THREAD_CALLS,
    ],
    typed_parts: &[],
    adjustments: &[Adjustment {
        name: "clear_tool_uses",
        summary: "Clears old tool results.",
        alternatives: &[
            &[
                (&CLEARING, Amount::Word("ClearToolUsesEdit")),
                (&CLEAR_TRIGGER, Amount::ContextTokens(100_000)),
                (&CLEAR_KEEP, Amount::Whole(10)),
            ],
            &[
                (&CLEARING, Amount::Word("ClearToolUsesEdit")),
                (&CLEAR_TRIGGER, Amount::ContextTokens(50_000)),
                (&CLEAR_KEEP, Amount::Whole(10)),
            ],
            &[
                (&CLEARING, Amount::Word("ClearToolUsesEdit")),
                (&CLEAR_TRIGGER, Amount::ContextTokens(25_000)),
                (&CLEAR_KEEP, Amount::Whole(5)),
            ],
        ],
    }],
    recordings: &["langchain"],
    policy,
};

static CLEARING: Setting = Setting {
    key: "ContextEditingMiddleware.edits[ClearToolUsesEdit].type",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "Clears old tool results.",
};

static CLEAR_TRIGGER: Setting = Setting {
    key: "ContextEditingMiddleware.edits[ClearToolUsesEdit].trigger",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Whole(100_000),
    aliases: &[],
    about: "The size above which results are cleared.",
};

static CLEAR_KEEP: Setting = Setting {
    key: "ContextEditingMiddleware.edits[ClearToolUsesEdit].keep",
    kind: Kind::Whole("results", 0, u64::MAX),
    default: DefaultValue::Whole(3),
    aliases: &[],
    about: "The number of newest results that are kept.",
};

static CLEAR_LEAST: Setting = Setting {
    key: "ContextEditingMiddleware.edits[ClearToolUsesEdit].clear_at_least",
    kind: Kind::Whole("tokens", 0, u64::MAX),
    default: DefaultValue::Whole(0),
    aliases: &[],
    about: "The number of tokens after which clearing ends; 0 clears all but the newest.",
};

static CLEAR_INPUTS: Setting = Setting {
    key: "ContextEditingMiddleware.edits[ClearToolUsesEdit].clear_tool_inputs",
    kind: Kind::Flag,
    default: DefaultValue::Flag(false),
    aliases: &[],
    about: "Whether the arguments of these calls are cleared too.",
};

static EXCLUDED: Setting = Setting {
    key: "ContextEditingMiddleware.edits[ClearToolUsesEdit].exclude_tools",
    kind: Kind::Names,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The tools whose results are kept.",
};

static PLACEHOLDER: Setting = Setting {
    key: "ContextEditingMiddleware.edits[ClearToolUsesEdit].placeholder",
    kind: Kind::Text,
    default: DefaultValue::Word("[cleared]"),
    aliases: &[],
    about: "The placeholder of a cleared result.",
};

static TRIGGER: Setting = Setting {
    key: "SummarizationMiddleware.trigger",
    kind: Kind::Anything,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "When the conversation is summarised: a pair such as [\"tokens\", 4000], a map that needs all, or a list that needs one of them.",
};

static KEEP: Setting = Setting {
    key: "SummarizationMiddleware.keep",
    kind: Kind::Anything,
    default: DefaultValue::Computed("20 messages"),
    aliases: &[],
    about: "The newest part that is kept: a pair such as [\"messages\", 20].",
};

static PROMPT: Setting = Setting {
    key: "SummarizationMiddleware.summary_prompt",
    kind: Kind::Text,
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The instructions for the summary.",
};

static TRIMMED: Setting = Setting {
    key: "SummarizationMiddleware.trim_tokens_to_summarize",
    kind: Kind::Whole("tokens", 1, u64::MAX),
    default: DefaultValue::Whole(4_000),
    aliases: &[],
    about: "The number of newest tokens that the summary is made from.",
};

static RUN_CALLS: Setting = Setting {
    key: "ModelCallLimitMiddleware.run_limit",
    kind: Kind::Whole("calls", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum number of model calls in a run.",
};

static THREAD_CALLS: Setting = Setting {
    key: "ModelCallLimitMiddleware.thread_limit",
    kind: Kind::Whole("calls", 0, u64::MAX),
    default: DefaultValue::Unset,
    aliases: &[],
    about: "The maximum number of model calls in a thread.",
};

const LASTS: &str = "each request is cleared anew there, one more result at each call; the edit of a rule lasts";

fn policy(values: &Values<'_>, draft: &mut Draft<'_>) {
    clearing(values, draft);
    summarisation(values, draft);
    for (setting, fact, rule) in
        [(&RUN_CALLS, "budget.calls", "run_calls"), (&THREAD_CALLS, "session.calls", "thread_calls")]
    {
        let Some(most) = values.whole(setting) else {
            draft.nothing(setting, "");
            continue;
        };
        let most = draft.option_value(setting, most);
        let text = quoted("The limit of model calls is reached.");
        draft.rule(rule, "Limits the model calls.", &[format!("when {fact} >= {most}"), format!("do stop {text}")]);
        draft.exact(setting, format!("rule `{rule}`"));
    }
}

fn clearing(values: &Values<'_>, draft: &mut Draft<'_>) {
    if !values.is_written(&CLEARING) {
        for setting in [&CLEARING, &CLEAR_TRIGGER, &CLEAR_KEEP, &CLEAR_LEAST, &CLEAR_INPUTS, &EXCLUDED, &PLACEHOLDER] {
            draft.nothing(setting, "results are not cleared");
        }
        return;
    }
    let trigger = Quantity::whole(values.whole(&CLEAR_TRIGGER).unwrap_or_default(), Unit::Tokens);
    let trigger = draft.option_value(&CLEAR_TRIGGER, trigger);
    let keep = values.whole(&CLEAR_KEEP).unwrap_or_default();
    let keep = draft.option_value(&CLEAR_KEEP, format!("keep {}", counted(keep, "result")));
    let excluded = draft.tool_list(&EXCLUDED);
    let except = excluded
        .map(|list| format!(" {}", draft.option_value(&EXCLUDED, format!("except {list}"))))
        .unwrap_or_default();
    let text = values.text(&PLACEHOLDER).cloned().unwrap_or_default();
    let text = draft.option_value(&PLACEHOLDER, quoted(&text));
    let clears_inputs = values.flag(&CLEAR_INPUTS) == Some(true);
    let calls = if clears_inputs {
        draft.option_value(&CLEAR_INPUTS, format!(" then mask calls {keep}{except}"))
    } else {
        String::new()
    };
    draft.rule(
        "clear_tool_uses",
        "Clears old tool results.",
        &[
            format!("when context.tokens > {trigger}"),
            format!("do mask results {keep}{except} including errors placeholder {text}{calls}"),
        ],
    );
    draft.approximate(&CLEARING, "rule `clear_tool_uses`", LASTS);
    draft.exact(&CLEAR_TRIGGER, "`when` of rule `clear_tool_uses`");
    draft.exact(&CLEAR_KEEP, "`keep` of rule `clear_tool_uses`");
    draft.exact(&EXCLUDED, if except.is_empty() { "" } else { "`except` of rule `clear_tool_uses`" });
    draft.exact(&PLACEHOLDER, "`placeholder` of rule `clear_tool_uses`");
    draft.exact(&CLEAR_INPUTS, if clears_inputs { "`mask calls` of rule `clear_tool_uses`" } else { "" });
    if values.positive(&CLEAR_LEAST).is_some() {
        draft.impossible(&CLEAR_LEAST, "clearing ends there when so much is cleared: the rule clears more");
    } else {
        draft.exact(&CLEAR_LEAST, "");
    }
}

fn summarisation(values: &Values<'_>, draft: &mut Draft<'_>) {
    let node = values.node(&TRIGGER);
    let condition = node.as_ref().and_then(|node| condition(node));
    let Some(condition) = condition else {
        if node.is_some() {
            draft.impossible(&TRIGGER, "it is not a pair, a map or a list of tokens, messages and fraction");
        } else {
            draft.nothing(&TRIGGER, "without a trigger nothing is summarised");
        }
        let others = [&KEEP, &PROMPT, &TRIMMED];
        return others.into_iter().for_each(|setting| draft.nothing(setting, "nothing is summarised"));
    };
    let condition = draft.option_value(&TRIGGER, condition);
    draft.exact(&TRIGGER, "`when` of rule `summarize`");
    let keep = kept(values, draft);
    let using = if let Some(text) = values.text(&PROMPT) {
        draft.prompt(&PROMPT, "summary", text);
        draft.exact(&PROMPT, "prompt `summary`");
        " using summary"
    } else {
        draft.nothing(&PROMPT, "");
        ""
    };
    draft.rule(
        "summarize",
        "Summarises the older part of the conversation.",
        &[format!("when {condition}"), format!("do summarise older keep {keep}{using}"), "on_failure keep".to_owned()],
    );
    draft.impossible(&TRIMMED, "the host shortens what it summarises: the summary may hold more");
}

/// The newest part that stays.
fn kept(values: &Values<'_>, draft: &mut Draft<'_>) -> String {
    const USUAL: u64 = 20;
    let node = values.node(&KEEP);
    let pair = node.as_ref().and_then(|node| pair(node));
    let kept = match pair {
        Some(("messages", count)) => Some(counted(whole(count), "message")),
        Some(("tokens", count)) => Some(Quantity::whole(whole(count), Unit::Tokens).to_string()),
        Some(("fraction", share)) if share <= Decimal::ONE => Some(Quantity::new(share, Unit::Share).to_string()),
        _ => None,
    };
    match (kept, values.is_written(&KEEP)) {
        (Some(kept), _) => {
            draft.exact(&KEEP, "`keep` of rule `summarize`");
            draft.option_value(&KEEP, kept)
        }
        (None, false) => {
            draft.exact(&KEEP, "`keep` of rule `summarize`");
            counted(USUAL, "message")
        }
        (None, true) => {
            draft.impossible(&KEEP, "it is not a pair of tokens, messages or fraction: the rule keeps 20 messages");
            draft.option_value(&KEEP, counted(USUAL, "message"))
        }
    }
}

/// A unit and a number, such as `["tokens", 4000]`.
fn pair(node: &Node) -> Option<(&str, Decimal)> {
    let Value::List(items) = &node.value else { return None };
    let [unit, amount] = items.as_slice() else { return None };
    Some((unit.text()?.as_str(), number(amount)?))
}

fn number(node: &Node) -> Option<Decimal> {
    match node.value {
        Value::Number(number) if !number.is_sign_negative() => Some(number),
        _ => None,
    }
}

/// The condition of a trigger.
fn condition(node: &Node) -> Option<String> {
    if let Some((unit, amount)) = pair(node) {
        return comparison(unit, amount);
    }
    let all = |parts: Vec<Option<String>>, word: &str| {
        let parts: Option<Vec<String>> = parts.into_iter().collect();
        parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(word))
    };
    match &node.value {
        Value::Map(entries) => {
            let parts = entries.iter().map(|entry| comparison(&entry.key.node, number(&entry.value)?));
            all(parts.collect(), " and ").map(|text| format!("({text})"))
        }
        Value::List(items) => all(items.iter().map(|item| condition(item)).collect(), " or "),
        _ => None,
    }
}

fn comparison(unit: &str, amount: Decimal) -> Option<String> {
    match unit {
        "tokens" => Some(format!("context.tokens >= {}", Quantity::whole(whole(amount), Unit::Tokens))),
        "messages" => {
            let count = whole(amount);
            Some(format!("context.messages >= {}", counted(count, "message")))
        }
        "fraction" if amount <= Decimal::ONE => {
            Some(format!("context.ratio >= {}", Quantity::new(amount, Unit::Share)))
        }
        _ => None,
    }
}
