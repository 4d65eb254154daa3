//! Labels without effect: plans that differ only in such a label are equal, all others are not.

use trimtab::effect::{EFFECTS, Effect, Label, Positional, Shape, Target};
use trimtab::quantity::Unit;

use crate::laws;

/// Two values of a label, neither of which is a default.
fn values(label: &Label) -> [String; 2] {
    let both = |one: &str, other: &str| [one.to_owned(), other.to_owned()];
    match label.shape {
        Shape::Quantity([Unit::Share, ..]) => both("3%", "7%"),
        Shape::Quantity(units) => ["3", "7"].map(|number| format!("{number} {}", units[0].noun())),
        Shape::Tools => both("[bash]", "[edit]"),
        Shape::Text => both("\"a\"", "\"b\""),
        Shape::Word([.., one, other]) => both(one, other),
        Shape::Word(words) | Shape::Words(words) => both(words[0], ""),
        Shape::Prompt => both("first", "second"),
    }
}

/// The hash of a plan with one use of an effect, and whether one of its labels has no effect there.
fn plan(effect: &Effect, target: Option<&Target>, label: &Label, value: &str) -> (String, bool) {
    let positional = match effect.positional {
        Positional::Text => "\"text\"",
        Positional::Target(_) | Positional::None => target.map_or("", |target| target.name),
    };
    let clause = if value.is_empty() { String::new() } else { format!("{} {value}", label.name) };
    let text = format!(
        "edition 2026\nprompt first \"1\"\nprompt second \"2\"\n\
         policy p {{ rule r {{ do {} {positional} {clause} }} }}\n",
        effect.name
    );
    let plan = laws::plan(&text);
    let is_inert = plan.rules[0].actions[0].inert(label).is_some();
    (plan.hash, is_inert)
}

#[test]
fn plans_are_equal_only_if_they_differ_in_labels_without_effect() {
    let mut inert = 0;
    for effect in EFFECTS {
        let none = effect.targets().is_empty().then_some(None);
        for target in effect.targets().iter().map(Some).chain(none) {
            let is_allowed = |label: &&&Label| target.is_none_or(|target| label.is_allowed_with(target.name));
            for label in effect.labels.iter().filter(is_allowed) {
                let [one, other] = values(label).map(|value| plan(effect, target, label, &value));
                let place = format!("`{}` of `{} {}`", label.name, effect.name, target.map_or("", |one| one.name));
                assert_eq!(one.0 == other.0, one.1, "{place}: {one:?}, {other:?}");
                inert += usize::from(one.1);
            }
        }
    }
    assert!(inert > 5, "some labels have no effect with some targets");
}
