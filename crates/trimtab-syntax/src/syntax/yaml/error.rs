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

static NOT_YAML: Code = Code::new("E601", Severity::Error, include_str!("error/E601.md"));
static RUNAWAY_ALIAS: Code = Code::new("E602", Severity::Error, include_str!("error/E602.md"));
static SECOND_DOCUMENT: Code = Code::new("E603", Severity::Error, include_str!("error/E603.md"));
static NO_POLICY: Code = Code::new("E604", Severity::Error, include_str!("error/E604.md"));
static DUPLICATE: Code = Code::new("E605", Severity::Error, include_str!("error/E605.md"));
static WRONG_TYPE: Code = Code::new("E606", Severity::Error, include_str!("error/E606.md"));
static MISSING_KIND: Code = Code::new("E607", Severity::Error, include_str!("error/E607.md"));
static UNKNOWN_KIND: Code = Code::new("E608", Severity::Error, include_str!("error/E608.md"));
static UNKNOWN_PARAM: Code = Code::new("E609", Severity::Error, include_str!("error/E609.md"));
static UNKNOWN_KEY: Code = Code::new("E610", Severity::Error, include_str!("error/E610.md"));
static OUT_OF_RANGE: Code = Code::new("E611", Severity::Error, include_str!("error/E611.md"));
static UNKNOWN_PROVIDER: Code = Code::new("E612", Severity::Error, include_str!("error/E612.md"));
static TURNED_OFF: Code = Code::new("E613", Severity::Warning, include_str!("error/E613.md"));
static NO_RULES: Code = Code::new("E614", Severity::Warning, include_str!("error/E614.md"));
static WINDOWS_DIFFER: Code = Code::new("E615", Severity::Warning, include_str!("error/E615.md"));
static DEFAULT_USED: Code = Code::new("E616", Severity::Warning, include_str!("error/E616.md"));
static DEFAULT_EFFECTS: Code = Code::new("E617", Severity::Warning, include_str!("error/E617.md"));

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
