//! Errors in effects: targets, labels and their values.

use trimtab_base::conversation::{Pin, Pins};
use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit, alternatives, nearest};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::Name;
use trimtab_syntax::syntax::{Keyword, Position};

use super::suggest;
use super::value::UNQUOTED;
use crate::effect::{EFFECTS, ENDS, Effect, Label, Positional, Shape, Target};
use crate::phase::{Permission, Phase};

pub(crate) static INCOMPLETE: Code = Code::new("E405", Severity::Error, include_str!("effect/E405.md"));
pub(crate) static WORD: Code = Code::new("E406", Severity::Error, include_str!("effect/E406.md"));
pub(crate) static TWICE: Code = Code::new("E407", Severity::Error, include_str!("effect/E407.md"));
pub(crate) static VALUE: Code = Code::new("E408", Severity::Error, include_str!("effect/E408.md"));
pub(crate) static STRAY: Code = Code::new("E409", Severity::Error, include_str!("effect/E409.md"));
pub(crate) static SIGNALS: Code = Code::new("E410", Severity::Error, include_str!("effect/E410.md"));
pub(crate) static TARGET: Code = Code::new("E414", Severity::Error, include_str!("effect/E414.md"));

/// The targets and labels of an effect.
fn words(effect: &Effect) -> Vec<&'static str> {
    let targets = effect.targets().iter().map(|target| target.name);
    let labels = effect.labels.iter().filter(|label| !effect.is_value(label));
    targets.chain(labels.map(|label| label.name)).collect()
}

/// A sample value of a label.
fn sample(label: &Label) -> String {
    match label.shape {
        Shape::Quantity(units) => units.first().map_or_else(String::new, |unit| unit.sample().to_owned()),
        Shape::Tools => "[bash, read_file]".to_owned(),
        Shape::Name => "NAME".to_owned(),
        Shape::Names => "[NAME]".to_owned(),
        Shape::Fields => "[FACT]".to_owned(),
        Shape::Text => "\"…\"".to_owned(),
        Shape::Word(words) | Shape::Sides(words) => (*words.first().unwrap_or(&"")).to_owned(),
        Shape::Pins => Pins::REQUEST.to_string(),
        Shape::Prompt => "PROMPT_NAME".to_owned(),
    }
}

/// The values that a label takes, for messages.
fn takes(label: &Label) -> String {
    match label.shape {
        Shape::Quantity(units) => format!("a number, such as {}", super::unit::samples(units)),
        Shape::Tools => "a list of tools, such as `[bash, read_file]`".to_owned(),
        Shape::Name => "a name".to_owned(),
        Shape::Names => "a list of names in brackets".to_owned(),
        Shape::Fields => "a list of facts in brackets, each with or without a name before it".to_owned(),
        Shape::Text => "a text in double quotes".to_owned(),
        Shape::Word(words) => alternatives(words),
        Shape::Sides(words) => {
            let words: Vec<String> = words.iter().map(|word| sides(word)).collect();
            alternatives(&words.iter().map(String::as_str).collect::<Vec<_>>())
        }
        Shape::Pins => format!("{}, or a list of them", alternatives(Pin::FORMS)),
        Shape::Prompt => "the name of a prompt".to_owned(),
    }
}

/// A word of a side of a text, with the lengths that follow it.
fn sides(word: &str) -> String {
    if word == ENDS { format!("{word} 1.5k chars, 500 chars") } else { word.to_owned() }
}

/// A missing target or text.
pub(crate) fn no_subject(name: &Name, effect: &Effect) -> Diagnostic {
    match effect.positional {
        Positional::Target(targets) => {
            let targets: Vec<&str> = targets.iter().map(|target| target.name).collect();
            let first = targets.first().unwrap_or(&"");
            Diagnostic::new(&INCOMPLETE, name.span, format!("`{}` requires a target", effect.name), "missing target")
                .help(match targets.as_slice() {
                    [_] => format!("write `{} {first}`", effect.name),
                    _ => format!("write {} after it", alternatives(&targets)),
                })
        }
        Positional::AtLeastOneOf(labels) => {
            let words: Vec<&str> = labels.iter().map(|label| label.name).collect();
            let message = format!("`{}` requires {}", effect.name, alternatives(&words));
            let first = labels.first().map_or_else(String::new, |label| format!("{} {}", label.name, sample(label)));
            Diagnostic::new(&INCOMPLETE, name.span, message, "missing label")
                .help(format!("write `{} {first}`", effect.name))
        }
        Positional::Text | Positional::Values(_) => {
            Diagnostic::new(&INCOMPLETE, name.span, format!("`{}` requires a text", effect.name), "missing text")
                .help(format!("write `{} \"…\"`", effect.name))
        }
    }
}

/// A missing label.
pub(crate) fn no_label(name: &Name, effect: &Effect, label: &Label) -> Diagnostic {
    if effect.is_value(label) {
        let message = format!("`{}` requires {}", effect.name, takes(label));
        let example = effect.examples.first().unwrap_or(&effect.name);
        return Diagnostic::new(&INCOMPLETE, name.span, message, "missing value")
            .help(format!("write it like `{example}`"));
    }
    let message = format!("`{}` requires `{}`", effect.name, label.name);
    Diagnostic::new(&INCOMPLETE, name.span, message, format!("missing `{}`", label.name)).help(format!(
        "add `{} {}`",
        label.name,
        sample(label)
    ))
}

/// A label without its value.
pub(crate) fn no_value(span: Span, label: &Label) -> Diagnostic {
    Diagnostic::new(&INCOMPLETE, span, format!("`{}` has no value", label.name), "missing value").help(format!(
        "write `{} {}`",
        label.name,
        sample(label)
    ))
}

/// Whether a word is similar to a target or label of the effect.
pub(crate) fn is_near(word: &str, effect: &Effect) -> bool {
    nearest(word, words(effect)).is_some()
}

/// Whether a word is similar to a clause keyword rather than to a target or label.
pub(crate) fn is_clause(word: &str, effect: &Effect) -> bool {
    !is_near(word, effect) && nearest(word, Keyword::texts(Position::Clause)).is_some()
}

/// A word that is neither a target nor a label.
pub(crate) fn unknown_word(span: Span, word: &str, effect: &Effect) -> Diagnostic {
    let words = words(effect);
    let finding =
        Diagnostic::new(&WORD, span, format!("`{}` has no target or label `{word}`", effect.name), "unknown word");
    let suggestion = nearest(word, words.iter().copied()).or_else(|| nearest(word, Keyword::texts(Position::Clause)));
    suggest(finding, span, suggestion, || {
        let own = match words.as_slice() {
            [] => format!("`{}` takes only a text", effect.name),
            words => format!("`{}` takes {}", effect.name, words.join(", ")),
        };
        elsewhere(word).map_or_else(|| own.clone(), |other| format!("{other}; {own}"))
    })
}

/// Where a target or label of other effects is written.
fn elsewhere(word: &str) -> Option<String> {
    let with_target = EFFECTS.iter().filter(|effect| effect.target(word).is_some());
    let targets: Vec<String> = with_target.map(|effect| format!("{} {word}", effect.name)).collect();
    if !targets.is_empty() {
        return Some(format!("write {}", alternatives(&targets)));
    }
    let with_label = EFFECTS.iter().filter(|effect| effect.word_label(word).is_some());
    let effects: Vec<String> = with_label.map(|effect| format!("`{}`", effect.name)).collect();
    let (last, first) = effects.split_last()?;
    let effects = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
    Some(format!("`{word}` is a label of {effects}"))
}

/// Bare words where an effect takes a text.
pub(crate) fn unquoted(span: Span, effect: &Effect) -> Diagnostic {
    let finding =
        Diagnostic::new(&UNQUOTED, span, format!("the text of `{}` is not in quotes", effect.name), "missing quotes");
    in_quotes(finding.help("put the text in double quotes"), span)
}

fn in_quotes(mut finding: Diagnostic, span: Span) -> Diagnostic {
    let ends = [Span { end: span.start, ..span }, span.after()];
    let edits = ends.map(|span| TextEdit { span, text: "\"".to_owned() }).to_vec();
    finding.fixes.push(Fix::new("add quotes", false, edits));
    finding
}

/// A product where an effect takes a number.
pub(crate) fn product(span: Span, label: &Label, effect: &Effect) -> Diagnostic {
    let message = format!("`{}` of `{}` does not take a product", label.name, effect.name);
    Diagnostic::new(&VALUE, span, message, "a product")
        .help(format!("define it with `let goal = 80% of cap`, and write `{} goal`", label.name))
}

/// A label that the target does not support.
pub(crate) fn not_with_target(span: Span, label: &Label, effect: &Effect, given: &Target, place: Span) -> Diagnostic {
    let (target, label_name) = (given.name, label.name);
    let message = format!("`{} {target}` does not take `{label_name}`", effect.name);
    let finding =
        Diagnostic::new(&TARGET, span, message, format!("not supported by `{target}`")).label(place, "the target");
    let supported = label.targets.iter().filter_map(|name| effect.target(name));
    let similar: Vec<&str> =
        supported.filter(|other| other.kind.is_similar_to(given.kind)).map(|other| other.name).collect();
    match similar.as_slice() {
        // Another target would change something else entirely.
        [] => finding.help(format!("remove `{label_name}`: only {} takes it", alternatives(label.targets))).fix(
            format!("remove `{label_name}`"),
            false,
            span,
            "",
        ),
        [one] => finding.help(format!("write `{one}` instead of `{target}`, or remove `{label_name}`")).fix(
            format!("replace `{target}` with `{one}`"),
            false,
            place,
            *one,
        ),
        several => {
            finding.help(format!("write {} instead of `{target}`, or remove `{label_name}`", alternatives(several)))
        }
    }
}

/// A second target, text or label.
pub(crate) fn duplicate(span: Span, what: &str, first: Span) -> Diagnostic {
    Diagnostic::new(&TWICE, span, format!("{what} is given twice"), "given again")
        .label(first, "first given here")
        .help("remove one of them")
}

/// A value that the label does not take.
pub(crate) fn wrong_value(span: Span, word: Option<&str>, label: &Label, effect: &Effect) -> Diagnostic {
    let message = format!("`{}` of `{}` takes {}", label.name, effect.name, takes(label));
    let here = if label.shape.words().is_some() { "not one of these" } else { "wrong kind of value" };
    let finding = Diagnostic::new(&VALUE, span, message, here);
    let words = label.shape.words().unwrap_or_default();
    // A word that needs more words after it is no mistake of its own.
    let suggestion = word.and_then(|word| nearest(word, words.iter().copied()).filter(|found| *found != word));
    if let (Shape::Text, Some(word)) = (label.shape, word) {
        return in_quotes(finding.help(format!("write `{} \"{word}\"`", label.name)), span);
    }
    suggest(finding, span, suggestion, || format!("write `{} {}`", label.name, sample(label)))
}

/// The word for both ends of a text without the two lengths after it.
pub(crate) fn no_ends(span: Span, label: &Label, effect: &Effect) -> Diagnostic {
    let message = format!("`{} {ENDS}` of `{}` takes two lengths", label.name, effect.name);
    Diagnostic::new(&VALUE, span, message, "not two lengths").help(format!("write `{} {}`", label.name, sides(ENDS)))
}

/// Pins that contradict each other, or an empty list of them.
pub(crate) fn contradictory_pins(span: Span) -> Diagnostic {
    Diagnostic::new(
        &VALUE,
        span,
        "`none` stands alone, and a list of pins is not empty",
        "these pins contradict each other",
    )
    .help(format!("write `pin {}` to keep no message, or leave `{}` out", Pin::Nothing, Pin::Nothing))
}

/// A value where another one is given without the word of its label.
pub(crate) fn wrong_argument(span: Span, label: &Label, effect: &Effect) -> Diagnostic {
    let message = format!("`{}` takes {}", effect.name, takes(label));
    let finding = Diagnostic::new(&VALUE, span, message, "wrong kind of value");
    if matches!(label.shape, Shape::Text) {
        return in_quotes(finding.help("put it in double quotes"), span);
    }
    let example = effect.examples.last().unwrap_or(&effect.name);
    finding.help(format!("write it like `{example}`"))
}

/// A value without a label; `labels` are those that take this kind of value.
pub(crate) fn stray(span: Span, effect: &Effect, labels: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&STRAY, span, "this value has no label", "missing label");
    match labels {
        [] => finding.help(format!("`{}` takes no such value; remove it", effect.name)),
        [one] => finding.help(format!("write `{one}` before it")).fix(
            format!("add `{one}`"),
            false,
            Span { end: span.start, ..span },
            format!("{one} "),
        ),
        several => finding.help(format!("write {} before it", alternatives(several))),
    }
}

/// Returns the error for an effect in a phase that does not allow it, or `None` if the phase allows it.
pub(crate) fn not_in_phase(name: &Name, effect: &Effect, phase: Phase, on: Span) -> Option<Diagnostic> {
    if effect.kind.answers_miss() {
        let miss = Phase::CompactionMiss.word();
        let message = format!("`{}` answers a call that is made again, which only `{miss}` is about", name.node);
        let finding = Diagnostic::new(&SIGNALS, name.span, message, "answers a compaction miss");
        return (!phase.is_miss()).then(|| finding.label(on, "another phase").help(format!("use `on {miss}`")));
    }
    let is_allowed = match phase.permission() {
        Permission::Edit => true,
        Permission::Add => effect.kind.is_signal() || effect.kind.adds(),
        Permission::AnswerMiss | Permission::Signal => effect.kind.is_signal(),
    };
    (!is_allowed).then(|| {
        let does = if effect.kind.is_view() { "changes the next request" } else { "edits the conversation" };
        let message = format!("`{}` {does}, which `{}` does not allow", name.node, phase.word());
        let instead = if phase.permission() == Permission::Add { "`inject` or `remind`" } else { "`notify` or `stop`" };
        Diagnostic::new(&SIGNALS, name.span, message, does)
            .label(on, "not allowed in this phase")
            .help(format!("use `on request` or `on reply`, or use {instead} instead"))
    })
}
