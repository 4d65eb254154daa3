//! E5xx: editions, and what this version does not do yet.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

pub(in crate::check) static NO_EDITION: Code = Code {
    id: "E501",
    title: "no edition",
    why: "The edition says which version of the language a file is written in, so that a later version can read it as it was meant.",
    wrong: "policy p { rule r { do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { do notify \"x\" } }",
};

pub(in crate::check) static UNKNOWN_EDITION: Code = Code {
    id: "E502",
    title: "unknown edition",
    why: "There is one edition so far, 2026.",
    wrong: "edition 2025\npolicy p { rule r { do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { do notify \"x\" } }",
};

pub(in crate::check) static MISPLACED: Code = Code {
    id: "E503",
    title: "edition not first",
    why: "The edition governs the whole file, so it stands once and before everything else.",
    wrong: "let a = 1\nedition 2026\npolicy p { rule r { do notify \"x\" } }",
    right: "edition 2026\nlet a = 1\npolicy p { rule r { do notify \"x\" } }",
};

pub(in crate::check) static NOT_YET: Code = Code {
    id: "E504",
    title: "not supported yet",
    why: "The language has this construct, and this version of trimtab cannot carry it out. Leaving it out of account would change what the policy means, so the policy is refused.",
    wrong: "edition 2026\nuse \"base.trim\"\npolicy p { rule r { do notify \"x\" } }",
    right: "edition 2026\npolicy p { rule r { do notify \"x\" } }",
};

pub(in crate::check) static KEPT: Code = Code {
    id: "E505",
    title: "kept without meaning",
    why: "The language has this construct, and this version of trimtab keeps it without acting on it. The policy means the same with it or without it.",
    wrong: "edition 2026\npolicy p { rule r { do notify \"x\" } }\ntest \"t\" { given context.ratio 40% expect r fires }",
    right: "edition 2026\npolicy p { rule r { do notify \"x\" } }",
};

pub(in crate::check) fn no_edition(start: Span) -> Diagnostic {
    Diagnostic::warning(&NO_EDITION, start, "the file names no edition", "the edition stands here")
        .help("say which edition the file is written in")
        .fix("name the edition", true, start, "edition 2026\n\n")
}

pub(in crate::check) fn unknown_edition(span: Span, year: u32) -> Diagnostic {
    Diagnostic::error(&UNKNOWN_EDITION, span, format!("there is no edition {year}"), "unknown edition")
        .help("write `2026`, the only edition so far")
        .fix("use the edition that there is", false, span, "2026")
}

pub(in crate::check) fn misplaced(span: Span) -> Diagnostic {
    Diagnostic::error(&MISPLACED, span, "the edition must stand once, before everything else", "too late here")
        .help("move it to the first line, or remove it when one stands there already")
}

pub(in crate::check) fn not_yet(span: Span, what: &str) -> Diagnostic {
    let message = format!("{what} is part of the language, but this version cannot carry it out");
    Diagnostic::error(&NOT_YET, span, message, "it would be left out of account")
        .help("write the rules out in this file until a later version supports it")
}

pub(in crate::check) fn kept(span: Span, what: &str) -> Diagnostic {
    let message = format!("{what} is part of the language, but this version does not act on it yet");
    Diagnostic::warning(&KEPT, span, message, "kept as it is").help("the policy means the same without it")
}
