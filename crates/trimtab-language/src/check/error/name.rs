//! Errors about names: undefined, defined twice, or defined by themselves.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

use super::suggest;
use crate::effect::{self, EFFECTS};
use crate::phase::{PHASES, Phase};

pub(crate) static VALUE: Code = Code::new("E201", Severity::Error, include_str!("name/E201.md"));
pub(crate) static EFFECT: Code = Code::new("E202", Severity::Error, include_str!("name/E202.md"));
pub(crate) static PHASE: Code = Code::new("E203", Severity::Error, include_str!("name/E203.md"));
pub(crate) static RULE: Code = Code::new("E204", Severity::Error, include_str!("name/E204.md"));
pub(crate) static PROMPT: Code = Code::new("E205", Severity::Error, include_str!("name/E205.md"));
pub(crate) static TWICE: Code = Code::new("E206", Severity::Error, include_str!("name/E206.md"));
pub(crate) static HIDES: Code = Code::new("E207", Severity::Error, include_str!("name/E207.md"));
pub(crate) static CYCLE: Code = Code::new("E208", Severity::Error, include_str!("name/E208.md"));

/// A name that is neither a fact nor a `let`.
pub(crate) fn unknown_value(span: Span, name: &str, suggestion: Option<&str>) -> Diagnostic {
    let finding = Diagnostic::new(&VALUE, span, format!("unknown fact or value `{name}`"), "not a fact or a constant");
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
