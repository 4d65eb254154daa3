//! An entry of a list of effects: its kind and its parameters.

use smol_str::{SmolStr, format_smolstr};
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::{Decimal, MAX_THRESHOLD, Quantity, Unit};
use trimtab_base::source::{Span, Spanned};

use super::kind::{self, Kind, Measure, Param};
use super::node::{Node, Value};
use super::{error, field, name, template};
use crate::syntax::tree::{Name, Rule};

/// An effect with values for all its parameters.
#[derive(Debug)]
pub(super) struct Effect {
    pub(super) kind: &'static Kind,
    /// The whole entry.
    pub(super) span: Span,
    /// The name of the kind, the span of everything that the entry does not set itself.
    place: Span,
    /// The value of each parameter in policy text.
    values: Vec<(&'static str, Spanned<String>)>,
}

/// The result of reading an entry.
#[derive(Debug)]
pub(super) enum EntryOutcome {
    /// The entry is a rule.
    Rule(Effect),
    /// The effect is turned off, so there is no rule.
    Off,
    /// The entry has errors, which are reported; the kind may be known.
    Broken(Option<&'static Kind>),
}

impl Effect {
    /// An effect with default parameters.
    pub(super) fn with_defaults(kind: &'static Kind, place: Span) -> Self {
        let default = |param: &Param| match param.measure {
            Measure::Whole(number) => number.to_string(),
            Measure::Share(percent)
            | Measure::OptionalWindowShare(percent)
            | Measure::OtherShare(percent)
            | Measure::BudgetShare(percent) => {
                format!("{percent}%")
            }
            // An effect without it has no rule.
            Measure::Names | Measure::Tokens | Measure::Duration => String::new(),
        };
        let values = kind.params.iter().map(|param| (param.name, Spanned::new(default(param), place))).collect();
        Self { kind, span: place, place, values }
    }

    /// Sets a parameter if the kind has it.
    pub(super) fn set(&mut self, name: &str, number: Spanned<Decimal>) {
        let Some(param) = self.kind.params.iter().find(|param| param.name == name) else { return };
        let written = match param.measure {
            // A list is no number.
            Measure::Names => return,
            Measure::Whole(_) => number.node.normalize().to_string(),
            Measure::Share(_) | Measure::OptionalWindowShare(_) | Measure::OtherShare(_) | Measure::BudgetShare(_) => {
                Quantity::new(number.node, Unit::Share).to_string()
            }
            Measure::Tokens => Quantity::new(number.node, Unit::Tokens).to_string(),
            Measure::Duration => Quantity::new(number.node, Unit::Duration).to_string(),
        };
        self.set_text(name, Spanned::new(written, number.span));
    }

    /// Sets a parameter to a value in policy text.
    fn set_text(&mut self, name: &str, written: Spanned<String>) {
        if let Some((_, value)) = self.values.iter_mut().find(|(known, _)| *known == name) {
            *value = written;
        }
    }

    /// The parameter without which the effect is off, if it has no value.
    fn missing(&self) -> Option<&'static Param> {
        let is_missing = |param: &&Param| {
            param.measure.is_required()
                && self.values.iter().any(|(name, value)| *name == param.name && value.node.is_empty())
        };
        self.kind.params.iter().find(is_missing)
    }

    /// The rules that the effect stands for; the first one has this name.
    pub(super) fn rules(&self, name: &SmolStr) -> Vec<Rule> {
        let second = self.kind.second.map(|(end, clauses)| (format_smolstr!("{name}{end}"), clauses));
        let all = std::iter::once((name.clone(), self.kind.clauses)).chain(second);
        all.map(|(own, clauses)| self.rule(own, name, clauses)).collect()
    }

    fn rule(&self, name: SmolStr, first: &str, clauses: &str) -> Rule {
        let value = |name: &str| {
            if name == "rule" {
                return Some((first, self.place));
            }
            let found = self.values.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (value.node.as_str(), value.span))
        };
        Rule {
            name: Spanned::new(name, self.place),
            sealed: None,
            overrides: None,
            order: None,
            clauses: template::clauses(clauses, self.place, value),
            span: self.span,
        }
    }
}

/// Reads an entry. Messages refer to it as `entry`; `window` is the context window, if it is known.
pub(super) fn read(
    node: &Node,
    entry: &str,
    window: Option<Spanned<u64>>,
    findings: &mut Vec<Diagnostic>,
) -> EntryOutcome {
    let name = kind_name(node, entry, findings);
    let known = name.as_ref().and_then(|name| kind::find(&name.node));
    if let (Some(name), None) = (&name, known) {
        findings.push(error::unknown_kind(name, entry));
    }
    // An entry with a misspelt kind is checked as the kind that was probably meant.
    let kind = known.or_else(|| kind::find(error::nearest_kind(&name.as_ref()?.node)?));
    let has_known_keys = check_keys(node, kind, findings);
    let (Some(name), Some(kind)) = (name, kind) else {
        check_params_of_unknown_kind(node, findings);
        return EntryOutcome::Broken(None);
    };
    let mut effect = Effect { span: node.span, ..Effect::with_defaults(kind, name.span) };
    let params = read_params(node, &mut effect, findings);
    match (has_known_keys, params) {
        _ if known.is_none() => EntryOutcome::Broken(Some(kind)),
        (true, Some(true)) => match window.filter(|window| window.node == 0 && kind.needs_window()) {
            Some(window) => {
                findings.push(error::window_off(name.span, kind.name, window.span));
                EntryOutcome::Off
            }
            None => match effect.missing() {
                Some(param) => {
                    findings.push(error::budget_off(name.span, kind.name, param.name));
                    EntryOutcome::Off
                }
                None => EntryOutcome::Rule(effect),
            },
        },
        (true, Some(false)) => EntryOutcome::Off,
        _ => EntryOutcome::Broken(Some(kind)),
    }
}

fn kind_name(node: &Node, entry: &str, findings: &mut Vec<Diagnostic>) -> Option<Name> {
    if !matches!(node.value, Value::Map(_)) {
        if !node.is_broken() {
            findings.push(error::wrong_type(node.span, entry, "a map with `kind`", node.noun()));
        }
        return None;
    }
    let before = findings.len();
    let name = field::text(node, "kind", findings).filter(|name| !name.node.is_empty());
    let is_broken = node.get("kind").is_some_and(|kind| kind.is_broken());
    if name.is_none() && findings.len() == before && !is_broken {
        findings.push(error::missing_kind(node.span, entry));
    }
    name
}

/// Reports keys other than `kind` and `params`; whether there are none.
fn check_keys(node: &Node, kind: Option<&Kind>, findings: &mut Vec<Diagnostic>) -> bool {
    const KEYS: [&str; 2] = ["kind", "params"];
    let before = findings.len();
    for entry in node.entries().iter().filter(|entry| !KEYS.contains(&entry.key.node.as_str())) {
        let word = entry.key.node.as_str();
        let is_param = match kind {
            Some(kind) => kind.params.iter().any(|param| param.name == word),
            None => kind::is_param(word),
        };
        findings.push(error::unknown_key(&entry.key, "an effect", error::nearest(word, KEYS), is_param));
    }
    findings.len() == before
}

/// Reports parameters that no kind has.
fn check_params_of_unknown_kind(node: &Node, findings: &mut Vec<Diagnostic>) {
    let params = field::map(node, "params", findings).map(Node::entries).unwrap_or_default();
    for entry in params.iter().filter(|entry| !kind::is_param(&entry.key.node)) {
        findings.push(error::param_of_no_kind(&entry.key));
    }
}

/// Sets the parameters of an effect; whether it is on, or `None` if there are errors.
fn read_params(node: &Node, effect: &mut Effect, findings: &mut Vec<Diagnostic>) -> Option<bool> {
    let params = field::map(node, "params", findings);
    let (mut is_on, mut is_valid) = (true, params.is_some() || node.get("params").is_none());
    for entry in params.map(Node::entries).unwrap_or_default() {
        let kind = effect.kind;
        let Some(param) = kind.params.iter().find(|param| param.name == entry.key.node) else {
            findings.push(error::unknown_param(&entry.key, kind));
            is_valid = false;
            continue;
        };
        match read_param(param, &entry.value, findings) {
            None => is_valid = false,
            Some(ParamValue::Default) => {
                if let Some(default) = param.measure.written_default() {
                    findings.push(error::default_used(entry.value.span, param.name, &default));
                }
            }
            Some(ParamValue::Number(number)) => effect.set(param.name, number),
            Some(ParamValue::Names(names)) => effect.set_text(param.name, names),
            Some(ParamValue::Off) => {
                findings.push(error::threshold_off(entry.value.span, kind.name));
                is_on = false;
            }
        }
    }
    is_valid.then_some(is_on)
}

/// The meaning of a parameter's value.
enum ParamValue {
    Number(Spanned<Decimal>),
    /// A list in policy text.
    Names(Spanned<String>),
    /// The parameter keeps its default.
    Default,
    /// The effect is turned off.
    Off,
}

fn read_param(param: &Param, node: &Node, findings: &mut Vec<Diagnostic>) -> Option<ParamValue> {
    if matches!(param.measure, Measure::Names) {
        return read_names(param, node, findings);
    }
    let Spanned { node: number, span } = match param.measure {
        Measure::Duration => field::duration(node, param.name, findings)?,
        _ => field::number(node, param.name, findings)?,
    };
    let number = if matches!(param.measure, Measure::Whole(_) | Measure::Tokens) { number.trunc() } else { number };
    let is_positive = number > Decimal::ZERO;
    match param.measure {
        Measure::OptionalWindowShare(_) if !is_positive => Some(ParamValue::Off),
        _ if !is_positive => Some(ParamValue::Default),
        Measure::OtherShare(_) if number > Decimal::ONE => Some(ParamValue::Default),
        Measure::BudgetShare(_) if number >= Decimal::ONE => Some(ParamValue::Default),
        Measure::OptionalWindowShare(_) | Measure::Share(_) if number > MAX_THRESHOLD => {
            findings.push(error::share_too_large(span, param.name, number));
            None
        }
        _ => Some(ParamValue::Number(Spanned::new(number, span))),
    }
}

fn read_names(param: &Param, node: &Node, findings: &mut Vec<Diagnostic>) -> Option<ParamValue> {
    let names = field::names(node, param.name, findings)?;
    if names.is_empty() {
        return Some(ParamValue::Default);
    }
    let written = |name: &SmolStr| if name::fits_a_list(name) { name.to_string() } else { format!("{name:?}") };
    let list = names.iter().map(written).collect::<Vec<_>>().join(", ");
    Some(ParamValue::Names(Spanned::new(format!("[{list}]"), node.span)))
}
