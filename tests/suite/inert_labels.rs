//! Labels without effect: plans that differ only in such a label are equal, all others are not.

use trimtab::effect::{EFFECTS, Effect, Label, LabelDefault, Positional, Shape, Target};
use trimtab::quantity::Unit;

use crate::{generated, laws};

/// Two values of a label, neither of which is a default.
fn values(label: &Label) -> [String; 2] {
    let both = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    match label.shape {
        Shape::Quantity([Unit::Share, ..]) => both("3%", "7%"),
        Shape::Quantity(units) => [3, 7].map(|number| generated::spelled(number, units[0])),
        Shape::Tools | Shape::Names => both("[bash]", "[edit]"),
        Shape::Fields => both("[iteration]", "[n: iteration]"),
        Shape::Name => both("one", "other"),
        Shape::Text => both("\"a\"", "\"b\""),
        Shape::Sides(_) => both("head", "ends 3 chars, 7 chars"),
        Shape::Word([.., one, other]) => both(one, other),
        Shape::Word(words) => both(words[0], ""),
        Shape::Pins => both("first_user", "none"),
        Shape::Prompt => both("first", "second"),
    }
}

/// The hash of a plan with one use of an effect, and whether one of its labels has no effect there.
fn plan(effect: &Effect, target: Option<&Target>, label: &Label, value: &str) -> (String, bool) {
    let is_tested = |other: &Label| other.name == label.name;
    let given = |other: &&Label| if is_tested(other) { value.to_owned() } else { values(other)[0].clone() };
    let positional = match effect.positional {
        Positional::Text => "\"text\"".to_owned(),
        Positional::Target(_) => target.map_or("", |target| target.name).to_owned(),
        Positional::Values(values) => values.iter().map(given).collect::<Vec<_>>().join(" "),
        Positional::AtLeastOneOf(labels) if labels.iter().any(|one| is_tested(one)) => String::new(),
        Positional::AtLeastOneOf(labels) => format!("{} {}", labels[0].name, values(labels[0])[0]),
    };
    let required = effect.labels.iter().filter(|other| {
        matches!(other.default, LabelDefault::Required) && !is_tested(other) && !effect.is_value(other)
    });
    let required: String = required.map(|other| format!(" {} {}", other.name, values(other)[0])).collect();
    let is_clause = !value.is_empty() && !effect.is_value(label);
    let clause = if is_clause { format!("{} {value}{required}", label.name) } else { required };
    let on = if effect.kind.answers_miss() { "on compaction_miss " } else { "" };
    let text = format!(
        "edition 2026\nprompt first \"1\"\nprompt second \"2\"\n\
         policy p {{ rule r {{ {on}do {} {positional} {clause} }} }}\n",
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
