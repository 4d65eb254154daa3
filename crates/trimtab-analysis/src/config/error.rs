//! Errors in project settings.

use smol_str::SmolStr;
use toml::de::DeValue;
use trimtab_base::diagnostic::{self, Code, Diagnostic, Severity};
use trimtab_base::quantity::Unit;
use trimtab_base::source::{Span, Spanned};
use trimtab_lint::lint::SettingError;
use trimtab_model::model;

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
    &NO_CACHE,
    &OUTSIDE_PROJECT,
];

static NOT_TOML: Code = Code::new("E701", Severity::Error, include_str!("error/E701.md"));
static UNKNOWN_KEY: Code = Code::new("E702", Severity::Error, include_str!("error/E702.md"));
static WRONG_TYPE: Code = Code::new("E703", Severity::Error, include_str!("error/E703.md"));
static WRONG_QUANTITY: Code = Code::new("E704", Severity::Error, include_str!("error/E704.md"));
static UNKNOWN_WORD: Code = Code::new("E705", Severity::Error, include_str!("error/E705.md"));
static UNKNOWN_LINT: Code = Code::new("E706", Severity::Error, include_str!("error/E706.md"));
static MISSING_KEY: Code = Code::new("E707", Severity::Error, include_str!("error/E707.md"));
static UNKNOWN_PROFILE: Code = Code::new("E708", Severity::Error, include_str!("error/E708.md"));
static NEVER_MET: Code = Code::new("E709", Severity::Error, include_str!("error/E709.md"));
static NO_CACHE: Code = Code::new("E710", Severity::Warning, include_str!("error/E710.md"));
static OUTSIDE_PROJECT: Code = Code::new("E711", Severity::Error, include_str!("error/E711.md"));

fn suggest(finding: Diagnostic, span: Span, suggestion: Option<&str>, quoted: bool, all: &[&str]) -> Diagnostic {
    match suggestion {
        Some(word) => {
            let text = if quoted { format!("\"{word}\"") } else { word.to_owned() };
            finding.help(format!("did you mean `{word}`?")).fix(format!("write `{word}`"), false, span, text)
        }
        None if all.is_empty() => finding,
        None => finding.help(format!("expected {}", diagnostic::alternatives(all))),
    }
}

pub(super) fn not_toml(span: Span, reason: &str) -> Diagnostic {
    let reason = reason.lines().next().unwrap_or_default();
    let finding = Diagnostic::new(&NOT_TOML, span, format!("invalid TOML: {reason}"), "syntax error");
    if reason.contains("duplicate key") {
        return finding.help("use each key once");
    }
    // A text without quotes is read as another kind of value.
    let is_about_quotes = ["quote", "string", "number", "float", "boolean"].iter().any(|word| reason.contains(word));
    if is_about_quotes { finding.help("put strings in quotes") } else { finding }
}

pub(super) fn unknown_key(span: Span, key: &str, what: &str, known: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN_KEY, span, format!("{what} has no key `{key}`"), "unknown key");
    suggest(finding, span, diagnostic::nearest(key, known.iter().copied()), false, known)
}

pub(super) fn wrong_type(span: Span, what: &str, wanted: &str, got: &str) -> Diagnostic {
    Diagnostic::new(&WRONG_TYPE, span, format!("{what} takes {wanted}"), format!("found {got}"))
        .help(format!("write {wanted}"))
}

pub(super) fn wrong_quantity(span: Span, what: &str, unit: Unit, value: &DeValue<'_>) -> Diagnostic {
    let label = match value {
        DeValue::Integer(_) | DeValue::Float(_) => "a number without a unit",
        _ => "not a quantity",
    };
    let finding = Diagnostic::new(&WRONG_QUANTITY, span, format!("{what} takes {}", unit.noun()), label);
    match (value, unit) {
        (DeValue::Integer(number), Unit::Tokens) => {
            let text = format!("\"{} tokens\"", number.as_str());
            finding.help(format!("write `{text}`")).fix("add the unit", true, span, text)
        }
        _ => finding.help(format!("write a number such as `\"{}\"`", unit.sample())),
    }
}

pub(super) fn unknown_word(span: Span, word: &str, what: &str, words: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN_WORD, span, format!("unknown value `{word}` for {what}"), "unknown value");
    suggest(finding, span, diagnostic::nearest(word, words.iter().copied()), true, words)
}

pub(super) fn unknown_lint(span: Span, error: &SettingError) -> Diagnostic {
    let finding = Diagnostic::new(&UNKNOWN_LINT, span, error.reason.clone(), "not a lint or a category");
    match error.suggestion {
        Some(word) => finding.help(format!("did you mean `{word}`?")),
        None => finding.help("run `trimtab lints` for a list of lints"),
    }
}

pub(super) fn missing_key(span: Span, what: &str, key: &str, sample: &str) -> Diagnostic {
    Diagnostic::new(&MISSING_KEY, span, format!("{what} requires `{key}`"), format!("missing `{key}`"))
        .help(format!("add a line such as `{sample}`"))
}

pub(super) fn no_cache(span: Span, model: &model::Model, key: &str) -> Diagnostic {
    let families: Vec<&str> = model::CACHING_RULES.iter().map(|rule| rule.family).collect();
    let (reason, help) = if families.contains(&model.family.as_str()) {
        let help = "set a price of `cache_read` that is below that of `input`".to_owned();
        ("cached input is not cheaper than other input".to_owned(), help)
    } else {
        let help =
            format!("set `family` to the one whose caching rules apply: {}", diagnostic::alternatives(&families));
        (format!("the family `{}` has no rule for its cache", model.family), help)
    };
    let message = format!("`{key}` has no effect unless recorded usage shows a cache: {reason}");
    Diagnostic::new(&NO_CACHE, span, message, "no cache to apply it to").help(help)
}

pub(super) fn unknown_profile(name: &Spanned<SmolStr>, names: &[SmolStr]) -> Diagnostic {
    let known: Vec<&str> = names.iter().map(SmolStr::as_str).collect();
    let message = format!("unknown profile `{}`", name.node);
    let finding = Diagnostic::new(&UNKNOWN_PROFILE, name.span, message, "not a profile");
    suggest(finding, name.span, diagnostic::nearest(&name.node, known.iter().copied()), true, &known)
}

pub(super) fn unknown_model(id: &Spanned<SmolStr>) -> Diagnostic {
    let message = format!("unknown model `{}`", id.node);
    let finding = Diagnostic::new(&UNKNOWN_WORD, id.span, message, "not in the table of models");
    match model::nearest(&id.node) {
        Some(near) => finding.help(format!("did you mean `{near}`?")).fix(
            format!("write `{near}`"),
            false,
            id.span,
            format!("\"{near}\""),
        ),
        None => finding.help("run `trimtab explain models` for a list of models"),
    }
}

pub(super) fn never_met(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::new(&NEVER_MET, span, reason, "out of range")
}

pub(super) fn absolute_path(path: &Spanned<SmolStr>) -> Diagnostic {
    let message = format!("`{}` is not a relative path", path.node);
    outside(path, message, "absolute path")
}

/// The diagnostic for a path outside the project with this root. Only callers with file access can detect it.
pub fn outside_project(path: &Spanned<SmolStr>, root: &str) -> Diagnostic {
    let message = format!("`{}` is outside the project `{root}`", path.node);
    outside(path, message, "outside the project")
}

fn outside(path: &Spanned<SmolStr>, message: String, label: &str) -> Diagnostic {
    Diagnostic::new(&OUTSIDE_PROJECT, path.span, message, label)
        .help("name a file inside the project, by its path from the directory of trimtab.toml")
}
