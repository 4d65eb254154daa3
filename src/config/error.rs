//! What can be wrong with a project's settings.

use smol_str::SmolStr;
use toml::de::DeValue;

use crate::diagnostic::{self, Code, Diagnostic, Severity};
use crate::lint::SettingError;
use crate::quantity::Unit;
use crate::source::{Span, Spanned};

/// Every code of this stage.
pub static CODES: &[&Code] = &[
    &NOT_TOML,
    &UNKNOWN_KEY,
    &WRONG_TYPE,
    &WRONG_QUANTITY,
    &UNKNOWN_WORD,
    &UNKNOWN_LINT,
    &MISSING_KEY,
    &UNKNOWN_PROFILE,
    &NEVER_MET,
];

static NOT_TOML: Code = Code {
    id: "E701",
    severity: Severity::Error,
    title: "not TOML",
    why: "The settings break a rule of TOML itself, so none of them can be trusted. Often a quote or a bracket is not \
          closed, a text has no quotes, or a key stands twice.",
    wrong: "profile = coder\n",
    right: "profile = \"coder\"\n\n[profiles.coder]\nwindow = \"200k tokens\"\n",
};

static UNKNOWN_KEY: Code = Code {
    id: "E702",
    severity: Severity::Error,
    title: "unknown key",
    why: "A key that is passed over in silence is a setting that its owner believes in and nobody follows.",
    wrong: "[lint]\nignroe = [\"style\"]\n",
    right: "[lint]\nignore = [\"style\"]\n",
};

static WRONG_TYPE: Code = Code {
    id: "E703",
    severity: Severity::Error,
    title: "value of another kind",
    why: "The key takes a text, a list or a table, and something else stands there.",
    wrong: "[lint]\nignore = \"style\"\n",
    right: "[lint]\nignore = [\"style\"]\n",
};

static WRONG_QUANTITY: Code = Code {
    id: "E704",
    severity: Severity::Error,
    title: "number without its unit",
    why: "Numbers in the settings are written as in a policy, with their unit and in quotes: a bare `200000` does not \
          say of what, and `0.8` may be a share or eight tenths of something.",
    wrong: "[profiles.coder]\nwindow = 200000\n",
    right: "[profiles.coder]\nwindow = \"200k tokens\"\n",
};

static UNKNOWN_WORD: Code = Code {
    id: "E705",
    severity: Severity::Error,
    title: "unknown word",
    why: "The key takes one of a few words.",
    wrong: "[ci]\nfail_level = \"warn\"\n",
    right: "[ci]\nfail_level = \"warning\"\n",
};

static UNKNOWN_LINT: Code = Code {
    id: "E706",
    severity: Severity::Error,
    title: "unknown lint",
    why: "The name is neither a lint nor a category of lints, so the line would do nothing. `trimtab rules` lists all.",
    wrong: "[lint]\nignore = [\"unused-lets\"]\n",
    right: "[lint]\nignore = [\"unused-let\"]\n",
};

static MISSING_KEY: Code = Code {
    id: "E707",
    severity: Severity::Error,
    title: "missing key",
    why: "The entry cannot be followed without this key.",
    wrong: "[[simulate]]\npolicy = \"policies/coder.trim\"\n",
    right: "[[simulate]]\npolicy = \"policies/coder.trim\"\ntranscripts = [\"recordings/*.jsonl\"]\n",
};

static UNKNOWN_PROFILE: Code = Code {
    id: "E708",
    severity: Severity::Error,
    title: "unknown profile",
    why: "No `[profiles.NAME]` has this name.",
    wrong: "profile = \"codr\"\n\n[profiles.coder]\nwindow = \"200k tokens\"\n",
    right: "profile = \"coder\"\n\n[profiles.coder]\nwindow = \"200k tokens\"\n",
};

static NEVER_MET: Code = Code {
    id: "E709",
    severity: Severity::Error,
    title: "value that cannot be met",
    why: "The number has its unit and is out of reach all the same, so the setting could only ever fail, or would switch \
          off what depends on it.",
    wrong: "[ci]\ncoverage = \"200%\"\n",
    right: "[ci]\ncoverage = \"90%\"\n",
};

fn suggest(finding: Diagnostic, span: Span, meant: Option<&str>, quoted: bool, all: &[&str]) -> Diagnostic {
    match meant {
        Some(word) => {
            let text = if quoted { format!("\"{word}\"") } else { word.to_owned() };
            finding.help(format!("did you mean `{word}`?")).fix(format!("write `{word}`"), false, span, text)
        }
        None if all.is_empty() => finding,
        None => finding.help(format!("one of {}", diagnostic::alternatives(all))),
    }
}

pub(super) fn not_toml(span: Span, reason: &str) -> Diagnostic {
    let reason = reason.lines().next().unwrap_or_default().to_owned();
    Diagnostic::new(&NOT_TOML, span, format!("this is not TOML: {reason}"), "here")
        .help("texts stand in quotes, and each key stands once")
}

pub(super) fn unknown_key(span: Span, key: &str, what: &str, known: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN_KEY, span, format!("{what} has no key `{key}`"), "unknown key");
    suggest(finding, span, diagnostic::nearest(key, known.iter().copied()), false, known)
}

pub(super) fn wrong_type(span: Span, what: &str, wanted: &str, got: &str) -> Diagnostic {
    Diagnostic::new(&WRONG_TYPE, span, format!("{what} takes {wanted}"), format!("this is of kind {got}"))
        .help(format!("write {wanted}"))
}

pub(super) fn wrong_quantity(span: Span, what: &str, unit: Unit, value: &DeValue<'_>) -> Diagnostic {
    let here = match value {
        DeValue::Integer(_) | DeValue::Float(_) => "a number without a unit",
        _ => "something else",
    };
    let finding = Diagnostic::new(&WRONG_QUANTITY, span, format!("{what} takes {}", unit.noun()), here);
    match (value, unit) {
        (DeValue::Integer(number), Unit::Tokens) => {
            let text = format!("\"{} tokens\"", number.as_str());
            finding.help(format!("write it with its unit: `{text}`")).fix("add the unit", true, span, text)
        }
        _ => finding.help(format!("write it like `\"{}\"`", unit.sample())),
    }
}

pub(super) fn unknown_word(span: Span, word: &str, what: &str, words: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN_WORD, span, format!("{what} cannot be `{word}`"), "unknown word");
    suggest(finding, span, diagnostic::nearest(word, words.iter().copied()), true, words)
}

pub(super) fn unknown_lint(span: Span, unsettled: &SettingError) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN_LINT, span, unsettled.reason.clone(), "no lint, no category");
    match unsettled.meant {
        Some(word) => finding.help(format!("did you mean `{word}`?")),
        None => finding.help("`trimtab rules` lists all lints"),
    }
}

pub(super) fn missing_key(span: Span, what: &str, key: &str, sample: &str) -> Diagnostic {
    Diagnostic::new(&MISSING_KEY, span, format!("{what} needs `{key}`"), format!("`{key}` is missing"))
        .help(format!("add a line such as `{sample}`"))
}

pub(super) fn unknown_profile(name: &Spanned<SmolStr>, names: &[SmolStr]) -> Diagnostic {
    let known: Vec<&str> = names.iter().map(SmolStr::as_str).collect();
    let message = format!("there is no profile `{}`", name.node);
    let finding = Diagnostic::new(&UNKNOWN_PROFILE, name.span, message, "no such profile");
    suggest(finding, name.span, diagnostic::nearest(&name.node, known.iter().copied()), true, &known)
}

pub(super) fn never_met(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::new(&NEVER_MET, span, reason, "out of reach")
}
