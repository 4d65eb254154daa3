//! What can be wrong with effects in YAML.

use super::kind::{KINDS, Kind};
use crate::diagnostic::{self, Code, Diagnostic, Severity};
use crate::quantity::Decimal;
use crate::source::{Position, Span, up_to};
use crate::syntax::tree::Name;

/// Every code of this stage.
pub static CODES: &[&Code] = &[
    &NOT_YAML,
    &RUNAWAY_ALIAS,
    &SECOND_DOCUMENT,
    &NOTHING_HERE,
    &SAID_TWICE,
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
];

static NOT_YAML: Code = Code {
    id: "E601",
    severity: Severity::Error,
    title: "not YAML",
    why: "The text breaks a rule of YAML itself, so nothing behind that place can be read. Often a quote or a bracket \
          is not closed, a tab stands in the indent, or a `:` is missing.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: 0.8\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static RUNAWAY_ALIAS: Code = Code {
    id: "E602",
    severity: Severity::Error,
    title: "alias without bound",
    why: "An alias stands for all that its anchor holds. One inside its own anchor never ends, and aliases of aliases \
          can make gigabytes of a few lines, so both are refused.",
    wrong: "effects: &all\n  - kind: compact\n  - *all\n",
    right: "effects:\n  - &one {kind: loop_detect}\n  - {kind: reflection}\n",
};

static SECOND_DOCUMENT: Code = Code {
    id: "E603",
    severity: Severity::Error,
    title: "second document",
    why: "A YAML file can hold several documents with `---` between them. Policies are read from one; the others would \
          be passed over in silence.",
    wrong: "effects:\n  - kind: compact\n---\neffects:\n  - kind: progress\n",
    right: "effects:\n  - kind: compact\n  - kind: progress\n",
};

static NOTHING_HERE: Code = Code {
    id: "E604",
    severity: Severity::Error,
    title: "no effects",
    why: "A policy in YAML is a map with `effects`, or with `agents` that may each have `effects`. This text has neither.",
    wrong: "providers:\n  - name: main\n    kind: anthropic\n",
    right: "effects:\n  - kind: compact\n",
};

static SAID_TWICE: Code = Code {
    id: "E605",
    severity: Severity::Error,
    title: "said twice",
    why: "A map has each key once, and agents and providers have each name once. Of two, readers of YAML take one or \
          the other, so that nobody can tell which was meant.",
    wrong: "effects:\n  - kind: compact\n    params:\n      threshold: 0.7\n      threshold: 0.8\n",
    right: "effects:\n  - kind: compact\n    params:\n      threshold: 0.8\n",
};

static WRONG_TYPE: Code = Code {
    id: "E606",
    severity: Severity::Error,
    title: "wrong type of value",
    why: "Each key takes one type of value: `effects` a list, `params` a map, a threshold a number. A number in quotes \
          is a string.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: \"0.8\"}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static MISSING_KIND: Code = Code {
    id: "E607",
    severity: Severity::Error,
    title: "effect without a kind",
    why: "The kind says what an effect does; without it there is nothing to do.",
    wrong: "agents:\n  - name: coder\n    effects:\n      - params: {threshold: 0.8}\n",
    right: "agents:\n  - name: coder\n    effects:\n      - kind: compact\n        params: {threshold: 0.8}\n",
};

static UNKNOWN_KIND: Code = Code {
    id: "E608",
    severity: Severity::Error,
    title: "unknown kind",
    why: "There are seven kinds of effect in this form. Everything else that a policy can do is said in a `.trim` text.",
    wrong: "effects:\n  - kind: compcat\n",
    right: "effects:\n  - kind: compact\n",
};

static UNKNOWN_PARAM: Code = Code {
    id: "E609",
    severity: Severity::Error,
    title: "unknown parameter",
    why: "The kind takes no parameter of this name. A parameter that is passed over in silence leaves its default in \
          force, which is hard to notice.",
    wrong: "effects:\n  - kind: compact\n    params: {treshold: 0.9}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.9}\n",
};

static UNKNOWN_KEY: Code = Code {
    id: "E610",
    severity: Severity::Error,
    title: "unknown key",
    why: "An effect has the keys `kind` and `params` and no others. Elsewhere unknown keys belong to the host and are \
          left alone, unless one is so near to a key that is read here that it looks mistyped.",
    wrong: "effects:\n  - kind: compact\n    threshold: 0.9\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.9}\n",
};

static OUT_OF_RANGE: Code = Code {
    id: "E611",
    severity: Severity::Error,
    title: "number out of range",
    why: "A threshold is a share of the window: 0.8 stands for 80%. `context_threshold` lies between 0 and 1, or is 0 for \
          its default; a window is not negative.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: 80}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static UNKNOWN_PROVIDER: Code = Code {
    id: "E612",
    severity: Severity::Error,
    title: "unknown provider",
    why: "The agent names a provider that the file does not list, so its window cannot be looked up.",
    wrong: "providers:\n  - {name: main, kind: anthropic}\nagents:\n  - {name: coder, provider: mian}\n",
    right: "providers:\n  - {name: main, kind: anthropic}\nagents:\n  - {name: coder, provider: main}\n",
};

static TURNED_OFF: Code = Code {
    id: "E613",
    severity: Severity::Warning,
    title: "effect turned off",
    why: "A threshold of 0 or less, or a window of 0, turns off an effect that waits for a share of the window. It \
          becomes no rule. Leave the effect out, or give it a threshold.",
    wrong: "effects:\n  - kind: compact\n    params: {threshold: 0}\n",
    right: "effects:\n  - kind: compact\n    params: {threshold: 0.8}\n",
};

static NO_RULES: Code = Code {
    id: "E614",
    severity: Severity::Warning,
    title: "agent without effects",
    why: "An agent that lists no effects gets trimming and compaction when its window is known. Here it is not, so the \
          policy has no rules.",
    wrong: "agents:\n  - name: coder\n",
    right: "agents:\n  - name: coder\n    window: 200000\n",
};

static WINDOWS_DIFFER: Code = Code {
    id: "E615",
    severity: Severity::Warning,
    title: "agents with different windows",
    why: "A policy file says one thing about its host. When its agents have different windows none is taken from it: the \
          recording, the model or the command line has to say.",
    wrong: "agents:\n  - {name: a, window: 100000}\n  - {name: b, window: 200000}\n",
    right: "agents:\n  - {name: a, window: 200000}\n  - {name: b, window: 200000}\n",
};

/// The author's text in backticks, cut when it is long.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let cut = text.char_indices().nth(LONGEST).map_or(text, |(at, _)| up_to(text, at));
    format!("`{cut}{}`", if cut.len() < text.len() { "…" } else { "" })
}

/// The candidate that a mistyped word was meant to be. A long word is none of them.
pub(super) fn meant<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 60;
    if word.len() > LONGEST { None } else { diagnostic::nearest(word, candidates) }
}

/// Suggests the meant word, or lists all of them.
fn suggest(finding: Diagnostic, span: Span, meant: Option<&str>, all: &[&str]) -> Diagnostic {
    match meant {
        Some(word) => finding.help(format!("did you mean `{word}`?")).fix(format!("write `{word}`"), false, span, word),
        None if all.is_empty() => finding,
        None if all.len() == 1 => finding.help(format!("the only one is {}", diagnostic::alternatives(all))),
        None => finding.help(format!("one of {}", diagnostic::alternatives(all))),
    }
}

pub(super) fn not_yaml(span: Span, at: Position, reason: &str) -> Diagnostic {
    let reason = reason.replace("wasn't", "was not").replace('\'', "`");
    let Position { line, column } = at;
    Diagnostic::new(&NOT_YAML, span, format!("this is not YAML: line {line}, column {column}: {reason}"), "here")
}

pub(super) fn endless_alias(span: Span) -> Diagnostic {
    Diagnostic::new(&RUNAWAY_ALIAS, span, "this alias stands inside its own anchor", "it would never end")
        .help("write the values out")
}

pub(super) fn runaway_alias(span: Span) -> Diagnostic {
    Diagnostic::new(&RUNAWAY_ALIAS, span, "the aliases up to here stand for too much", "one alias too many")
        .help("write the values out")
}

pub(super) fn second_document(span: Span) -> Diagnostic {
    Diagnostic::new(&SECOND_DOCUMENT, span, "a policy file is one YAML document", "a second one begins here")
        .help("put the other documents into files of their own")
}

pub(super) fn nothing_here(span: Span, here: &str) -> Diagnostic {
    Diagnostic::new(&NOTHING_HERE, span, "nothing here is a policy", here)
        .help("a policy is a map with `effects`, or with `agents` that have `effects`")
}

pub(super) fn said_twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    let message = format!("the {what} {} stands twice", quoted(&name.node));
    Diagnostic::new(&SAID_TWICE, name.span, message, "again").label(first, "first here").help("keep one of them")
}

/// `key` is quoted already.
pub(super) fn wrong_type(span: Span, key: &str, wanted: &str, got: &str) -> Diagnostic {
    Diagnostic::new(&WRONG_TYPE, span, format!("{key} must be {wanted}, got {got}"), got)
}

/// Like [`wrong_type`], for a value of a named key.
pub(super) fn wrong_value(span: Span, key: &str, wanted: &str, got: &str) -> Diagnostic {
    wrong_type(span, &quoted(key), wanted, got)
}

/// `at` is the agent and the place in its list: `agent `coder`: effect[0]`.
pub(super) fn missing_kind(span: Span, at: &str) -> Diagnostic {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    Diagnostic::new(&MISSING_KIND, span, format!("{at}: kind is required"), "an effect without `kind`")
        .help(format!("add `kind`: {}", diagnostic::alternatives(&kinds)))
}

/// The kind that is plainly meant: the nearest, or the only one of whose name this is a part.
pub(super) fn kind_meant(word: &str) -> Option<&'static str> {
    let kinds = || KINDS.iter().map(|kind| kind.name);
    let mut holders = kinds().filter(|kind| kind.split('_').any(|part| part == word));
    meant(word, kinds()).or_else(|| holders.next().filter(|_| holders.next().is_none()))
}

pub(super) fn unknown_kind(kind: &Name, at: &str) -> Diagnostic {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let meant = kind_meant(&kind.node);
    let message = format!("{at}: unknown kind {}", quoted(&kind.node));
    suggest(Diagnostic::new(&UNKNOWN_KIND, kind.span, message, "no kind of effect"), kind.span, meant, &kinds)
}

pub(super) fn unknown_param(key: &Name, kind: &Kind) -> Diagnostic {
    let names: Vec<&str> = kind.params.iter().map(|param| param.name).collect();
    let meant = meant(&key.node, names.iter().copied());
    let message = format!("`{}` has no parameter {}", kind.name, quoted(&key.node));
    suggest(Diagnostic::new(&UNKNOWN_PARAM, key.span, message, "unknown parameter"), key.span, meant, &names)
}

/// A parameter that belongs to no kind at all.
pub(super) fn param_of_none(key: &Name) -> Diagnostic {
    let names = KINDS.iter().flat_map(|kind| kind.params).map(|param| param.name);
    let message = format!("no kind of effect has a parameter {}", quoted(&key.node));
    let finding = Diagnostic::new(&UNKNOWN_PARAM, key.span, message, "unknown parameter");
    suggest(finding, key.span, meant(&key.node, names), &[])
}

/// `misplaced` says that the key is a parameter of the effect.
pub(super) fn unknown_key(key: &Name, holder: &str, meant: Option<&str>, misplaced: bool) -> Diagnostic {
    let message = format!("{holder} has no key {}", quoted(&key.node));
    let finding = Diagnostic::new(&UNKNOWN_KEY, key.span, message, "unknown key");
    match meant {
        _ if misplaced => finding.help("put it under `params`"),
        None => finding.help(format!("{holder} has `kind` and `params`; its parameters stand under `params`")),
        _ => suggest(finding, key.span, meant, &[]),
    }
}

/// `rule` says what the number must be.
pub(super) fn out_of_range(span: Span, key: &str, rule: &str) -> Diagnostic {
    Diagnostic::new(&OUT_OF_RANGE, span, format!("{} must be {rule}", quoted(key)), "out of range")
}

/// A share of the window that no context ever reaches; a percentage is probably meant.
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

/// How messages about an agent begin.
pub(super) fn agent(name: &str) -> String {
    format!("agent {}: ", quoted(name))
}

pub(super) fn unknown_provider(name: &Name, agent: &str, known: &[&str]) -> Diagnostic {
    let meant = meant(&name.node, known.iter().copied());
    let message = format!("{agent}unknown provider {}", quoted(&name.node));
    suggest(Diagnostic::new(&UNKNOWN_PROVIDER, name.span, message, "not listed"), name.span, meant, known)
}

pub(super) fn threshold_off(span: Span, kind: &str) -> Diagnostic {
    let message = format!("a threshold of 0 or less turns `{kind}` off");
    Diagnostic::new(&TURNED_OFF, span, message, "this effect becomes no rule")
        .help("leave the effect out, or give a share of the window such as 0.8")
}

pub(super) fn window_off(span: Span, kind: &str, window: Span) -> Diagnostic {
    let message = format!("a window of 0 turns `{kind}` off");
    Diagnostic::new(&TURNED_OFF, span, message, "this effect becomes no rule").label(window, "the window")
}

pub(super) fn no_rules(span: Span, agent: &str) -> Diagnostic {
    let message = format!("{agent}no effects are listed and no window is known, so there are no rules");
    Diagnostic::new(&NO_RULES, span, message, "a policy without rules").help("list `effects`, or say the `window`")
}

/// Each place with its window; none is one that is not known.
pub(super) fn windows_differ(first: (Span, Option<u64>), other: (Span, Option<u64>)) -> Diagnostic {
    let message = "the agents of this file have different windows, so none is taken from it";
    let said = |tokens: Option<u64>| tokens.map_or("window unknown".to_owned(), |tokens| format!("{tokens} tokens"));
    Diagnostic::new(&WINDOWS_DIFFER, other.0, message, said(other.1))
        .label(first.0, said(first.1))
        .help("say the window where the policy runs, such as with `--window`")
}
