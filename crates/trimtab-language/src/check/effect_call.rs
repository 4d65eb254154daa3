//! Checks effects: matches their terms with the target, text and labels of the effect.

use smol_str::SmolStr;
use trimtab_base::diagnostic::nearest;
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{EffectCall, Term, TermKind};

use super::checker::Checker;
use super::constant::Constant;
use super::error;
use super::policy::{self, Action, Argument, Template};
use super::rule::RulePhase;
use super::scope::Named;
use crate::effect::{self, Effect, Label, LabelDefault, LabelRole, Positional, Shape, Target};

/// The terms of an effect, and the parts found in them so far.
pub(super) struct Run<'a> {
    pub(super) effect: &'static Effect,
    pub(super) terms: &'a [Term],
    /// The next term.
    pub(super) at: usize,
    /// Whether there was an error, so that a part which seems to be missing may only be misspelt.
    pub(super) failed: bool,
    target: Option<(&'static Target, Span)>,
    text: Option<(Option<Template>, Span)>,
    /// The value of each label of the effect, in its order.
    labels: Vec<Option<Given>>,
}

/// A label that is given.
#[derive(Clone)]
struct Given {
    word: Span,
    /// `None` if there is an error in it.
    value: Option<Argument>,
    /// The word and its value.
    span: Span,
}

impl<'a> Run<'a> {
    /// The term that comes next.
    pub(super) fn peek(&self) -> Option<&'a Term> {
        self.terms.get(self.at)
    }

    /// Whether this word comes next.
    pub(super) fn next_is(&self, word: &str) -> bool {
        self.peek().is_some_and(|next| matches!(&next.kind, TermKind::Word(text) if text == word))
    }

    /// Whether a word is a label or a target of the effect.
    pub(super) fn is_own(&self, word: &str) -> bool {
        self.effect.word_label(word).is_some() || self.effect.target(word).is_some()
    }

    /// The position of the next label that is given without its word.
    fn next_without_word(&self) -> Option<usize> {
        let mut positions = self.effect.values().iter().filter_map(|value| self.position(value.name));
        positions.find(|at| self.labels[*at].is_none())
    }

    /// The position of the next label that is given without its word, if a term can be its value.
    fn next_value(&self, term: &Term) -> Option<usize> {
        let next = self.next_without_word()?;
        let fits = match (self.effect.labels[next].shape, &term.kind) {
            (_, TermKind::Word(word)) => !self.is_own(word),
            (Shape::Name | Shape::Text, TermKind::Text(_))
            | (Shape::Tools | Shape::Names, TermKind::Text(_) | TermKind::List(_))
            | (Shape::Fields, TermKind::List(_))
            | (Shape::Quantity(_), TermKind::Number(_)) => true,
            _ => false,
        };
        fits.then_some(next)
    }

    fn position(&self, label: &str) -> Option<usize> {
        self.effect.labels.iter().position(|known| known.name == label)
    }

    /// Skips the terms of an unknown part that starts here, and returns its span.
    pub(super) fn skip_from(&mut self, start: Span) -> Span {
        self.skip();
        let last = self.at.checked_sub(1).and_then(|at| self.terms.get(at));
        last.map_or(start, |last| start.to(last.span))
    }

    /// Skips terms up to the next label or target that is not a unit.
    fn skip(&mut self) {
        self.failed = true;
        while let Some(term) = self.peek() {
            let before = self.at.checked_sub(1).and_then(|at| self.terms.get(at));
            let behind_number = before.is_some_and(|before| matches!(before.kind, TermKind::Number(_)));
            let is_next = |word: &str| self.is_own(word) && !(behind_number && Unit::from_word(word).is_some());
            if matches!(&term.kind, TermKind::Word(word) if is_next(word)) {
                break;
            }
            self.at += 1;
        }
    }
}

impl<'a> Checker<'_, 'a> {
    /// Checks an effect. Gives nothing if there is an error in it.
    pub(super) fn action(&mut self, call: &'a EffectCall, moment: RulePhase) -> Option<Action> {
        let known = effect::find(&call.name.node);
        if known.is_none() {
            self.report(error::name::unknown_effect(&call.name));
        }
        // A misspelt effect is checked as the one that was probably meant.
        let effect = known.or_else(|| effect::nearest(&call.name.node))?;
        let mut allowed = known.is_some();
        if let Some(phase) = moment.phase
            && let Some(finding) = error::effect::not_in_phase(&call.name, effect, phase, moment.span)
        {
            self.report(finding);
            allowed = false;
        }
        let labels = vec![None; effect.labels.len()];
        let mut run = Run { effect, terms: &call.terms, at: 0, failed: false, target: None, text: None, labels };
        while let Some(term) = run.peek() {
            run.at += 1;
            self.term(&mut run, term);
        }
        let action = self.complete(run, call);
        action.filter(|_| allowed)
    }

    fn term(&mut self, run: &mut Run<'a>, term: &'a Term) {
        if let Some(value) = run.next_value(term) {
            run.at -= 1;
            return self.label(run, value, term.span);
        }
        match &term.kind {
            TermKind::Word(word) => {
                let label = run.effect.word_label(word).and_then(|label| run.position(label.name));
                if let Some(label) = label {
                    self.label(run, label, term.span);
                } else if let Some(target) = run.effect.target(word) {
                    self.target(run, target, term.span);
                } else if matches!(run.effect.positional, Positional::Text) && self.may_be_text(run, word) {
                    self.text_of_let(run, word, term.span);
                } else {
                    self.foreign_word(run, word, term.span);
                }
            }
            TermKind::Text(text) if matches!(run.effect.positional, Positional::Text) => {
                if let Some((_, first)) = run.text {
                    self.report(error::effect::duplicate(term.span, "the text", first));
                    run.failed = true;
                } else {
                    run.text = Some((self.template(text, run.effect.variables), term.span));
                }
            }
            _ => {
                let (labels, missing) = (fitting(run, term), run.next_without_word());
                let span = run.skip_from(term.span);
                self.report(match missing.filter(|_| labels.is_empty()) {
                    Some(at) => error::effect::wrong_argument(span, run.effect.labels[at], run.effect),
                    None => error::effect::stray(span, run.effect, &labels),
                });
            }
        }
    }

    /// A word that the effect does not have: a clause keyword, a text without quotes, or a misspelt word.
    fn foreign_word(&mut self, run: &mut Run<'a>, word: &str, span: Span) {
        let takes_text = matches!(run.effect.positional, Positional::Text) && run.text.is_none();
        let near_let = nearest(word, self.scope.let_names()).filter(|_| takes_text);
        if !takes_text && error::effect::is_clause(word, run.effect) {
            self.report(error::effect::unknown_word(span, word, run.effect));
            (run.failed, run.at) = (true, run.terms.len());
        } else if near_let.is_some() {
            self.report(error::name::unknown_value(span, word, near_let));
            run.skip();
        } else {
            let whole = run.skip_from(span);
            self.report(if takes_text && !error::effect::is_near(word, run.effect) {
                error::effect::unquoted(whole, run.effect)
            } else {
                error::effect::unknown_word(span, word, run.effect)
            });
        }
    }

    fn target(&mut self, run: &mut Run<'a>, target: &'static Target, span: Span) {
        if let Some((_, first)) = run.target {
            self.report(error::effect::duplicate(span, "the target", first));
            run.failed = true;
        } else {
            run.target = Some((target, span));
        }
    }

    /// Whether a word is a let, or the only let that the effect takes may be missing.
    fn may_be_text(&self, run: &Run<'a>, word: &str) -> bool {
        let is_missing = || run.text.is_none() && matches!(self.scope.constant(word), Named::Unknown);
        self.scope.has_let(word) || is_missing()
    }

    fn text_of_let(&mut self, run: &mut Run<'a>, word: &str, span: Span) {
        let value = self.scope.constant(word).defined();
        if let Some((_, first)) = run.text {
            self.report(error::effect::duplicate(span, "the text", first));
            run.failed = true;
            return;
        }
        let text = match value {
            Some(Constant::Text(text)) => self.template(text, run.effect.variables),
            Some(_) => self.fail(error::effect::stray(span, run.effect, &[])),
            None => None,
        };
        run.text = Some((text, span));
    }

    fn label(&mut self, run: &mut Run<'a>, at: usize, span: Span) {
        let label = run.effect.labels[at];
        let value = self.label_value(run, label, span);
        let (at, value) = match label.stands_for {
            Some((other, word)) => {
                (run.position(other.name).unwrap_or(at), value.map(|_| Argument::Word(SmolStr::new_static(word))))
            }
            None => (at, value),
        };
        if let Some(first) = &run.labels[at] {
            let message = format!("`{}`", label.name);
            self.report(error::effect::duplicate(span, &message, first.word));
            run.failed = true;
        } else {
            let last = run.at.checked_sub(1).and_then(|at| run.terms.get(at));
            run.labels[at] = Some(Given { word: span, value, span: last.map_or(span, |last| span.to(last.span)) });
        }
    }

    /// Builds the action; labels that are left out get their defaults.
    fn complete(&mut self, run: Run<'a>, call: &EffectCall) -> Option<Action> {
        let effect = run.effect;
        let mut sound = !run.failed;
        let lacks_subject = match effect.positional {
            Positional::Target(_) => run.target.is_none(),
            Positional::Text => run.text.is_none(),
            Positional::AtLeastOneOf(labels) => {
                !labels.iter().any(|label| run.position(label.name).is_some_and(|at| run.labels[at].is_some()))
            }
            Positional::Values(_) => false,
        };
        if lacks_subject && !run.failed {
            self.report(error::effect::no_subject(&call.name, effect));
        }
        sound &= !lacks_subject;
        if let Some((target, span)) = &run.target {
            for (label, given) in effect.labels.iter().zip(&run.labels) {
                if let Some(given) = given.as_ref().filter(|_| !label.is_allowed_with(target.name)) {
                    self.report(error::effect::not_with_target(given.span, label, effect, target, *span));
                    sound = false;
                }
            }
        }
        let mut labels = Vec::with_capacity(effect.labels.len());
        for (&label, given) in effect.labels.iter().zip(run.labels) {
            let span = given.as_ref().map(|given| given.span);
            let is_allowed = run.target.as_ref().is_none_or(|(target, _)| label.is_allowed_with(target.name));
            let target = run.target.as_ref().map(|(target, _)| target.name);
            let default = if is_allowed { label.default_with(target) } else { LabelDefault::None };
            let value = match (given, default) {
                (Some(Given { value, .. }), _) => {
                    sound &= value.is_some();
                    value
                }
                (None, LabelDefault::None) => None,
                (None, LabelDefault::Number(number, unit)) => {
                    Some(Argument::Quantity(Quantity::whole(number.into(), unit)))
                }
                (None, LabelDefault::Word(word)) => Some(Argument::Word(SmolStr::new_static(word))),
                (None, LabelDefault::Pins(pins)) => Some(Argument::Pins(pins)),
                (None, LabelDefault::Required) => {
                    if !run.failed {
                        self.report(error::effect::no_label(&call.name, effect, label));
                    }
                    sound = false;
                    None
                }
            };
            labels.extend(value.map(|argument| policy::Label { descriptor: label, argument, span }));
        }
        say_length_of_ends(&mut labels);
        let text = match run.text {
            Some((text, _)) => {
                sound &= text.is_some();
                text
            }
            None => None,
        };
        let target = run.target.map(|(target, _)| target);
        sound.then(|| Action::new(effect, target, text, labels, call.span))
    }
}

/// Gives the limit of a cut that is left out the length that is kept at both ends of a text, if these are given.
fn say_length_of_ends(labels: &mut [policy::Label]) {
    let ends = labels.iter().find_map(|label| match label.argument {
        Argument::Ends(head, tail) => Some((head, tail)),
        _ => None,
    });
    let Some((head, tail)) = ends else { return };
    let is_limit = |label: &&mut policy::Label| label.descriptor.role == Some(LabelRole::ResultLimit);
    if let Some(limit) = labels.iter_mut().find(is_limit).filter(|limit| limit.span.is_none()) {
        let more = if tail.unit == head.unit { tail.amount } else { Decimal::ZERO };
        limit.argument = Argument::Quantity(Quantity { amount: head.amount.saturating_add(more), ..head });
    }
}

/// The labels without a value that take this kind of value.
fn fitting(run: &Run<'_>, term: &Term) -> Vec<&'static str> {
    let unit = match run.peek() {
        Some(Term { kind: TermKind::Word(word), .. }) => Unit::from_word(word),
        _ => None,
    };
    let fits = |shape: Shape| match (&term.kind, shape) {
        (TermKind::Number(_), Shape::Quantity(units)) => unit.is_none_or(|unit| units.contains(&unit)),
        (TermKind::Text(_), Shape::Text) | (TermKind::List(_), Shape::Tools | Shape::Names | Shape::Fields) => true,
        _ => false,
    };
    let labels = run.effect.labels.iter().zip(&run.labels);
    let open = labels.filter(|(label, given)| given.is_none() && fits(label.shape)).map(|(label, _)| label);
    let open = open.filter(|label| !run.effect.is_value(label));
    // A label that is required is meant, or one that has a default in this unit, rather than one that is seldom given.
    if let Some(required) = open.clone().find(|label| matches!(label.default, LabelDefault::Required)) {
        return vec![required.name];
    }
    let is_usual = |label: &&&Label| matches!(label.default, LabelDefault::Number(_, own) if Some(own) == unit);
    match open.clone().filter(is_usual).collect::<Vec<_>>().as_slice() {
        [usual] => vec![usual.name],
        _ => open.map(|label| label.name).collect(),
    }
}
