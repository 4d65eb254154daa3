//! Files that use each other, policies that extend each other, and rules that are inherited.

use std::fmt::Display;

use super::{name, suggest};
use crate::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use crate::source::Span;
use crate::syntax::tree::Name;

pub(crate) static USE: Code = Code {
    id: "E521",
    severity: Severity::Error,
    title: "file that cannot be used",
    why: "The path behind `use` is read from the file that holds it, and stays inside the project: the nearest folder \
          upward with `trimtab.toml` or `.git`, else the folder of the file that was named first. There is no such file, \
          or it may not be read. Names that it would have brought in are not complained about.",
    wrong: "edition 2026\nuse \"limts.trim\"\n\n# limits.trim:\nedition 2026\nlet busy = 60%\n",
    right: "edition 2026\nuse \"limits.trim\"\n\n# limits.trim:\nedition 2026\nlet busy = 60%\n",
};

pub(crate) static USE_CIRCLE: Code = Code {
    id: "E522",
    severity: Severity::Error,
    title: "files that use each other",
    why: "A file is checked after those that it uses, so none of them may use it in turn. What both need stands in a \
          third file.",
    wrong: "edition 2026\nuse \"limits.trim\"\n\n# limits.trim:\nedition 2026\nuse \"wrong.trim\"\nlet busy = 60%\n",
    right: "edition 2026\nuse \"limits.trim\"\n\n# limits.trim:\nedition 2026\nlet busy = 60%\n",
};

pub(crate) static CLASH: Code = Code {
    id: "E523",
    severity: Severity::Error,
    title: "one name from two files",
    why: "`use` brings in all lets, prompts and policies of a file, and of those that it uses. A name means one thing in a \
          file, wherever it comes from.",
    wrong: "edition 2026\nuse \"limits.trim\"\nlet busy = 70%\n\n# limits.trim:\nedition 2026\nlet busy = 60%\n",
    right: "edition 2026\nuse \"limits.trim\"\nlet crowded = 70%\n\n# limits.trim:\nedition 2026\nlet busy = 60%\n",
};

pub(crate) static BASE: Code = Code {
    id: "E524",
    severity: Severity::Error,
    title: "unknown base policy",
    why: "`extends` names a policy of this file or of one that it uses, and there is none of this name.",
    wrong: "edition 2026\npolicy careful {\n  rule a { do mask results }\n}\npolicy mine extends carefull {\n  rule b { do trim results to 500 chars }\n}\n",
    right: "edition 2026\npolicy careful {\n  rule a { do mask results }\n}\npolicy mine extends careful {\n  rule b { do trim results to 500 chars }\n}\n",
};

pub(crate) static BASE_CIRCLE: Code = Code {
    id: "E525",
    severity: Severity::Error,
    title: "policies that extend each other",
    why: "A policy takes over the rules of its base, so it cannot be a base of that policy in turn. A chain of more than \
          64 policies is refused too.",
    wrong: "edition 2026\npolicy a extends b {\n  rule r { do mask results }\n}\npolicy b extends a {\n}\n",
    right: "edition 2026\npolicy a {\n  rule r { do mask results }\n}\npolicy b extends a {\n}\n",
};

pub(crate) static INHERITED: Code = Code {
    id: "E526",
    severity: Severity::Error,
    title: "no such rule in the base",
    why: "`override`, `disable`, `before` and `after` name a rule that the policy takes over from the one it extends. A \
          policy that extends none takes over nothing.",
    wrong: "edition 2026\npolicy careful {\n  rule shrink { do mask results }\n}\npolicy mine extends careful {\n  disable rule shrnk \"results are short\"\n}\n",
    right: "edition 2026\npolicy careful {\n  rule shrink { do mask results }\n}\npolicy mine extends careful {\n  disable rule shrink \"results are short\"\n}\n",
};

pub(crate) static KNOWN_RULE: Code = Code {
    id: "E527",
    severity: Severity::Error,
    title: "rule that the base has already",
    why: "A rule's state is kept by its name, so it must be the only one. `override rule` changes the inherited one; it \
          replaces the clauses that it names and keeps the others.",
    wrong: "edition 2026\npolicy careful {\n  rule shrink { do mask results }\n}\npolicy mine extends careful {\n  rule shrink { do mask results keep 2 results }\n}\n",
    right: "edition 2026\npolicy careful {\n  rule shrink { do mask results }\n}\npolicy mine extends careful {\n  override rule shrink { do mask results keep 2 results }\n}\n",
};

pub(crate) static SEALED: Code = Code {
    id: "E528",
    severity: Severity::Error,
    title: "sealed rule",
    why: "A `sealed` rule stays as it is in every policy that extends its own: it is neither overridden nor disabled, and \
          no rule that did not stand before it is placed there.",
    wrong: "edition 2026\npolicy careful {\n  sealed rule shrink { do mask results }\n}\npolicy mine extends careful {\n  disable rule shrink \"results are short\"\n}\n",
    right: "edition 2026\npolicy careful {\n  rule shrink { do mask results }\n}\npolicy mine extends careful {\n  disable rule shrink \"results are short\"\n}\n",
};

pub(crate) static NO_CLAUSE: Code = Code {
    id: "E529",
    severity: Severity::Error,
    title: "nothing to remove",
    why: "`no CLAUSE` takes an inherited clause out of a rule that is overridden. The rule has no such clause, or gives a \
          new one at the same time, or cannot be without it.",
    wrong: "edition 2026\npolicy careful {\n  rule shrink { do mask results once }\n}\npolicy mine extends careful {\n  override rule shrink { no cooldown }\n}\n",
    right: "edition 2026\npolicy careful {\n  rule shrink { do mask results once }\n}\npolicy mine extends careful {\n  override rule shrink { no once }\n}\n",
};

pub(crate) static ASKED: Code = Code {
    id: "E530",
    severity: Severity::Error,
    title: "disabled rule that another asks about",
    why: "`fired` and `since` ask about a rule that is not there any more, so the answer would always be the same.",
    wrong: "edition 2026\npolicy careful {\n  rule shrink { do mask results }\n  rule tell { when fired(shrink) >= 1 do notify \"x\" }\n}\npolicy mine extends careful {\n  disable rule shrink \"results are short\"\n}\n",
    right: "edition 2026\npolicy careful {\n  rule shrink { do mask results }\n  rule tell { when fired(shrink) >= 1 do notify \"x\" }\n}\npolicy mine extends careful {\n  disable rule shrink \"results are short\"\n  disable rule tell \"there is nothing to tell\"\n}\n",
};

/// A file that cannot be had.
pub(crate) fn refused(span: Span, path: &str, reason: &str) -> Diagnostic {
    Diagnostic::new(&USE, span, format!("`{path}` cannot be used: {reason}"), "not followed")
        .help("a path begins at the folder of this file and stays inside the project")
}

/// A file that is used by one that it uses.
pub(crate) fn use_circle(span: Span, chain: &[String]) -> Diagnostic {
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    Diagnostic::new(&USE_CIRCLE, span, circle(&chain, "uses"), "closes the circle")
        .help("move what both need into a third file")
}

/// A name from two files.
pub(crate) fn clash(what: &str, name: &str, span: Span, places: [(Span, &str); 2]) -> Diagnostic {
    let here = places.iter().find(|(place, _)| *place == span).map_or("brings in the second", |(_, here)| *here);
    let finding = Diagnostic::new(&CLASH, span, format!("{what} `{name}` comes from two files"), here);
    let others = places.into_iter().filter(|(place, _)| *place != span);
    others.fold(finding, |finding, (place, here)| finding.label(place, here)).help("rename one of them")
}

/// Two files with an agent block, and none in the file that uses them.
pub(crate) fn two_agents(span: Span, places: [Span; 2]) -> Diagnostic {
    let message = "the `agent` block comes from two files";
    Diagnostic::new(&CLASH, span, message, "brings in the second")
        .label(places[0], "the first")
        .label(places[1], "the second")
        .help("write an `agent` block into this file; it counts instead of both")
}

/// No policy to extend.
pub(crate) fn unknown_base<'p>(base: &Name, policies: impl Iterator<Item = &'p str>) -> Diagnostic {
    let message = format!("unknown policy `{}`", base.node);
    let finding = Diagnostic::new(&BASE, base.span, message, "no policy of this file or of one that it uses");
    let mut policies: Vec<&str> = policies.collect();
    policies.sort_unstable();
    suggest(finding, base.span, nearest(&base.node, policies.iter().copied()), || match policies.as_slice() {
        [] => "there is no other policy; `use` brings in those of another file".to_owned(),
        some => format!("policies are {}", alternatives(some)),
    })
}

/// How things lead from one to the next and back: `a` uses `b`, which uses `a`.
fn circle(chain: &[&str], verb: &str) -> String {
    let (first, rest) = chain.split_first().unwrap_or((&"", &[]));
    format!("`{first}` {verb} `{}`", rest.join(&format!("`, which {verb} `")))
}

/// Policies that extend each other.
pub(crate) fn base_circle(span: Span, chain: &[&str]) -> Diagnostic {
    Diagnostic::new(&BASE_CIRCLE, span, circle(chain, "extends"), "closes the circle")
        .help("let one of them extend none of the others")
}

/// More policies on each other than anybody can follow.
pub(crate) fn too_many_bases(span: Span, most: usize) -> Diagnostic {
    let message = format!("more than {most} policies extend each other in a chain");
    Diagnostic::new(&BASE_CIRCLE, span, message, "one too many").help("let it extend one further down the chain")
}

/// A word that needs a base, in a policy without one.
pub(crate) fn no_base(span: Span, word: &str, policy: &Name) -> Diagnostic {
    let message = format!("`{word}` needs a rule of a base, and `{}` extends no policy", policy.node);
    let help = match word {
        "disable" => "take the rule out",
        "override" => "leave `override` out, or say which policy is extended",
        _ => "put the rules into the order that is meant",
    };
    Diagnostic::new(&INHERITED, span, message, "nothing is inherited here").label(policy.span, "has no base").help(help)
}

/// No rule of the base.
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
        [] => format!("`{base}` has no rules at all"),
        some => format!("its rules are {}", alternatives(some)),
    })
}

/// A second word of a policy about one rule; `changes` when that is `override` or `disable`.
pub(crate) fn said_twice(rule: &Name, first: Span, changes: bool) -> Diagnostic {
    if !changes {
        return name::twice("rule", rule, first);
    }
    let message = format!("this policy says two things about rule `{}`", rule.node);
    Diagnostic::new(&name::TWICE, rule.span, message, "the second")
        .label(first, "the first")
        .help("join them into one, or leave one out")
}

/// A place beside a rule of the same policy.
pub(crate) fn own_rule(rule: &Name) -> Diagnostic {
    let message = format!("rule `{}` is of this policy, not inherited", rule.node);
    Diagnostic::new(&INHERITED, rule.span, message, "no rule of the base")
        .help("own rules come in the order written; `before` and `after` name inherited ones")
}

/// A rule that was disabled on the way.
pub(crate) fn disabled_before(word: &str, rule: &Name, base: &str, place: Span) -> Diagnostic {
    let message = format!("rule `{}` is disabled in `{base}` already", rule.node);
    Diagnostic::new(&INHERITED, rule.span, message, format!("nothing to {word}"))
        .label(place, "disabled here")
        .help("leave it out, or write a new rule")
}

/// A rule of a name that is inherited.
pub(crate) fn has_already(rule: &Name, start: Span, base: &str, place: Span) -> Diagnostic {
    let message = format!("`{base}` has a rule `{}` already", rule.node);
    let front = Span { end: start.start, ..start };
    Diagnostic::new(&KNOWN_RULE, rule.span, message, "a second one of this name")
        .label(place, "inherited from here")
        .help("write `override rule` to change it, or choose another name")
        .fix("write `override`", false, front, "override ")
}

/// A change of a sealed rule.
pub(crate) fn sealed(what: &str, span: Span, rule: &str, seal: Span) -> Diagnostic {
    Diagnostic::new(&SEALED, span, format!("rule `{rule}` is sealed"), format!("{what} all the same"))
        .label(seal, "sealed here")
        .help("leave it as it is, or extend another policy")
}

/// A rule that comes to stand before a sealed one.
pub(crate) fn before_sealed(span: Span, rule: &str, sealed: &str, seal: Span) -> Diagnostic {
    let message = format!("rule `{rule}` would stand before `{sealed}`, which is sealed");
    Diagnostic::new(&SEALED, span, message, "places it before the sealed rule")
        .label(seal, "sealed here")
        .help("place it behind the sealed rule")
}

/// `no CLAUSE` that cannot be.
pub(crate) fn no_clause(span: Span, word: &str, why: &dyn Display, there: Option<Span>) -> Diagnostic {
    let finding = Diagnostic::new(&NO_CLAUSE, span, format!("`no {word}` removes nothing: {why}"), "removes nothing");
    let finding = there.into_iter().fold(finding, |finding, place| finding.label(place, "given here"));
    finding.help("leave it out").fix("leave it out", false, span, "")
}

/// An inherited rule that asks about one that is disabled now.
pub(crate) fn asked(span: Span, rule: &str, by: &str, place: Span) -> Diagnostic {
    Diagnostic::new(&ASKED, span, format!("rule `{by}` asks about `{rule}`, which is disabled"), "disabled here")
        .label(place, "asks about it")
        .help(format!("disable or override `{by}` too"))
}

/// A question about a rule that was disabled before.
pub(crate) fn asks(span: Span, rule: &str, by: &str, place: Span) -> Diagnostic {
    Diagnostic::new(&ASKED, span, format!("rule `{by}` asks about `{rule}`, which is disabled"), "asks about it")
        .label(place, "disabled here")
        .help("ask about another rule")
}
