//! Uses of effects.

use trimtab_base::conversation::{Pin, Pins};
use trimtab_base::quantity::{Counted, Decimal, Type, Unit};
use trimtab_syntax::syntax::tree::{EffectCall, Prompt, Term, TermKind, Text};

use super::expression::{element, number_term, reading, template, term, word_term};
use super::{Node, PlanLoadError};
use crate::effect::{self, ENDS, Effect, Label, LabelDefault, Shape};

/// A use of an effect. Its prompts are added to those of the file.
pub(super) fn call(node: &Node<'_>, prompts: &mut Vec<Prompt>) -> Result<EffectCall, PlanLoadError> {
    let name = node.need("effect")?;
    let text = name.text()?;
    let effect = effect::find(text).ok_or_else(|| name.error(format!("unknown effect `{text}`")))?;
    let mut terms = Vec::new();
    let mut target = None;
    if let Some(node_of_target) = node.get("target") {
        let missing = |name| node_of_target.error(format!("`{text}` has no target `{name}`"));
        let known = |name| effect.target(name).ok_or_else(|| missing(name));
        target = node.attempt(node_of_target.text().and_then(known)).map(|target| target.name);
        terms.extend(target.map(|name| word_term(&node_of_target, name)));
    }
    if let Some(text) = node.get("text") {
        terms.extend(node.attempt(template(&text)).map(|filled| term(&text, TermKind::Text(filled))));
    }
    let mut labels = node.need("labels")?.entries()?;
    // Values without a word come first, in their order.
    let place = |name: &str| effect.values().iter().position(|value| value.name == name).unwrap_or(usize::MAX);
    labels.sort_by_key(|(name, _)| place(name));
    for (name, value) in labels {
        let label = effect.label(name).ok_or_else(|| value.error(format!("`{text}` has no label `{name}`")));
        let label = label.and_then(|label| labelled((effect, label), &value, target, prompts));
        terms.extend(node.attempt(label).into_iter().flatten());
    }
    Ok(EffectCall { name: name.word(text), terms, span: node.span() })
}

/// A label with its value; nothing if that is the default with the target, which may be set where the label may not be written.
fn labelled(
    (effect, label): (&Effect, &Label),
    node: &Node<'_>,
    target: Option<&str>,
    prompts: &mut Vec<Prompt>,
) -> Result<Vec<Term>, PlanLoadError> {
    let default = label.default_with(target);
    let word = word_term(node, label.name);
    let value = match label.shape {
        Shape::Quantity(_) => match quantity((effect, label), default, node)? {
            Some(terms) => terms,
            None => return Ok(Vec::new()),
        },
        Shape::Word(words) => {
            let text = choice(label, words, node)?;
            if matches!(default, LabelDefault::Word(default) if default == text) {
                return Ok(Vec::new());
            }
            vec![word_term(node, text)]
        }
        Shape::Sides(words) => {
            if let Some(ends) = node.get(ENDS) {
                let lengths: Vec<Vec<Term>> =
                    ends.list()?.iter().map(|length| length_terms(effect, label, length)).collect::<Result<_, _>>()?;
                vec![word_term(node, ENDS), term(node, TermKind::List(lengths.concat()))]
            } else {
                let text = choice(label, words, node)?;
                if matches!(default, LabelDefault::Word(default) if default == text) {
                    return Ok(Vec::new());
                }
                vec![word_term(node, text)]
            }
        }
        Shape::Pins => {
            let all: Vec<Pin> = node.list()?.iter().map(pin).collect::<Result<_, _>>()?;
            let pins = if all.is_empty() { Some(Pins::NONE) } else { Pins::of(&all) };
            let pins = pins.ok_or_else(|| node.error(format!("`{}` takes {}", label.name, Pin::FORMS.join(", "))))?;
            if matches!(default, LabelDefault::Pins(default) if default == pins) {
                return Ok(Vec::new());
            }
            let none = Some(Pin::Nothing).filter(|_| all.is_empty());
            vec![term(node, TermKind::List(all.into_iter().chain(none).flat_map(|pin| pin_terms(node, pin)).collect()))]
        }
        Shape::Name => element(node, Type::Text)?,
        Shape::Tools | Shape::Names => {
            let all: Vec<Vec<Term>> =
                node.list()?.iter().map(|one| element(one, Type::Text)).collect::<Result<_, _>>()?;
            vec![term(node, TermKind::List(all.concat()))]
        }
        Shape::Fields => {
            let all: Vec<Term> = node.list()?.iter().map(field).collect::<Result<_, _>>()?;
            vec![term(node, TermKind::List(all))]
        }
        Shape::Text => vec![term(node, TermKind::Text(template(node)?))],
        Shape::Prompt => vec![prompt(node, prompts)?],
    };
    Ok(Some(word).filter(|_| !effect.is_value(label)).into_iter().chain(value).collect())
}

/// A pin: a word, or its number by what it counts.
fn pin(node: &Node<'_>) -> Result<Pin, PlanLoadError> {
    type Numbered = (&'static str, fn(u64) -> Pin);
    let numbered: [Numbered; 3] = [
        ("newest_users", Pin::NewestUsers),
        ("users_within", Pin::UsersWithin),
        ("first_messages", Pin::FirstMessages),
    ];
    for (key, pin) in numbered {
        if let Some(number) = node.get(key) {
            return number.whole().map(pin);
        }
    }
    let word = node.text()?;
    Pin::from_word(word).ok_or_else(|| node.error(format!("unknown pin `{word}`")))
}

/// A pin as an element of a list.
fn pin_terms(node: &Node<'_>, pin: Pin) -> Vec<Term> {
    let number = |number: u64, unit: Unit| number_term(node, number.into(), unit);
    let words = |words: &[&str]| words.iter().map(|word| word_term(node, word)).collect::<Vec<_>>();
    let count = Unit::Counted(Counted::Count);
    match pin {
        Pin::NewestUsers(users) => [words(&["newest"]), number(users, count), words(&["users"])].concat(),
        Pin::UsersWithin(tokens) => [words(&["users", "within"]), number(tokens, Unit::Tokens)].concat(),
        Pin::FirstMessages(messages) => {
            [words(&["first"]), number(messages, Unit::Counted(Counted::Messages))].concat()
        }
        Pin::Nothing | Pin::Request | Pin::FirstUser | Pin::Users => words(&[&pin.to_string()]),
    }
}

/// A field with its name.
fn field(node: &Node<'_>) -> Result<Term, PlanLoadError> {
    let name = node.need("name")?;
    Ok(term(node, TermKind::Pair(name.word(name.text()?), Box::new(reading(node)?))))
}

fn length_terms(effect: &Effect, label: &Label, node: &Node<'_>) -> Result<Vec<Term>, PlanLoadError> {
    let (amount, unit) = amount(effect, label, node)?;
    Ok(number_term(node, amount, unit))
}

fn amount(effect: &Effect, label: &Label, node: &Node<'_>) -> Result<(Decimal, Unit), PlanLoadError> {
    let amount = node.need("amount")?.decimal()?;
    let unit = node.need("unit")?;
    let unit = serde_json::from_value(unit.json.clone())
        .map_err(|_| unit.error(format!("`{}` of `{}` has an unknown unit", label.name, effect.name)))?;
    Ok((amount, unit))
}

/// Returns a number with its unit, or `None` if it is the default.
fn quantity(
    (effect, label): (&Effect, &Label),
    default: LabelDefault,
    node: &Node<'_>,
) -> Result<Option<Vec<Term>>, PlanLoadError> {
    let (amount, unit) = amount(effect, label, node)?;
    let is_default = matches!(default, LabelDefault::Number(number, own) if own == unit && amount == number.into());
    Ok((!is_default).then(|| number_term(node, amount, unit)))
}

/// One of the words of a label.
fn choice<'a>(label: &Label, words: &[&str], node: &Node<'a>) -> Result<&'a str, PlanLoadError> {
    let text = node.text()?;
    if words.contains(&text) {
        return Ok(text);
    }
    Err(node.error(format!("unknown word `{text}`; `{}` takes {}", label.name, words.join(", "))))
}

/// The name of a new prompt with this text.
fn prompt(node: &Node<'_>, prompts: &mut Vec<Prompt>) -> Result<Term, PlanLoadError> {
    let text = template(node)?;
    if !text.pieces.is_empty() {
        return Err(node.error("a prompt contains no facts"));
    }
    let name = format!("prompt_{}", prompts.len());
    prompts.push(Prompt { name: node.word(&name), text: Text { block: true, ..text }, span: node.span() });
    Ok(word_term(node, &name))
}

/// The words after `on_failure` for a number of retries and what follows them.
pub(super) fn failure_terms(
    node: &Node<'_>,
    retries: &Node<'_>,
    word: Option<&str>,
) -> Result<Vec<Term>, PlanLoadError> {
    let count = retries.whole()?;
    let mut terms = Vec::new();
    if count > 0 {
        terms.push(word_term(retries, "retry"));
        let unit = Unit::Counted(Counted::Count);
        terms.extend(number_term(retries, count.into(), unit));
    }
    terms.extend(word.map(|word| word_term(node, word)));
    Ok(terms)
}
