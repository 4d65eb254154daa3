//! Errors and warnings about effects in YAML, with the codes E601 to E616.

use trimtab_base::diagnostic::{self, Code, Diagnostic, Severity};
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{Position, Span, up_to};

use super::kind::{KINDS, Kind};
use crate::syntax::tree::Name;

/// All codes of this stage, in order.
pub static CODES: &[&Code] = &[
    &NOT_YAML,
    &RUNAWAY_ALIAS,
    &SECOND_DOCUMENT,
    &NO_POLICY,
    &DUPLICATE,
    &WRONG_TYPE,
    &MISSING_KIND,
    &UNKNOWN_KIND,
    &UNKNOWN_PARAM,
    &UNKNOWN_KEY,
    &OUT_OF_RANGE,
    &UNKNOWN_PROVIDER,
    &TURNED_OFF,
    &NO_RULES,
    &WINDOWS_DIFFER,
    &DEFAULT_USED,
    &DEFAULT_EFFECTS,
];

static NOT_YAML: Code = Code {
    id: "E601",
    severity: Severity::Error,
    title: "not YAML",
    why: "The file has a YAML syntax error, so nothing after it can be parsed. Often a quote or a bracket is not closed, \
          a line is indented with a tab, or a `:` is missing.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: 0.8\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static RUNAWAY_ALIAS: Code = Code {
    id: "E602",
    severity: Severity::Error,
    title: "unbounded alias",
    why: "An alias repeats the value of its anchor. An alias inside its own anchor never ends, and aliases of aliases can \
          expand a few lines to gigabytes. Both are rejected.",
    wrong: "effects: &all\n  - kind: compact\n  - *all\n",
    right: "effects:\n  - &one {kind: loop_detect}\n  - {kind: reflection}\n",
};

static SECOND_DOCUMENT: Code = Code {
    id: "E603",
    severity: Severity::Error,
    title: "second document",
    why: "A YAML file can contain several documents, separated by `---`. Only one document is read; the others would be \
          ignored silently.",
    wrong: "effects:\n  - kind: compact\n---\neffects:\n  - kind: progress\n",
    right: "effects:\n  - kind: compact\n  - kind: progress\n",
};

static NO_POLICY: Code = Code {
    id: "E604",
    severity: Severity::Error,
    title: "no effects",
    why: "A policy in YAML is a map with `effects`, or with `agents` that each may have `effects`. This file has neither.",
    wrong: "providers:\n  - name: main\n    kind: anthropic\n",
    right: "effects:\n  - kind: compact\n",
};

static DUPLICATE: Code = Code {
    id: "E605",
    severity: Severity::Error,
    title: "duplicate key or name",
    why: "The keys of a map, the names of agents and the names of providers are unique. Some YAML parsers use the first \
          of two equal keys and some the last, so it is unclear which one is meant.",
    wrong: "effects:\n  - kind: compact\n    params:\n      threshold: 0.7\n      threshold: 0.8\n",
    right: "effects:\n  - kind: compact\n    params:\n      threshold: 0.8\n",
};

static WRONG_TYPE: Code = Code {
    id: "E606",
    severity: Severity::Error,
    title: "wrong type of value",
    why: "Each key takes values of one type: `effects` a list, `params` a map, a threshold a number. A number in quotes is \
          a string.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: \"0.8\"}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static MISSING_KIND: Code = Code {
    id: "E607",
    severity: Severity::Error,
    title: "effect without a kind",
    why: "The kind determines what an effect does, so it is required.",
    wrong: "agents:\n  - name: coder\n    effects:\n      - params: {threshold: 0.8}\n",
    right: "agents:\n  - name: coder\n    effects:\n      - kind: compact\n        params: {threshold: 0.8}\n",
};

static UNKNOWN_KIND: Code = Code {
    id: "E608",
    severity: Severity::Error,
    title: "unknown kind",
    why: "YAML policies support these kinds of effects only. Everything else requires a policy in a `.trim` file.",
    wrong: "effects:\n  - kind: compcat\n",
    right: "effects:\n  - kind: compact\n",
};

static UNKNOWN_PARAM: Code = Code {
    id: "E609",
    severity: Severity::Error,
    title: "unknown parameter",
    why: "The kind has no parameter with this name. If it were ignored, the default of the intended parameter would apply \
          unnoticed.",
    wrong: "effects:\n  - kind: compact\n    params: {treshold: 0.9}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.9}\n",
};

static UNKNOWN_KEY: Code = Code {
    id: "E610",
    severity: Severity::Error,
    title: "unknown key",
    why: "An effect has only the keys `kind` and `params`. Elsewhere unknown keys belong to the host and are ignored, \
          unless one looks like a misspelt key.",
    wrong: "effects:\n  - kind: compact\n    threshold: 0.9\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.9}\n",
};

static OUT_OF_RANGE: Code = Code {
    id: "E611",
    severity: Severity::Error,
    title: "number out of range",
    why: "A threshold is a share of the window: 0.8 means 80%. `context_threshold` is between 0 and 1, or 0 for its \
          default. A window is not negative.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: 80}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static UNKNOWN_PROVIDER: Code = Code {
    id: "E612",
    severity: Severity::Error,
    title: "unknown provider",
    why: "The agent refers to a provider that the file does not list, so its window is unknown.",
    wrong: "providers:\n  - {name: main, kind: anthropic}\nagents:\n  - {name: coder, provider: mian}\n",
    right: "providers:\n  - {name: main, kind: anthropic}\nagents:\n  - {name: coder, provider: main}\n",
};

static TURNED_OFF: Code = Code {
    id: "E613",
    severity: Severity::Warning,
    title: "effect turned off",
    why: "A threshold of 0 or less, or a window of 0, turns off an effect that depends on a share of the window, so it has \
          no rule. Remove the effect or set a threshold.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: 0}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static NO_RULES: Code = Code {
    id: "E614",
    severity: Severity::Warning,
    title: "agent without effects",
    why: "An agent without effects gets trimming and compaction if its window is known. Here the window is unknown, so \
          the policy has no rules.",
    wrong: "agents:\n  - name: coder\n",
    right: "agents:\n  - name: coder\n    window: 200000\n",
};

static WINDOWS_DIFFER: Code = Code {
    id: "E615",
    severity: Severity::Warning,
    title: "agents with different windows",
    why: "A policy file describes one host. If its agents have different windows, none of them is used: the window must \
          come from the recording, the model or the command line.",
    wrong: "agents:\n  - {name: a, window: 100000}\n  - {name: b, window: 200000}\n",
    right: "agents:\n  - {name: a, window: 200000}\n  - {name: b, window: 200000}\n",
};

static DEFAULT_USED: Code = Code {
    id: "E616",
    severity: Severity::Warning,
    title: "default in place of a value",
    why: "Numbers that a parameter cannot have, such as 0 and less, mean its default. In a policy file (`.trim`), `keep 0` \
          keeps none.",
    wrong: "effects:\n  - kind: observation_mask\n    params: {recent_window: 0}\n",
    right: "effects:\n  - kind: observation_mask\n    params: {recent_window: 10}\n",
};

static DEFAULT_EFFECTS: Code = Code {
    id: "E617",
    severity: Severity::Warning,
    title: "empty list of effects",
    why: "An agent with a window that lists no effects gets those that the original system uses by default, also if the list \
          is there and empty. To use none, remove the agent.",
    wrong: "agents:\n  - name: coder\n    window: 200000\n    effects: []\n",
    right: "agents:\n  - name: coder\n    window: 200000\n    effects:\n      - kind: trim_tool_results\n      - kind: compact\n",
};

/// The author's text in backticks, shortened if it is long.
fn quoted(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let cut = text.char_indices().nth(MAX_CHARS).map_or(text, |(at, _)| up_to(text, at));
    format!("`{cut}{}`", if cut.len() < text.len() { "…" } else { "" })
}

/// The most similar candidate, if one is similar enough. Long words are never misspelt candidates.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const MAX_BYTES: usize = 60;
    if word.len() > MAX_BYTES { None } else { diagnostic::nearest(word, candidates) }
}

/// Suggests the most similar word, or lists all of them.
fn suggest(finding: Diagnostic, span: Span, nearest: Option<&str>, all: &[&str]) -> Diagnostic {
    match nearest {
        Some(word) => finding.help(format!("did you mean `{word}`?")).fix(format!("write `{word}`"), false, span, word),
        None if all.is_empty() => finding,
        None if all.len() == 1 => finding.help(format!("the only one is {}", diagnostic::alternatives(all))),
        None => finding.help(format!("one of {}", diagnostic::alternatives(all))),
    }
}

pub(super) fn not_yaml(span: Span, at: Position, reason: &str) -> Diagnostic {
    let reason = reason.replace("wasn't", "was not").replace('\'', "`");
    let Position { line, column } = at;
    Diagnostic::new(&NOT_YAML, span, format!("invalid YAML at line {line}, column {column}: {reason}"), "syntax error")
}

pub(super) fn endless_alias(span: Span) -> Diagnostic {
    Diagnostic::new(&RUNAWAY_ALIAS, span, "this alias is inside its own anchor", "infinite expansion")
        .help("repeat the values instead of using an alias")
}

pub(super) fn runaway_alias(span: Span) -> Diagnostic {
    Diagnostic::new(&RUNAWAY_ALIAS, span, "the aliases up to here expand to too many values", "too many values")
        .help("repeat the values instead of using aliases")
}

pub(super) fn second_document(span: Span) -> Diagnostic {
    Diagnostic::new(&SECOND_DOCUMENT, span, "a policy file contains one YAML document", "a second document starts here")
        .help("move the other documents to their own files")
}

pub(super) fn no_policy(span: Span, here: &str) -> Diagnostic {
    Diagnostic::new(&NO_POLICY, span, "this file contains no policy", here)
        .help("a policy is a map with `effects`, or with `agents` that have `effects`")
}

pub(super) fn duplicate(what: &str, name: &Name, first: Span) -> Diagnostic {
    let message = format!("duplicate {what} {}", quoted(&name.node));
    Diagnostic::new(&DUPLICATE, name.span, message, "defined again")
        .label(first, "first defined here")
        .help("keep one of them")
}

/// `key` is already in backticks.
pub(super) fn wrong_type(span: Span, key: &str, wanted: &str, got: &str) -> Diagnostic {
    Diagnostic::new(&WRONG_TYPE, span, format!("{key} must be {wanted}, got {got}"), got)
}

/// Like [`wrong_type`], for a value of a named key.
pub(super) fn wrong_value(span: Span, key: &str, wanted: &str, got: &str) -> Diagnostic {
    wrong_type(span, &quoted(key), wanted, got)
}

/// `at` is the position of the effect, such as "agent `coder`: effect[0]".
pub(super) fn missing_kind(span: Span, at: &str) -> Diagnostic {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    Diagnostic::new(&MISSING_KIND, span, format!("{at}: `kind` is required"), "an effect without `kind`")
        .help(format!("add `kind`: {}", diagnostic::alternatives(&kinds)))
}

/// The kind that a word probably means: the most similar one, or the only one that contains the word.
pub(super) fn nearest_kind(word: &str) -> Option<&'static str> {
    let kinds = || KINDS.iter().map(|kind| kind.name);
    let mut containing = kinds().filter(|kind| kind.split('_').any(|part| part == word));
    nearest(word, kinds()).or_else(|| containing.next().filter(|_| containing.next().is_none()))
}

pub(super) fn unknown_kind(kind: &Name, at: &str) -> Diagnostic {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let nearest = nearest_kind(&kind.node);
    let message = format!("{at}: unknown kind {}", quoted(&kind.node));
    suggest(Diagnostic::new(&UNKNOWN_KIND, kind.span, message, "unknown kind"), kind.span, nearest, &kinds)
}

pub(super) fn unknown_param(key: &Name, kind: &Kind) -> Diagnostic {
    let names: Vec<&str> = kind.params.iter().map(|param| param.name).collect();
    let nearest = nearest(&key.node, names.iter().copied());
    let message = format!("`{}` has no parameter {}", kind.name, quoted(&key.node));
    suggest(Diagnostic::new(&UNKNOWN_PARAM, key.span, message, "unknown parameter"), key.span, nearest, &names)
}

/// A parameter of no kind at all.
pub(super) fn param_of_no_kind(key: &Name) -> Diagnostic {
    let names = KINDS.iter().flat_map(|kind| kind.params).map(|param| param.name);
    let message = format!("no kind of effect has a parameter {}", quoted(&key.node));
    let finding = Diagnostic::new(&UNKNOWN_PARAM, key.span, message, "unknown parameter");
    suggest(finding, key.span, nearest(&key.node, names), &[])
}

/// `is_param` is true for a parameter outside `params`.
pub(super) fn unknown_key(key: &Name, owner: &str, nearest: Option<&str>, is_param: bool) -> Diagnostic {
    let message = format!("{owner} has no key {}", quoted(&key.node));
    let finding = Diagnostic::new(&UNKNOWN_KEY, key.span, message, "unknown key");
    match nearest {
        _ if is_param => finding.help("move it under `params`"),
        None => finding.help(format!("{owner} has `kind` and `params`; parameters belong under `params`")),
        _ => suggest(finding, key.span, nearest, &[]),
    }
}

/// `rule` is what the number must be.
pub(super) fn out_of_range(span: Span, key: &str, rule: &str) -> Diagnostic {
    Diagnostic::new(&OUT_OF_RANGE, span, format!("{} must be {rule}", quoted(key)), "out of range")
}

/// A share of the window that a context never reaches. A percentage is probably meant.
pub(super) fn share_too_large(span: Span, key: &str, number: Decimal) -> Diagnostic {
    let number = number.normalize();
    let finding = out_of_range(span, key, "a share of the window, at most 1.5");
    if number > Decimal::ONE_HUNDRED {
        return finding.help("write 0.8 for 80% of the window");
    }
    let share = (number / Decimal::ONE_HUNDRED).normalize();
    finding.help(format!("write {share} for {number}% of the window")).fix(
        format!("write `{share}`"),
        false,
        span,
        share.to_string(),
    )
}

/// The prefix of messages about an agent.
pub(super) fn agent_prefix(name: &str) -> String {
    format!("agent {}: ", quoted(name))
}

pub(super) fn unknown_provider(name: &Name, agent: &str, known: &[&str]) -> Diagnostic {
    let nearest = nearest(&name.node, known.iter().copied());
    let message = format!("{agent}unknown provider {}", quoted(&name.node));
    suggest(Diagnostic::new(&UNKNOWN_PROVIDER, name.span, message, "not a listed provider"), name.span, nearest, known)
}

pub(super) fn threshold_off(span: Span, kind: &str) -> Diagnostic {
    let message = format!("a threshold of 0 or less turns `{kind}` off");
    Diagnostic::new(&TURNED_OFF, span, message, "this effect has no rule")
        .help("remove the effect, or set a share of the window such as 0.8")
}

pub(super) fn budget_off(span: Span, kind: &str, param: &str) -> Diagnostic {
    let message = format!("`{kind}` has no effect without a value of `{param}`");
    Diagnostic::new(&TURNED_OFF, span, message, "this effect has no rule")
        .help(format!("remove the effect, or set `{param}`"))
}

/// `default` is the value that applies, as an author writes it.
pub(super) fn default_used(span: Span, param: &str, default: &str) -> Diagnostic {
    let message = format!("this value of {} means its default, {default}", quoted(param));
    Diagnostic::new(&DEFAULT_USED, span, message, format!("{default} applies"))
        .help("remove the parameter, or write a number that it can have")
        .fix(format!("write `{default}`"), true, span, default)
}

pub(super) fn window_off(span: Span, kind: &str, window: Span) -> Diagnostic {
    let message = format!("a window of 0 turns `{kind}` off");
    Diagnostic::new(&TURNED_OFF, span, message, "this effect has no rule").label(window, "the window is set here")
}

/// `kinds` are those of the effects that apply instead.
pub(super) fn empty_list(span: Span, agent: &str, kinds: &[&str]) -> Diagnostic {
    let names: Vec<String> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
    let message = format!("{agent}an empty list of effects means the default effects");
    Diagnostic::new(&DEFAULT_EFFECTS, span, message, format!("{} apply", names.join(" and ")))
        .help("list the effects that the agent should have")
}

pub(super) fn no_rules(span: Span, agent: &str) -> Diagnostic {
    let message = format!("{agent}no effects and no known window, so there are no rules");
    Diagnostic::new(&NO_RULES, span, message, "a policy without rules").help("list `effects`, or set `window`")
}

/// `first` and `other` are the spans of two windows, and the windows if they are known.
pub(super) fn windows_differ(first: (Span, Option<u64>), other: (Span, Option<u64>)) -> Diagnostic {
    let message = "the agents of this file have different windows, so none of them is used";
    let label = |tokens: Option<u64>| tokens.map_or("unknown window".to_owned(), |tokens| format!("{tokens} tokens"));
    Diagnostic::new(&WINDOWS_DIFFER, other.0, message, label(other.1))
        .label(first.0, label(first.1))
        .help("set the window where the policy runs, for example with `--window`")
}
