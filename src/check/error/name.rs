//! Names that mean nothing, or two things.

use super::suggest;
use crate::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use crate::effect::{self, EFFECTS};
use crate::phase::{PHASES, Phase};
use crate::source::Span;
use crate::syntax::tree::Name;

pub(crate) static VALUE: Code = Code {
    id: "E201",
    severity: Severity::Error,
    title: "unknown fact or value",
    why: "A condition, a guard or a place in a text names something that is neither a fact nor a `let` of this file \
          or of one that it uses. `trimtab explain facts` lists the facts.",
    wrong: "edition 2026\npolicy p {\n  rule a { when contxt.ratio >= 80% do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
};

pub(crate) static EFFECT: Code = Code {
    id: "E202",
    severity: Severity::Error,
    title: "unknown effect",
    why: "What stands behind `do` or `then` is no effect. Unless it is nearly the name of one, what follows it is not \
          looked at, since only the effect could tell what it means.",
    wrong: "edition 2026\npolicy p {\n  rule a { do maks results keep 3 results }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do mask results keep 3 results }\n}\n",
};

pub(crate) static PHASE: Code = Code {
    id: "E203",
    severity: Severity::Error,
    title: "unknown phase",
    why: "What stands behind `on` is no phase. A rule without `on` is tried on `request`.",
    wrong: "edition 2026\npolicy p {\n  rule a { on requst do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { on request do notify \"x\" }\n}\n",
};

pub(crate) static RULE: Code = Code {
    id: "E204",
    severity: Severity::Error,
    title: "unknown rule",
    why: "`fired`, `since` and the expectations of a test ask about a rule of the policy, and there is none of this name.",
    wrong: "edition 2026\npolicy p {\n  rule shrink { do mask results }\n  rule a { when fired(shrnk) >= 1 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule shrink { do mask results }\n  rule a { when fired(shrink) >= 1 do notify \"x\" }\n}\n",
};

pub(crate) static PROMPT: Code = Code {
    id: "E205",
    severity: Severity::Error,
    title: "unknown prompt",
    why: "`using` names a `prompt` of the same file or of one that it uses, and there is none of this name.",
    wrong: "edition 2026\nprompt handover \"Sum it up.\"\npolicy p {\n  rule a { do summarise all using hand_over }\n}\n",
    right: "edition 2026\nprompt handover \"Sum it up.\"\npolicy p {\n  rule a { do summarise all using handover }\n}\n",
};

pub(crate) static TWICE: Code = Code {
    id: "E206",
    severity: Severity::Error,
    title: "defined twice",
    why: "Two policies, two lets, two prompts or two agent blocks of a file, or two rules of a policy, have one name. A \
          rule's state is kept by its name, so it must be the only one.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n  rule a { do notify \"y\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n  rule b { do notify \"y\" }\n}\n",
};

pub(crate) static HIDES: Code = Code {
    id: "E207",
    severity: Severity::Error,
    title: "let with the name of a fact",
    why: "A `let` of this name would make the fact of the same name unreachable, or the other way round; readers could \
          not tell which is meant.",
    wrong: "edition 2026\nlet failures = 3\n",
    right: "edition 2026\nlet many_failures = 3\n",
};

pub(crate) static CIRCLE: Code = Code {
    id: "E208",
    severity: Severity::Error,
    title: "let that needs itself",
    why: "The value of a `let` may be made of other lets, but not of itself, directly or through them.",
    wrong: "edition 2026\nlet a = 80% of b\nlet b = 50% of a\n",
    right: "edition 2026\nlet a = 80% of b\nlet b = 50k tokens\n",
};

/// Neither a fact nor a let.
pub(crate) fn unknown_value(span: Span, name: &str, meant: Option<&str>) -> Diagnostic {
    let finding =
        Diagnostic::new(&VALUE, span, format!("unknown fact or value `{name}`"), "neither a fact nor a `let`");
    suggest(finding, span, meant, || "see `trimtab explain facts`, or define it with `let`".to_owned())
}

/// No effect.
pub(crate) fn unknown_effect(name: &Name) -> Diagnostic {
    let finding = Diagnostic::new(&EFFECT, name.span, format!("unknown effect `{}`", name.node), "no effect");
    let all: Vec<&str> = EFFECTS.iter().map(|effect| effect.name).collect();
    let meant = effect::nearest(&name.node).map(|effect| effect.name);
    suggest(finding, name.span, meant, || format!("effects are {}", alternatives(&all)))
}

/// No phase.
pub(crate) fn unknown_phase(name: &Name) -> Diagnostic {
    let finding = Diagnostic::new(&PHASE, name.span, format!("unknown phase `{}`", name.node), "no phase");
    let all: Vec<&str> = PHASES.iter().map(|(_, word, _)| *word).collect();
    suggest(finding, name.span, Phase::nearest(&name.node), || format!("phases are {}", alternatives(&all)))
}

/// No rule of this policy.
pub(crate) fn unknown_rule<'r>(span: Span, name: &str, rules: impl Iterator<Item = &'r str>) -> Diagnostic {
    let finding = Diagnostic::new(&RULE, span, format!("unknown rule `{name}`"), "no rule of this policy");
    let mut rules: Vec<&str> = rules.collect();
    rules.sort_unstable();
    suggest(finding, span, nearest(name, rules.iter().copied()), || match rules.as_slice() {
        [] => "the policy has no rules".to_owned(),
        some => format!("its rules are {}", alternatives(some)),
    })
}

/// No prompt of this file or of one that it uses.
pub(crate) fn unknown_prompt<'r>(span: Span, name: &str, prompts: impl Iterator<Item = &'r str>) -> Diagnostic {
    let finding = Diagnostic::new(
        &PROMPT,
        span,
        format!("unknown prompt `{name}`"),
        "no prompt of this file or of one that it uses",
    );
    suggest(finding, span, nearest(name, prompts), || format!("define it: `prompt {name} \"…\"`"))
}

/// A second thing of one kind with the same name.
pub(crate) fn twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    let message = format!("{what} `{}` is defined twice", name.node);
    Diagnostic::new(&TWICE, name.span, message, "defined again here")
        .label(first, "first defined here")
        .help("rename one of them, or take it out")
}

/// A second agent block.
pub(crate) fn second_agent(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&TWICE, span, "there are two `agent` blocks", "the second")
        .label(first, "the first")
        .help("join them into one")
}

/// A let with the name of a fact.
pub(crate) fn hides(name: &Name) -> Diagnostic {
    let message = format!("`{}` is the name of a fact", name.node);
    Diagnostic::new(&HIDES, name.span, message, "would hide the fact").help("choose another name")
}

/// A let that needs itself.
pub(crate) fn circle(span: Span, asked: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&CIRCLE, span, format!("the value of `{name}` needs itself"), "defined by itself")
        .label(asked, format!("`{name}` is needed here"))
        .help("give one of them a value of its own")
}
