//! One entry of a list of effects: its kind and its parameters, checked.

use super::at::{Amount, At};
use super::kind::{self, Kind, Measure, Param};
use super::node::{Node, Value};
use super::{error, field};
use crate::diagnostic::Diagnostic;
use crate::quantity::{Decimal, MAX_THRESHOLD};
use crate::source::{Span, Spanned};
use crate::syntax::tree::{Name, Rule};

/// An effect whose parameters all have a value.
#[derive(Debug)]
pub(super) struct Effect {
    pub(super) kind: &'static Kind,
    /// The whole entry.
    pub(super) span: Span,
    at: At,
    numbers: Vec<(&'static str, Amount)>,
}

/// What becomes of an entry.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A rule.
    Rule(Effect),
    /// No rule, because it is turned off.
    Off,
    /// Something is wrong, which has been reported; the kind may be known.
    Broken(Option<&'static Kind>),
}

impl Effect {
    /// An effect with all its defaults, said at one place.
    pub(super) fn by_default(kind: &'static Kind, place: Span) -> Self {
        let at = At(place);
        let fallback = |param: &Param| match param.measure {
            Measure::Whole(number) => at.number(number),
            Measure::Share(hundredths) | Measure::Switch(hundredths) => {
                Amount::new(Decimal::new(hundredths.into(), 2), place)
            }
        };
        let numbers = kind.params.iter().map(|param| (param.name, fallback(param))).collect();
        Self { kind, span: place, at, numbers }
    }

    /// The place of what the entry does not say itself.
    pub(super) const fn at(&self) -> At {
        self.at
    }

    /// The value of a parameter.
    pub(super) fn number(&self, name: &str) -> Amount {
        let found = self.numbers.iter().find(|(known, _)| *known == name);
        found.map_or_else(|| self.at.number(0), |(_, amount)| *amount)
    }

    /// Gives a parameter a value.
    pub(super) fn set(&mut self, name: &str, amount: Amount) {
        if let Some((_, number)) = self.numbers.iter_mut().find(|(known, _)| *known == name) {
            *number = amount;
        }
    }

    /// The rule that says the same.
    pub(super) fn rule(&self, name: &str) -> Rule {
        Rule {
            name: self.at.named(name),
            sealed: None,
            overrides: None,
            order: None,
            clauses: (self.kind.clauses)(self),
            span: self.span,
        }
    }
}

/// Reads an entry. `place` names it in messages; `window` is there when it is known.
pub(super) fn read(node: &Node, place: &str, window: Option<Spanned<u64>>, findings: &mut Vec<Diagnostic>) -> Outcome {
    let name = kind_name(node, place, findings);
    let known = name.as_ref().and_then(|name| kind::find(&name.node));
    if let (Some(name), None) = (&name, known) {
        findings.push(error::unknown_kind(name, place));
    }
    // What is nearly a kind is looked through as that kind.
    let kind = known.or_else(|| kind::find(error::kind_meant(&name.as_ref()?.node)?));
    let keys = only_known_keys(node, kind, findings);
    let (Some(name), Some(kind)) = (name, kind) else {
        params_of_any(node, findings);
        return Outcome::Broken(None);
    };
    let mut effect = Effect { span: node.span, ..Effect::by_default(kind, name.span) };
    let params = take_params(node, &mut effect, findings);
    match (keys, params) {
        _ if known.is_none() => Outcome::Broken(Some(kind)),
        (true, Some(true)) => match window.filter(|window| window.node == 0 && kind.needs_window()) {
            Some(window) => {
                findings.push(error::window_off(name.span, kind.name, window.span));
                Outcome::Off
            }
            None => Outcome::Rule(effect),
        },
        (true, Some(false)) => Outcome::Off,
        _ => Outcome::Broken(Some(kind)),
    }
}

fn kind_name(node: &Node, place: &str, findings: &mut Vec<Diagnostic>) -> Option<Name> {
    if !matches!(node.value, Value::Map(_)) {
        if !node.is_broken() {
            findings.push(error::wrong_type(node.span, place, "a map with `kind`", node.noun()));
        }
        return None;
    }
    let before = findings.len();
    let name = field::text(node, "kind", findings).filter(|name| !name.node.is_empty());
    let is_broken = node.get("kind").is_some_and(|kind| kind.is_broken());
    if name.is_none() && findings.len() == before && !is_broken {
        findings.push(error::missing_kind(node.span, place));
    }
    name
}

/// Reports keys beside `kind` and `params`, of a kind or of whatever kind it is; whether there is none.
fn only_known_keys(node: &Node, kind: Option<&Kind>, findings: &mut Vec<Diagnostic>) -> bool {
    const KEYS: [&str; 2] = ["kind", "params"];
    let before = findings.len();
    for entry in node.entries().iter().filter(|entry| !KEYS.contains(&entry.key.node.as_str())) {
        let word = entry.key.node.as_str();
        let misplaced = match kind {
            Some(kind) => kind.params.iter().any(|param| param.name == word),
            None => kind::takes(word),
        };
        findings.push(error::unknown_key(&entry.key, "an effect", error::meant(word, KEYS), misplaced));
    }
    findings.len() == before
}

/// Reports parameters that no kind has, where the kind is not known.
fn params_of_any(node: &Node, findings: &mut Vec<Diagnostic>) {
    let params = field::map(node, "params", findings).map(Node::entries).unwrap_or_default();
    for entry in params.iter().filter(|entry| !kind::takes(&entry.key.node)) {
        findings.push(error::param_of_none(&entry.key));
    }
}

/// Takes over what `params` says; whether the effect is on, or none when something is wrong.
fn take_params(node: &Node, effect: &mut Effect, findings: &mut Vec<Diagnostic>) -> Option<bool> {
    let (mut on, mut sound) = (true, true);
    let params = field::map(node, "params", findings);
    sound &= params.is_some() || node.get("params").is_none();
    for entry in params.map(Node::entries).unwrap_or_default() {
        let kind = effect.kind;
        let Some(param) = kind.params.iter().find(|param| param.name == entry.key.node) else {
            findings.push(error::unknown_param(&entry.key, kind));
            sound = false;
            continue;
        };
        match given(param, &entry.value, findings) {
            None => sound = false,
            Some(Given::Default) => {}
            Some(Given::Number(amount)) => effect.set(param.name, amount),
            Some(Given::Off) => {
                findings.push(error::threshold_off(entry.value.span, kind.name));
                on = false;
            }
        }
    }
    sound.then_some(on)
}

/// What the value of a parameter comes to.
enum Given {
    Number(Amount),
    Default,
    Off,
}

fn given(param: &Param, node: &Node, findings: &mut Vec<Diagnostic>) -> Option<Given> {
    let Spanned { node: number, span } = field::number(node, param.name, findings)?;
    let number = if matches!(param.measure, Measure::Whole(_)) { number.trunc() } else { number };
    let positive = number > Decimal::ZERO;
    match param.measure {
        Measure::Switch(_) if !positive => Some(Given::Off),
        _ if !positive => Some(Given::Default),
        Measure::Switch(_) | Measure::Share(_) if number > MAX_THRESHOLD => {
            findings.push(error::share_too_large(span, param.name, number));
            None
        }
        _ => Some(Given::Number(Amount::new(number, span))),
    }
}
