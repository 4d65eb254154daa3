//! Errors and warnings about settings of other systems, with the codes E801 to E805.

use trimtab_base::diagnostic::{self, Code, Diagnostic, Severity};
use trimtab_base::source::{Source, Span};
use trimtab_syntax::syntax::yaml::node::Node;

use super::setting::{Options, Setting};

/// All codes of this stage, in order.
pub static CODES: &[&Code] = &[&NOT_READABLE, &UNKNOWN_KEY, &WRONG_TYPE, &OUT_OF_RANGE, &OTHER_NAME, &NOT_RECOGNISED];

static NOT_READABLE: Code = Code::new("E801", Severity::Error, include_str!("error/E801.md"));
static UNKNOWN_KEY: Code = Code::new("E802", Severity::Warning, include_str!("error/E802.md"));
static WRONG_TYPE: Code = Code::new("E803", Severity::Error, include_str!("error/E803.md"));
static OUT_OF_RANGE: Code = Code::new("E804", Severity::Error, include_str!("error/E804.md"));
static OTHER_NAME: Code = Code::new("E805", Severity::Warning, include_str!("error/E805.md"));
static NOT_RECOGNISED: Code = Code::new("E806", Severity::Error, include_str!("error/E806.md"));

pub(super) fn not_readable(span: Span, format: &str, reason: &str) -> Diagnostic {
    Diagnostic::new(&NOT_READABLE, span, format!("invalid {format}: {reason}"), "syntax error")
        .help(format!("fix the {format}; the file is read only if all of it is valid"))
}

pub(super) fn unknown_key(
    span: Span,
    key: &str,
    place: &str,
    nearest: Option<&str>,
    known: &[&str],
    options: Options,
) -> Diagnostic {
    let message = format!("{place} has no option `{key}` about the context");
    let finding = Diagnostic::new(&UNKNOWN_KEY, span, message, "unknown option")
        .note(format!("Options are those of {} {} ({}).", options.title, options.version, options.date));
    match nearest {
        Some(word) => finding.help(format!("did you mean `{word}`?")),
        None => finding.help(format!("expected {}", diagnostic::alternatives(known))),
    }
}

pub(super) fn wrong_type(span: Span, setting: &Setting, found: &str) -> Diagnostic {
    let message = format!("`{}` takes {}", setting.key, setting.kind.noun());
    Diagnostic::new(&WRONG_TYPE, span, message, format!("found {found}")).help(format!("write {}", setting.kind.noun()))
}

pub(super) fn not_a_container(node: &Node, path: &str, wanted: &str) -> Diagnostic {
    let name = if path.is_empty() { "a settings file".to_owned() } else { format!("`{path}`") };
    Diagnostic::new(&WRONG_TYPE, node.span, format!("{name} takes {wanted}"), format!("found {}", node.noun()))
        .help(format!("write {wanted} of options"))
}

pub(super) fn out_of_range(span: Span, setting: &Setting) -> Diagnostic {
    let message = format!("`{}` takes {}", setting.key, setting.kind.noun());
    Diagnostic::new(&OUT_OF_RANGE, span, message, "not one of these values")
        .help(format!("write {}", setting.kind.noun()))
}

pub(super) fn other_name(span: Span, other: &str, name: &str, source: &Source) -> Diagnostic {
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let parent = |path: &str| path.rsplit_once('.').map_or(String::new(), |(parent, _)| parent.to_owned());
    let message = format!("`{other}` is the name of `{name}` in other versions");
    let finding =
        Diagnostic::new(&OTHER_NAME, span, message, "name of another version").help(format!("write `{name}`"));
    if parent(other) != parent(name) {
        return finding;
    }
    let quote = if source.slice(span).starts_with('"') { "\"" } else { "" };
    finding.fix(format!("write `{}`", last(name)), false, span, format!("{quote}{}{quote}", last(name)))
}

/// The error about a file that no system is recognised in.
pub fn not_recognised(source: &Source, names: &[&str], ambiguous: bool) -> Diagnostic {
    let span = Span::new(source.id(), 0, 0);
    let list = names.join(", ");
    let (message, help) = if ambiguous {
        let message = format!("the file does not show whose settings it has: {}", diagnostic::alternatives(names));
        (message, "convert it with `trimtab import FILE --from NAME`".to_owned())
    } else {
        let message = "no policy, and no settings of a known system".to_owned();
        (message, format!("name the system with `trimtab import FILE --from NAME`: {list}"))
    };
    Diagnostic::new(&NOT_RECOGNISED, span, message, "not recognised").help(help)
}
