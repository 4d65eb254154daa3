//! Errors about facts that an `agent` block declares.

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity, alternatives, nearest};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;

use super::{name, suggest};
use crate::fact::{host_type_words, written_host_fact};

pub(crate) static DECLARATION: Code = Code::new("E506", Severity::Error, include_str!("host_fact/E506.md"));
pub(crate) static CONFLICT: Code = Code::new("E507", Severity::Error, include_str!("host_fact/E507.md"));

/// Words for types in other languages, and the type that is meant.
const ALIASES: [(&[&str], &str); 8] = [
    (&["string", "str", "name", "enum"], "text"),
    (&["boolean", "flag", "truth"], "bool"),
    (&["percent", "percentage", "ratio", "fraction"], "share"),
    (&["number", "int", "integer", "u64", "counter"], "count"),
    (&["time", "seconds", "minutes", "hours"], "duration"),
    (&["dollars", "cost", "usd", "price"], "money"),
    (&["characters"], "chars"),
    (&["float", "decimal", "double"], "share"),
];

fn types() -> String {
    host_type_words().collect::<Vec<_>>().join(", ")
}

/// A declaration without a name.
pub(crate) fn no_name(span: Span) -> Diagnostic {
    Diagnostic::new(&DECLARATION, span, "`fact` takes a name and a type", "missing name")
        .help("write both after it, such as `fact load share`")
}

/// Something else where the name is expected.
pub(crate) fn not_a_name(span: Span, word: Option<&str>) -> Diagnostic {
    let message = match word {
        Some(word) => format!("`{word}` cannot be the name of a fact"),
        None => "expected the name of a fact".to_owned(),
    };
    let help = match word.and_then(crate::fact::host_fact_name) {
        Some(name) => format!("write `{name}`; only rules write `host.` before it"),
        None => "write a word of letters, digits and `_` that is no keyword".to_owned(),
    };
    Diagnostic::new(&DECLARATION, span, message, "not a name").help(help)
}

/// A declaration without a type.
pub(crate) fn no_type(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&DECLARATION, span, format!("the fact `{name}` has no type"), "missing type")
        .help(format!("write one after the name: {}", types()))
}

/// Something else where the type is expected.
pub(crate) fn unknown_type(span: Span, word: Option<&str>) -> Diagnostic {
    let Some(word) = word else {
        return Diagnostic::new(&DECLARATION, span, "expected the type of a fact", "not a type")
            .help(format!("the types are {}", types()));
    };
    let finding = Diagnostic::new(&DECLARATION, span, format!("unknown type `{word}`"), "not a type");
    let alias = ALIASES.iter().find(|(aliases, _)| aliases.contains(&word)).map(|(_, meant)| *meant);
    let suggestion = alias.or_else(|| nearest(word, host_type_words()));
    suggest(finding, span, suggestion, || format!("the types are {}", types()))
}

/// Something else than a default after the type.
pub(crate) fn not_a_default(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&DECLARATION, span, "unexpected value in the declaration of a fact", "not expected here")
        .help(format!("`fact {name} TYPE` ends here, or continues with `default VALUE`"))
}

/// `default` without a value.
pub(crate) fn no_default(span: Span, sample: &str) -> Diagnostic {
    Diagnostic::new(&DECLARATION, span, "`default` takes a value", "missing value")
        .help(format!("write it after `default`, such as `{sample}`"))
}

/// A fact that is declared twice in one block.
pub(crate) fn duplicate(name: &Name, first: Span) -> Diagnostic {
    name::duplicate("fact", name, first)
}

/// Two declarations that do not agree.
pub(crate) fn conflict(span: Span, name: &str, places: [(Span, String); 2]) -> Diagnostic {
    let message = format!("the declarations of `{}` do not agree", written_host_fact(name));
    let finding = Diagnostic::new(&CONFLICT, span, message, "declared differently");
    let others = places.into_iter().filter(|(place, _)| *place != span);
    others.fold(finding, |finding, (place, declaration)| finding.label(place, format!("`{declaration}`"))).help(
        "declare it with the same type in both files, with a default in both or in neither; or rename one of them",
    )
}

/// A fact of the host that no `agent` block declares.
pub(crate) fn undeclared(span: Span, name: &str, declared: &[&str]) -> Diagnostic {
    let written = written_host_fact(name);
    let finding = Diagnostic::new(&name::VALUE, span, format!("unknown fact `{written}`"), "not declared");
    let suggestion = nearest(name, declared.iter().copied()).map(written_host_fact);
    suggest(finding, span, suggestion.as_deref(), || {
        let known: Vec<_> = declared.iter().map(|name| written_host_fact(name)).collect();
        let known: Vec<&str> = known.iter().map(SmolStr::as_str).collect();
        let others = if known.is_empty() { String::new() } else { format!(", or read {}", alternatives(&known)) };
        format!("declare it with its type, such as `agent {{ fact {name} share }}`{others}")
    })
}

/// `host` without the name of a fact.
pub(crate) fn without_name(span: Span, declared: &[&str]) -> Diagnostic {
    let known: Vec<_> = declared.iter().map(|name| written_host_fact(name)).collect();
    let known: Vec<&str> = known.iter().map(SmolStr::as_str).collect();
    let finding = Diagnostic::new(&name::VALUE, span, "`host` is no fact without a name", "missing name");
    match known.as_slice() {
        [] => finding.help("declare a fact, such as `agent { fact load share }`, and read `host.load`"),
        some => finding.help(format!("write {}", alternatives(some))),
    }
}

/// Arguments of a fact that takes none.
pub(crate) fn takes_no_arguments(span: Span, name: &str) -> Diagnostic {
    Diagnostic::new(&super::clause::ARGUMENT, span, format!("`{name}` takes no arguments"), "unexpected argument")
        .help(format!("write `{name}`"))
}
