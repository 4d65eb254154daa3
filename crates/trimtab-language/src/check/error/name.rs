//! Errors about names: undefined, defined twice, or defined by themselves.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

use super::suggest;
use crate::effect::{self, EFFECTS};
use crate::phase::{PHASES, Phase};

pub(crate) static VALUE: Code = Code {
    id: "E201",
    severity: Severity::Error,
    title: "unknown fact or value",
    why: "The name is neither a fact nor a `let` of this file or of an imported one. `trimtab explain facts` lists \
          the facts.",
    wrong: "edition 2026\npolicy p {\n  rule a { when contxt.ratio >= 80% do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
};

pub(crate) static EFFECT: Code = Code {
    id: "E202",
    severity: Severity::Error,
    title: "unknown effect",
    why: "The name after `do` or `then` is not an effect. Unless it is similar to the name of one, the rest of the \
          action is not checked.",
    wrong: "edition 2026\npolicy p {\n  rule a { do maks results keep 3 results }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do mask results keep 3 results }\n}\n",
};

pub(crate) static PHASE: Code = Code {
    id: "E203",
    severity: Severity::Error,
    title: "unknown phase",
    why: "The name after `on` is not a phase. A rule without `on` runs on `request`.",
    wrong: "edition 2026\npolicy p {\n  rule a { on requst do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { on request do notify \"x\" }\n}\n",
};

pub(crate) static RULE: Code = Code {
    id: "E204",
    severity: Severity::Error,
    title: "unknown rule",
    why: "`fired`, `since`, `failed` and the expectations of a test name a rule of the policy. The policy has no rule \
          of this name.",
    wrong: "edition 2026\npolicy p {\n  rule shrink { do mask results }\n  rule a { when fired(shrnk) >= 1 do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule shrink { do mask results }\n  rule a { when fired(shrink) >= 1 do notify \"x\" }\n}\n",
};

pub(crate) static PROMPT: Code = Code {
    id: "E205",
    severity: Severity::Error,
    title: "unknown prompt",
    why: "`using` names a `prompt` of this file or of an imported one. There is no prompt of this name.",
    wrong: "edition 2026\nprompt handover \"Sum it up.\"\npolicy p {\n  rule a { do summarise all using hand_over }\n}\n",
    right: "edition 2026\nprompt handover \"Sum it up.\"\npolicy p {\n  rule a { do summarise all using handover }\n}\n",
};

pub(crate) static TWICE: Code = Code {
    id: "E206",
    severity: Severity::Error,
    title: "name defined twice",
    why: "Two policies, lets, prompts or `agent` blocks of a file, or two rules of a policy, have the same name. The \
          state of a rule is stored under its name, so the name must be unique.",
    wrong: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n  rule a { do notify \"y\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n  rule b { do notify \"y\" }\n}\n",
};

pub(crate) static HIDES: Code = Code {
    id: "E207",
    severity: Severity::Error,
    title: "`let` with the name of a fact",
    why: "A `let` and a fact of the same name could not be told apart.",
    wrong: "edition 2026\nlet failures = 3\n",
    right: "edition 2026\nlet many_failures = 3\n",
};

pub(crate) static CYCLE: Code = Code {
    id: "E208",
    severity: Severity::Error,
    title: "`let` defined by itself",
    why: "The value of a `let` may depend on other lets, but not on itself, directly or through them.",
    wrong: "edition 2026\nlet a = 80% of b\nlet b = 50% of a\n",
    right: "edition 2026\nlet a = 80% of b\nlet b = 50k tokens\n",
};

/// A name that is neither a fact nor a `let`.
pub(crate) fn unknown_value(span: Span, name: &str, suggestion: Option<&str>) -> Diagnostic {
    let finding = Diagnostic::new(&VALUE, span, format!("unknown fact or value `{name}`"), "not a fact or a `let`");
    suggest(finding, span, suggestion, || {
        "run `trimtab explain facts` for a list of facts, or define the value with `let`".to_owned()
    })
}

/// What `on_failure` takes besides effects.
const FAILURE_WORDS: [&str; 3] = ["ask", "keep", "retry"];

/// A name that is not an effect.
pub(crate) fn unknown_effect(name: &Name) -> Diagnostic {
    let finding = Diagnostic::new(&EFFECT, name.span, format!("unknown effect `{}`", name.node), "not an effect");
    if FAILURE_WORDS.contains(&name.node.as_str()) {
        return finding
            .help(format!("`{0}` says what happens after a failed summary: write `on_failure {0}`", name.node));
    }
    let all: Vec<&str> = EFFECTS.iter().map(|effect| effect.name).collect();
    let suggestion = effect::nearest(&name.node).map(|effect| effect.name);
    suggest(finding, name.span, suggestion, || format!("available effects: {}", alternatives(&all)))
}

/// A name that is not a phase.
pub(crate) fn unknown_phase(name: &Name) -> Diagnostic {
    let finding = Diagnostic::new(&PHASE, name.span, format!("unknown phase `{}`", name.node), "not a phase");
    let all: Vec<&str> = PHASES.iter().map(|(_, word, _)| *word).collect();
    suggest(finding, name.span, Phase::nearest(&name.node), || format!("available phases: {}", alternatives(&all)))
}

/// A name that is not a rule of the policy.
pub(crate) fn unknown_rule<'r>(span: Span, name: &str, rules: impl Iterator<Item = &'r str>) -> Diagnostic {
    let finding = Diagnostic::new(&RULE, span, format!("unknown rule `{name}`"), "not a rule of this policy");
    let mut rules: Vec<&str> = rules.collect();
    rules.sort_unstable();
    suggest(finding, span, nearest(name, rules.iter().copied()), || match rules.as_slice() {
        [] => "the policy has no rules".to_owned(),
        some => format!("available rules: {}", alternatives(some)),
    })
}

/// A name that is not a prompt.
pub(crate) fn unknown_prompt<'r>(span: Span, name: &str, prompts: impl Iterator<Item = &'r str>) -> Diagnostic {
    let finding = Diagnostic::new(
        &PROMPT,
        span,
        format!("unknown prompt `{name}`"),
        "not a prompt of this file or of an imported one",
    );
    suggest(finding, span, nearest(name, prompts), || format!("define it with `prompt {name} \"…\"`"))
}

/// A second definition of a name; `what` is the kind of definition.
pub(crate) fn duplicate(what: &str, name: &Name, first: Span) -> Diagnostic {
    let message = format!("{what} `{}` is defined twice", name.node);
    Diagnostic::new(&TWICE, name.span, message, "defined again here")
        .label(first, "first defined here")
        .help("rename or remove one of them")
}

/// A second `agent` block.
pub(crate) fn second_agent(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&TWICE, span, "a file has at most one `agent` block", "second block")
        .label(first, "first block")
        .help("merge the two blocks")
}

/// A `let` with the name of a fact.
pub(crate) fn shadows_fact(name: &Name) -> Diagnostic {
    let message = format!("`{}` is the name of a fact", name.node);
    Diagnostic::new(&HIDES, name.span, message, "hides the fact").help("choose another name")
}

/// A `let` whose value depends on itself; `used` is where.
pub(crate) fn cycle(span: Span, used: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&CYCLE, span, format!("the value of `{name}` depends on itself"), "defined by itself")
        .label(used, format!("`{name}` is used here"))
        .help("give one of the lets a value that does not depend on the others")
}
