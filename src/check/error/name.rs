//! E2xx: names.

use crate::diagnostic::{Code, Diagnostic, alternatives};
use crate::source::Span;

pub(in crate::check) static UNKNOWN_FACT: Code = Code {
    id: "E201",
    title: "unknown name",
    why: "A condition can name facts and the file's own lets, nothing else. A misspelt fact would otherwise make a rule that never fires.",
    wrong: "edition 2026\npolicy p { rule r { when contxt.ratio >= 80% do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when context.ratio >= 80% do notify \"x\" } }",
};

pub(in crate::check) static UNKNOWN_EFFECT: Code = Code {
    id: "E202",
    title: "unknown effect",
    why: "A rule can do only what the built-in effects do.",
    wrong: "edition 2026\npolicy p { rule r { do maks results } }",
    right: "edition 2026\npolicy p { rule r { do mask results } }",
};

pub(in crate::check) static UNKNOWN_PHASE: Code = Code {
    id: "E203",
    title: "unknown phase",
    why: "A rule is tried in one of the phases of an iteration. In a phase that never comes it would never be tried.",
    wrong: "edition 2026\npolicy p { rule r { on requests do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { on request do notify \"x\" } }",
};

pub(in crate::check) static DEFINED_TWICE: Code = Code {
    id: "E204",
    title: "defined twice",
    why: "State and reports go by names, so a name stands for one thing.",
    wrong: "edition 2026\npolicy p { rule r { do notify \"x\" } rule r { do notify \"y\" } }",
    right: "edition 2026\npolicy p { rule r { do notify \"x\" } rule s { do notify \"y\" } }",
};

pub(in crate::check) static UNKNOWN_RULE: Code = Code {
    id: "E205",
    title: "unknown rule",
    why: "`fired` and `since` ask about a rule of the same policy.",
    wrong: "edition 2026\npolicy p { rule r { when fired(s) >= 1 do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { when fired(r) < 1 do notify \"x\" } }",
};

pub(in crate::check) static UNKNOWN_PROMPT: Code = Code {
    id: "E206",
    title: "unknown prompt",
    why: "`using` takes a prompt that the file defines.",
    wrong: "edition 2026\npolicy p { rule r { do summarise all using handover } }",
    right: "edition 2026\nprompt handover \"Say what is done.\"\npolicy p { rule r { do summarise all using handover } }",
};

pub(in crate::check) static LET_CYCLE: Code = Code {
    id: "E207",
    title: "let defined by itself",
    why: "A let is a constant; one that needs its own value has none.",
    wrong: "edition 2026\nlet a = 50% of b\nlet b = 50% of a\npolicy p { rule r { do notify \"x\" } }",
    right: "edition 2026\nlet a = 50% of b\nlet b = 10k tokens\npolicy p { rule r { do notify \"x\" } }",
};

pub(in crate::check) static HIDES_FACT: Code = Code {
    id: "E208",
    title: "let hides a fact",
    why: "A let with the name of a fact would make every condition with that name read the constant.",
    wrong: "edition 2026\nlet failures = 3\npolicy p { rule r { do notify \"x\" } }",
    right: "edition 2026\nlet too_many = 3\npolicy p { rule r { do notify \"x\" } }",
};

pub(in crate::check) static UNKNOWN_HOLE: Code = Code {
    id: "E209",
    title: "unknown name in a text",
    why: "Braces in a text take facts, lets and the effect's own names. Literal braces are doubled.",
    wrong: "edition 2026\npolicy p { rule r { do notify \"{failure} errors\" } }",
    right: "edition 2026\npolicy p { rule r { do notify \"{failures} errors\" } }",
};

/// An unknown name with the nearest known one, as a fix where there is one.
fn unknown(code: &'static Code, span: Span, what: &str, name: &str, near: Option<&str>, otherwise: &str) -> Diagnostic {
    let one = Diagnostic::error(code, span, format!("there is no {what} `{name}`"), format!("unknown {what}"));
    match near {
        Some(near) => one.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), false, span, near),
        None => one.help(otherwise),
    }
}

pub(in crate::check) fn unknown_fact(span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    unknown(&UNKNOWN_FACT, span, "fact or let", name, near, "`trimtab explain --all` lists the facts")
}

pub(in crate::check) fn unknown_effect(span: Span, name: &str, near: Option<&str>, all: &[&str]) -> Diagnostic {
    unknown(&UNKNOWN_EFFECT, span, "effect", name, near, &format!("write {}", alternatives(all)))
}

pub(in crate::check) fn unknown_phase(span: Span, name: &str, near: Option<&str>, all: &[&str]) -> Diagnostic {
    unknown(&UNKNOWN_PHASE, span, "phase", name, near, &format!("write {}", alternatives(all)))
}

pub(in crate::check) fn defined_twice(span: Span, first: Span, what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(&DEFINED_TWICE, span, format!("the {what} `{name}` is defined twice"), "again here")
        .label(first, "first here")
        .help("rename one of them, or remove it")
}

pub(in crate::check) fn second_agent(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(&DEFINED_TWICE, span, "the file has two `agent` blocks", "again here")
        .label(first, "first here")
        .help("write everything into one of them")
}

pub(in crate::check) fn unknown_rule(span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    unknown(&UNKNOWN_RULE, span, "rule", name, near, "name a rule of this policy")
}

pub(in crate::check) fn unknown_prompt(span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    unknown(&UNKNOWN_PROMPT, span, "prompt", name, near, &format!("define it: prompt {name} \"\"\"…\"\"\""))
}

pub(in crate::check) fn let_cycle(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&LET_CYCLE, span, format!("`{name}` is defined by itself"), "needs its own value")
        .help("give one of the lets a value of its own")
}

pub(in crate::check) fn hides_fact(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&HIDES_FACT, span, format!("`{name}` is the name of a fact"), "would hide the fact")
        .help("choose another name")
}

pub(in crate::check) fn unknown_hole(span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    let otherwise = "braces take facts, lets and the effect's own names; write `{{` for a brace";
    unknown(&UNKNOWN_HOLE, span, "fact or let", name, near, otherwise)
}
