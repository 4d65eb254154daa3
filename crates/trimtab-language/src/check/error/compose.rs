//! Errors in `use`, in `extends`, and in changes of inherited rules.

use std::fmt::Display;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

use super::{name, suggest};

pub(crate) static USE: Code = Code::new("E521", Severity::Error, include_str!("compose/E521.md"));
pub(crate) static USE_CYCLE: Code = Code::new("E522", Severity::Error, include_str!("compose/E522.md"));
pub(crate) static CLASH: Code = Code::new("E523", Severity::Error, include_str!("compose/E523.md"));
pub(crate) static BASE: Code = Code::new("E524", Severity::Error, include_str!("compose/E524.md"));
pub(crate) static BASE_CYCLE: Code = Code::new("E525", Severity::Error, include_str!("compose/E525.md"));
pub(crate) static INHERITED: Code = Code::new("E526", Severity::Error, include_str!("compose/E526.md"));
pub(crate) static KNOWN_RULE: Code = Code::new("E527", Severity::Error, include_str!("compose/E527.md"));
pub(crate) static SEALED: Code = Code::new("E528", Severity::Error, include_str!("compose/E528.md"));
pub(crate) static NO_CLAUSE: Code = Code::new("E529", Severity::Error, include_str!("compose/E529.md"));
pub(crate) static REFERENCED: Code = Code::new("E530", Severity::Error, include_str!("compose/E530.md"));

/// A file that cannot be imported.
pub(crate) fn refused(span: Span, path: &str, reason: &str) -> Diagnostic {
    Diagnostic::new(&USE, span, format!("cannot import `{path}`: {reason}"), "not imported")
        .help("write a path relative to this file, inside the project")
}

/// A file that imports itself, directly or through others.
pub(crate) fn use_cycle(span: Span, chain: &[String]) -> Diagnostic {
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    Diagnostic::new(&USE_CYCLE, span, cycle(&chain, "uses"), "completes the cycle")
        .help("move the definitions that both need to a third file")
}

/// Two definitions of a name.
pub(crate) fn clash(what: &str, name: &str, span: Span, places: [(Span, &str); 2]) -> Diagnostic {
    let here = places.iter().find(|(place, _)| *place == span).map_or("imports the second", |(_, here)| *here);
    let finding = Diagnostic::new(&CLASH, span, format!("{what} `{name}` is defined in two files"), here);
    let others = places.into_iter().filter(|(place, _)| *place != span);
    others.fold(finding, |finding, (place, here)| finding.label(place, here)).help("rename one of them")
}

/// Two imported `agent` blocks, and none in the file itself.
pub(crate) fn two_agents(span: Span, places: [Span; 2]) -> Diagnostic {
    let message = "two imported files have an `agent` block";
    Diagnostic::new(&CLASH, span, message, "imports the second")
        .label(places[0], "first block")
        .label(places[1], "second block")
        .help("write an `agent` block in this file; it replaces both")
}

/// An unknown policy after `extends`.
pub(crate) fn unknown_base<'p>(base: &Name, policies: impl Iterator<Item = &'p str>) -> Diagnostic {
    let message = format!("unknown policy `{}`", base.node);
    let finding = Diagnostic::new(&BASE, base.span, message, "not a policy of this file or of an imported one");
    let mut policies: Vec<&str> = policies.collect();
    policies.sort_unstable();
    suggest(finding, base.span, nearest(&base.node, policies.iter().copied()), || match policies.as_slice() {
        [] => "there is no other policy in this file; import one with `use`".to_owned(),
        some => format!("available policies: {}", alternatives(some)),
    })
}

/// A cycle in words: `a` uses `b`, which uses `a`.
fn cycle(chain: &[&str], verb: &str) -> String {
    let (first, rest) = chain.split_first().unwrap_or((&"", &[]));
    format!("`{first}` {verb} `{}`", rest.join(&format!("`, which {verb} `")))
}

/// Policies that extend each other.
pub(crate) fn base_cycle(span: Span, chain: &[&str]) -> Diagnostic {
    Diagnostic::new(&BASE_CYCLE, span, cycle(chain, "extends"), "completes the cycle")
        .help("remove one of the `extends`")
}

/// A chain of `extends` that is too long.
pub(crate) fn too_many_bases(span: Span, most: usize) -> Diagnostic {
    let message = format!("more than {most} policies extend each other in a chain");
    Diagnostic::new(&BASE_CYCLE, span, message, "exceeds the limit").help("extend a policy with a shorter chain")
}

/// A change of an inherited rule in a policy that extends none.
pub(crate) fn no_base(span: Span, word: &str, policy: &Name) -> Diagnostic {
    let message = format!("`{word}` changes an inherited rule, but `{}` extends no policy", policy.node);
    let help = match word {
        "disable" => "remove the rule instead",
        "override" => "remove `override`, or add `extends` to the policy",
        _ => "reorder the rules instead",
    };
    Diagnostic::new(&INHERITED, span, message, "nothing is inherited").label(policy.span, "has no `extends`").help(help)
}

/// A name that is not an inherited rule.
pub(crate) fn not_inherited<'r>(
    word: &str,
    rule: &Name,
    base: &str,
    rules: impl Iterator<Item = &'r str>,
) -> Diagnostic {
    let message = format!("`{base}` has no rule `{}`", rule.node);
    let finding = Diagnostic::new(&INHERITED, rule.span, message, format!("nothing to {word}"));
    let rules: Vec<&str> = rules.collect();
    suggest(finding, rule.span, nearest(&rule.node, rules.iter().copied()), || match rules.as_slice() {
        [] => format!("`{base}` has no rules"),
        some => format!("available rules: {}", alternatives(some)),
    })
}

/// A second rule of the same name, or with `changes`, a second `override` or `disable` of it.
pub(crate) fn repeated(rule: &Name, first: Span, changes: bool) -> Diagnostic {
    if !changes {
        return name::duplicate("rule", rule, first);
    }
    let message = format!("this policy changes rule `{}` twice", rule.node);
    Diagnostic::new(&name::TWICE, rule.span, message, "second change")
        .label(first, "first change")
        .help("merge them, or remove one")
}

/// `before` or `after` with a rule of the same policy.
pub(crate) fn own_rule(rule: &Name) -> Diagnostic {
    let message = format!("rule `{}` is defined in this policy, not inherited", rule.node);
    Diagnostic::new(&INHERITED, rule.span, message, "not an inherited rule")
        .help("rules of this policy run in the order written; `before` and `after` take inherited rules")
}

/// A rule that a base has disabled.
pub(crate) fn disabled_before(word: &str, rule: &Name, base: &str, place: Span) -> Diagnostic {
    let message = format!("rule `{}` is already disabled in `{base}`", rule.node);
    Diagnostic::new(&INHERITED, rule.span, message, format!("nothing to {word}"))
        .label(place, "disabled here")
        .help("remove it, or write a new rule")
}

/// A rule with the name of an inherited one.
pub(crate) fn has_already(rule: &Name, start: Span, base: &str, place: Span) -> Diagnostic {
    let message = format!("`{base}` already has a rule `{}`", rule.node);
    let front = Span { end: start.start, ..start };
    Diagnostic::new(&KNOWN_RULE, rule.span, message, "has the same name")
        .label(place, "inherited from here")
        .help("write `override rule` to change it, or choose another name")
        .fix("add `override`", false, front, "override ")
}

/// A change of a sealed rule.
pub(crate) fn sealed(what: &str, span: Span, rule: &str, seal: Span) -> Diagnostic {
    Diagnostic::new(&SEALED, span, format!("rule `{rule}` is sealed"), format!("cannot be {what}"))
        .label(seal, "sealed here")
        .help("keep the rule as it is, or extend another policy")
}

/// A rule that is placed before a sealed one.
pub(crate) fn before_sealed(span: Span, rule: &str, sealed: &str, seal: Span) -> Diagnostic {
    let message = format!("rule `{rule}` cannot be placed before `{sealed}`, which is sealed");
    Diagnostic::new(&SEALED, span, message, "places it before the sealed rule")
        .label(seal, "sealed here")
        .help("place it after the sealed rule")
}

/// `no CLAUSE` that cannot be applied.
pub(crate) fn no_clause(span: Span, word: &str, why: &dyn Display, there: Option<Span>) -> Diagnostic {
    let finding = Diagnostic::new(&NO_CLAUSE, span, format!("`no {word}` removes nothing: {why}"), "has no effect");
    let finding = there.into_iter().fold(finding, |finding, place| finding.label(place, "given here"));
    finding.help("remove it").fix("remove it", false, span, "")
}

/// An inherited rule that refers to a rule which this policy disables.
pub(crate) fn disables_referenced(span: Span, rule: &str, by: &str, place: Span) -> Diagnostic {
    Diagnostic::new(&REFERENCED, span, format!("rule `{by}` refers to `{rule}`, which is disabled"), "disabled here")
        .label(place, "referred to here")
        .help(format!("disable or override `{by}` too"))
}

/// A reference to a rule that is already disabled.
pub(crate) fn refers_to_disabled(span: Span, rule: &str, by: &str, place: Span) -> Diagnostic {
    Diagnostic::new(&REFERENCED, span, format!("rule `{by}` refers to `{rule}`, which is disabled"), "refers to it")
        .label(place, "disabled here")
        .help("refer to another rule")
}
