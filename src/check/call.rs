//! Effects: the flat run of terms behind a name, grouped by the effect's signature.

use smol_str::SmolStr;

use super::constant::{Constant, literal, names};
use super::error;
use super::policy::{Action, Argument, Piece, Template};
use super::scope::Scope;
use super::template::Context;
use crate::diagnostic::{alternatives, nearest};
use crate::effect::{self, Effect, Fallback, Label, Shape, Subject};
use crate::quantity::{Quantity, Unit};
use crate::source::Span;
use crate::syntax::tree::{EffectCall, Name, Term, TermKind};

/// What has been grouped so far.
#[derive(Default)]
struct Grouped {
    target: Option<(SmolStr, Span)>,
    text: Option<(Option<Template>, Span)>,
    labels: Vec<(&'static str, Option<Argument>, Span)>,
    wrong: bool,
}

impl Scope<'_> {
    /// The action that an effect and its terms stand for; none when something is wrong, which is then reported.
    pub(super) fn action(&mut self, call: &EffectCall, context: &Context) -> Option<Action> {
        let Some(effect) = effect::find(&call.name.node) else {
            let near = effect::nearest(&call.name.node).map(|effect| effect.name);
            let all: Vec<&str> = effect::EFFECTS.iter().map(|effect| effect.name).collect();
            self.report(error::unknown_effect(call.name.span, &call.name.node, near, &all));
            return None;
        };
        let mut grouped = Grouped::default();
        let mut rest = call.terms.as_slice();
        while let Some((term, after)) = rest.split_first() {
            rest = self.term(effect, term, after, &mut grouped, context);
        }
        self.complete(effect, call, grouped)
    }

    /// Takes one term, and those that belong to it; gives the rest.
    fn term<'t>(
        &mut self,
        effect: &'static Effect,
        term: &'t Term,
        after: &'t [Term],
        grouped: &mut Grouped,
        context: &Context,
    ) -> &'t [Term] {
        match (&term.kind, effect.subject) {
            (TermKind::Word(word), _) if effect.label(word).is_some() => {
                let Some(label) = effect.label(word) else { return after };
                return self.label(effect, label, term.span, after, grouped, context);
            }
            (TermKind::Word(word), Subject::Target(targets)) if targets.iter().any(|(name, _)| name == word) => {
                if let Some((_, first)) = grouped.target {
                    self.report(error::twice(term.span, first, "the target"));
                    grouped.wrong = true;
                }
                grouped.target = Some((word.clone(), term.span));
            }
            (TermKind::Text(text), Subject::Text) => {
                if let Some((_, first)) = grouped.text {
                    self.report(error::twice(term.span, first, "the text"));
                    grouped.wrong = true;
                }
                grouped.text = Some((self.template(text, effect.names, context), term.span));
            }
            (TermKind::Word(word), Subject::Text) if self.is_let(word) && grouped.text.is_none() => {
                let text = self.value(word).shown();
                grouped.text = Some((Some(Template { pieces: vec![Piece::Literal(text)] }), term.span));
            }
            (TermKind::Word(word), _) => {
                let known = words(effect);
                let near = nearest(word, known.iter().copied());
                self.report(error::unknown_label(term.span, word, &owner(effect), near, &known));
                grouped.wrong = true;
                // What stands behind a misspelt label is most likely its value.
                let value = matches!(after.first(), Some(next) if !matches!(next.kind, TermKind::Word(_)));
                return if value { &after[self.value_len(effect, after)..] } else { after };
            }
            _ => {
                self.report(error::stray(term.span, &owner(effect), &words(effect)));
                grouped.wrong = true;
                return &after[self.unit_len(effect, &term.kind, after)..];
            }
        }
        after
    }

    /// How many terms a value takes: one, and one more when a number has its unit behind it.
    fn value_len(&self, effect: &Effect, terms: &[Term]) -> usize {
        terms.split_first().map_or(0, |(first, after)| 1 + self.unit_len(effect, &first.kind, after))
    }

    /// 1 when a unit, or what must be meant as one, stands behind a number.
    fn unit_len(&self, effect: &Effect, kind: &TermKind, after: &[Term]) -> usize {
        match (kind, after.first().map(|term| &term.kind)) {
            (TermKind::Number(_), Some(TermKind::Word(word))) => {
                let target = matches!(effect.subject, Subject::Target(all) if all.iter().any(|(name, _)| name == word));
                usize::from(Unit::from_word(word).is_some() || (effect.label(word).is_none() && !target))
            }
            _ => 0,
        }
    }

    fn label<'t>(
        &mut self,
        effect: &'static Effect,
        label: &'static Label,
        span: Span,
        after: &'t [Term],
        grouped: &mut Grouped,
        context: &Context,
    ) -> &'t [Term] {
        let is_label = |term: &Term| matches!(&term.kind, TermKind::Word(word) if effect.label(word).is_some());
        let takes_word = matches!(label.shape, Shape::Word(_) | Shape::Words(_) | Shape::Prompt | Shape::Tools);
        let Some(value) = after.first().filter(|term| takes_word || !is_label(term)) else {
            self.report(error::no_value(span, label.name, &sample(label.shape)));
            grouped.wrong = true;
            return after;
        };
        if let Some((_, _, first)) = grouped.labels.iter().find(|(name, ..)| *name == label.name) {
            self.report(error::twice(span, *first, &format!("`{}`", label.name)));
            grouped.wrong = true;
        }
        let taken = 1 + self.unit_len(effect, &value.kind, &after[1..]);
        let argument = self.argument_of(effect, label, span, &after[..taken], context);
        grouped.wrong |= argument.is_none();
        grouped.labels.push((label.name, argument, span));
        &after[taken..]
    }

    fn argument_of(
        &mut self,
        effect: &'static Effect,
        label: &'static Label,
        place: Span,
        terms: &[Term],
        context: &Context,
    ) -> Option<Argument> {
        let term = &terms[0];
        let span = terms.iter().fold(term.span, |span, term| span.to(term.span));
        match (label.shape, &term.kind) {
            (Shape::Quantity(units), TermKind::Number(number)) => {
                let word = match terms.get(1).map(|unit| (&unit.kind, unit.span)) {
                    Some((TermKind::Word(word), span)) => Some(Name::new(word.clone(), span)),
                    _ => None,
                };
                let constant = self.number(*number, word.as_ref());
                self.quantity(label, place, &constant, units, span)
            }
            (Shape::Quantity(units), TermKind::Word(name)) if self.is_let(name) => {
                let constant = self.value(name);
                self.quantity(label, place, &constant, units, span)
            }
            (Shape::Text, TermKind::Text(text)) => self.template(text, effect.names, context).map(Argument::Text),
            (Shape::Text, TermKind::Word(name)) if self.is_let(name) => {
                let text = self.value(name).shown();
                Some(Argument::Text(Template { pieces: vec![Piece::Literal(text)] }))
            }
            (Shape::Word(words), TermKind::Word(word)) if words.contains(&word.as_str()) => {
                Some(Argument::Word(word.clone()))
            }
            (Shape::Words(words), kind) => match listed(kind) {
                Some(names) if names.iter().all(|name| words.contains(&name.as_str())) => Some(Argument::Names(names)),
                _ => self.wrong(label, place, &term.kind, span),
            },
            (Shape::Tools, TermKind::Word(name)) if self.is_let(name) => {
                let constant = self.value(name);
                match names(&constant) {
                    Some(names) => Some(Argument::Names(names)),
                    None if constant == Constant::Broken => None,
                    None => self.wrong(label, place, &term.kind, span),
                }
            }
            (Shape::Tools, kind) => match listed(kind) {
                Some(names) => Some(Argument::Names(names)),
                None => self.wrong(label, place, kind, span),
            },
            (Shape::Prompt, TermKind::Word(name)) => self.prompt(name, span),
            (_, kind) => self.wrong(label, place, kind, span),
        }
    }

    fn prompt(&mut self, name: &str, span: Span) -> Option<Argument> {
        if let Some(text) = self.prompts.get(name) {
            return Some(Argument::Text(Template { pieces: vec![Piece::Literal(text.value.clone())] }));
        }
        if !self.broken.contains(name) {
            let near = nearest(name, self.prompts.keys().map(SmolStr::as_str)).map(str::to_owned);
            self.report(error::unknown_prompt(span, name, near.as_deref()));
        }
        None
    }

    fn quantity(
        &mut self,
        label: &'static Label,
        place: Span,
        constant: &Constant,
        units: &[Unit],
        span: Span,
    ) -> Option<Argument> {
        match (constant, units) {
            (Constant::Broken, _) => None,
            (Constant::Number(number, Some(unit)), _) if units.contains(unit) => {
                Some(Argument::Quantity(Quantity::new(*number, *unit)))
            }
            (Constant::Number(number, None), [unit]) if unit.is_counted() => {
                Some(Argument::Quantity(Quantity::new(*number, *unit)))
            }
            (Constant::Number(number, None), [unit, ..]) => {
                self.report(error::no_unit(span, *number, *unit, None));
                None
            }
            (other, _) => {
                let shape = label.shape;
                self.report(error::wrong_value(span, label.name, place, other.noun(), &wanted(shape), &sample(shape)));
                None
            }
        }
    }

    fn wrong(&mut self, label: &'static Label, place: Span, found: &TermKind, span: Span) -> Option<Argument> {
        let (wanted, sample) = (wanted(label.shape), sample(label.shape));
        self.report(error::wrong_value(span, label.name, place, &noun(found), &wanted, &sample));
        None
    }

    /// Fills in what was left out, and says what is missing.
    fn complete(&mut self, effect: &'static Effect, call: &EffectCall, grouped: Grouped) -> Option<Action> {
        let mut wrong = grouped.wrong;
        let mut missing = |scope: &mut Self, what: &str| {
            // A word that was not understood may have been meant as what is missing.
            if !grouped.wrong {
                scope.report(error::no_target(call.name.span, &owner(effect), what));
            }
            wrong = true;
        };
        match effect.subject {
            Subject::Target(targets) if grouped.target.is_none() => {
                let words: Vec<&str> = targets.iter().map(|(word, _)| *word).collect();
                missing(self, &alternatives(&words));
            }
            Subject::Text if grouped.text.is_none() => missing(self, "a text"),
            _ => {}
        }
        let mut labels: Vec<(&'static str, Argument)> = Vec::with_capacity(effect.labels.len());
        let mut given = grouped.labels;
        for label in effect.labels {
            let found = given.iter().position(|(name, ..)| *name == label.name).map(|at| given.swap_remove(at).1);
            match (found, label.fallback) {
                (Some(argument), _) => labels.extend(argument.map(|argument| (label.name, argument))),
                (None, Fallback::Required) => missing(self, &format!("`{} {}`", label.name, sample(label.shape))),
                (None, Fallback::Absent) => {}
                (None, Fallback::Number(number, unit)) => {
                    labels.push((label.name, Argument::Quantity(Quantity::whole(number.into(), unit))));
                }
                (None, Fallback::Word(word)) => labels.push((label.name, Argument::Word(word.into()))),
            }
        }
        let text = match grouped.text {
            Some((None, _)) => return None,
            Some((text, _)) => text,
            None => None,
        };
        let target = grouped.target.map(|(target, _)| target).unwrap_or_default();
        (!wrong).then_some(Action { effect, target, text, labels, span: call.span })
    }
}

fn owner(effect: &Effect) -> String {
    format!("`{}`", effect.name)
}

/// The target words and labels of an effect.
fn words(effect: &'static Effect) -> Vec<&'static str> {
    let targets = match effect.subject {
        Subject::Target(targets) => targets,
        _ => &[],
    };
    targets.iter().map(|(word, _)| *word).chain(effect.labels.iter().map(|label| label.name)).collect()
}

/// Several names, or one.
fn listed(kind: &TermKind) -> Option<Vec<SmolStr>> {
    let name = |term: &Term| match &term.kind {
        TermKind::Word(word) => Some(word.clone()),
        TermKind::Text(text) => Some(text.value.as_str().into()),
        _ => None,
    };
    match kind {
        TermKind::List(terms) => terms.iter().map(name).collect(),
        TermKind::Word(word) => Some(vec![word.clone()]),
        TermKind::Text(text) => Some(vec![text.value.as_str().into()]),
        _ => None,
    }
}

pub(super) fn noun(kind: &TermKind) -> String {
    match kind {
        TermKind::Number(number) => literal(*number).1.map_or("a bare number", Unit::noun).to_owned(),
        TermKind::Word(word) => format!("`{word}`"),
        TermKind::Call(_) => "a fact".to_owned(),
        TermKind::Text(_) => "text".to_owned(),
        TermKind::List(_) => "a list".to_owned(),
        TermKind::Pair(..) | TermKind::Range(..) | TermKind::Operator(_) => "this".to_owned(),
    }
}

fn wanted(shape: Shape) -> String {
    let nouns = |units: &[Unit]| units.iter().map(|unit| unit.noun()).collect::<Vec<_>>().join(" or ");
    match shape {
        Shape::Quantity(units) => nouns(units),
        Shape::Tools => "tools".to_owned(),
        Shape::Text => "a text".to_owned(),
        Shape::Word(words) | Shape::Words(words) => alternatives(words),
        Shape::Prompt => "the name of a prompt".to_owned(),
    }
}

fn sample(shape: Shape) -> String {
    match shape {
        Shape::Quantity(units) => units.first().map_or("1", |unit| unit.sample()).to_owned(),
        Shape::Tools => "[bash, read_file]".to_owned(),
        Shape::Text => "\"…\"".to_owned(),
        Shape::Word(words) | Shape::Words(words) => (*words.first().unwrap_or(&"…")).to_owned(),
        Shape::Prompt => "handover".to_owned(),
    }
}
