use std::fmt::Write as _;

use smol_str::SmolStr;
use trimtab_base::conversation::Pins;
use trimtab_base::quantity::{Quantity, Unit};

use super::*;

/// Two values that a label takes; the second differs from the first and from the default.
fn samples(shape: Shape) -> Vec<Argument> {
    let text = |index| Argument::Text(TextSlot::new(index, vec!["preview".into()]));
    let name = |name: &'static str| SmolStr::new_static(name);
    match shape {
        Shape::Quantity(units) => [3, 7].map(|count| Argument::Quantity(Quantity::whole(count, units[0]))).to_vec(),
        Shape::Tools => ["bash", "edit"].map(|tool| Argument::Names(vec![name(tool)])).to_vec(),
        Shape::Name => ["one", "two"].map(|word| Argument::Word(name(word))).to_vec(),
        Shape::Names => ["one", "two"].map(|word| Argument::Names(vec![name(word)])).to_vec(),
        Shape::Fields => ["one", "two"].map(|word| Argument::Fields(vec![(name(word), ())])).to_vec(),
        Shape::Text | Shape::Prompt => [text(1), text(2)].to_vec(),
        Shape::Word(words) => words.iter().map(|word| Argument::Word(name(word))).collect(),
        Shape::Sides([words @ .., _]) => {
            let ends = [3, 7].map(|chars| Quantity::whole(chars, Unit::Chars));
            let words = words.iter().map(|word| Argument::Word(name(word)));
            words.chain([Argument::Ends(ends[0], ends[1])]).collect()
        }
        Shape::Sides([]) => Vec::new(),
        Shape::Pins => [Pins::REQUEST, Pins::NONE].map(Argument::Pins).to_vec(),
    }
}

fn default(label: &Label, target: Option<&Target>) -> Option<Argument> {
    match label.default_with(target.map(|target| target.name)) {
        LabelDefault::Number(count, unit) => Some(Argument::Quantity(Quantity::whole(count.into(), unit))),
        LabelDefault::Word(word) => Some(Argument::Word(word.into())),
        LabelDefault::Pins(pins) => Some(Argument::Pins(pins)),
        LabelDefault::Required => samples(label.shape).into_iter().next(),
        LabelDefault::None => None,
    }
}

/// Every combination of an effect and one of its targets.
fn uses() -> impl Iterator<Item = (&'static Effect, Option<&'static Target>)> {
    EFFECTS.iter().flat_map(|&effect| {
        let targets: Vec<Option<&Target>> = match effect.positional {
            Positional::Target(targets) => targets.iter().map(Some).collect(),
            Positional::Text | Positional::Values(_) | Positional::AtLeastOneOf(_) => vec![None],
        };
        targets.into_iter().map(move |target| (effect, target))
    })
}

/// The arguments of an effect with one label set to a value and all others left out.
fn arguments(
    effect: &'static Effect,
    target: Option<&'static Target>,
    set: Option<(&Label, Option<&Argument>)>,
) -> Arguments {
    let value = |label: &'static Label| {
        let argument = match set {
            Some((found, value)) if found.name == label.name => value.cloned(),
            _ => default(label, target),
        };
        argument.map(|argument| (label, argument))
    };
    let text = matches!(effect.positional, Positional::Text).then(TextSlot::default);
    Arguments { target, text, labels: effect.labels.iter().filter_map(|&label| value(label)).collect() }
}

#[test]
fn names_are_unique_and_each_effect_has_an_example() {
    let mut names: Vec<&str> = EFFECTS.iter().map(|effect| effect.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), EFFECTS.len());
    assert!(EFFECTS.iter().all(|effect| !effect.examples.is_empty() && effect.summary.ends_with('.')));
}

#[test]
fn labels_are_restricted_to_targets_of_their_effect() {
    for effect in EFFECTS {
        let is_known = |name: &&str| effect.target(name).is_some();
        assert!(effect.labels.iter().flat_map(|label| label.targets).all(is_known), "{}", effect.name);
        for label in effect.labels {
            let mut others = label.other_defaults.iter().map(|(target, _)| target);
            let is_known = |target: &&str| effect.target(target).is_none() || label.is_allowed_with(target);
            assert!(others.all(is_known), "{} {}", effect.name, label.name);
        }
    }
}

#[test]
fn no_word_is_both_a_target_and_a_label_of_an_effect() {
    for effect in EFFECTS {
        assert!(effect.targets().iter().all(|target| effect.label(target.name).is_none()), "{}", effect.name);
        for (at, label) in effect.labels.iter().enumerate() {
            let same = |other: &&&Label| other.name == label.name || label.role.is_some() && other.role == label.role;
            assert!(!effect.labels[..at].iter().any(|other| same(&other)), "{} {}", effect.name, label.name);
        }
    }
}

#[test]
fn each_label_reaches_its_operation() {
    let mut unread = String::new();
    for effect in EFFECTS {
        for &label in effect.labels {
            let reaches = |target: Option<&'static Target>| {
                let build = |value: Option<&Argument>| {
                    format!("{:?}", (effect.build)(&arguments(effect, target, Some((label, value)))))
                };
                let (samples, without) = (samples(label.shape), default(label, target));
                let others = samples.iter().map(Some).filter(|value| *value != without.as_ref());
                others.map(build).all(|built| built != build(without.as_ref()))
            };
            let mut targets = uses().filter(|(user, _)| user.name == effect.name).map(|(_, target)| target);
            let is_allowed = |target: &'static Target| label.is_allowed_with(target.name);
            if !targets.any(|target| target.is_none_or(is_allowed) && reaches(target)) {
                writeln!(unread, "`{}` of `{}` changes nothing", label.name, effect.name).expect("a string");
            }
        }
    }
    assert!(unread.is_empty(), "{unread}");
}

#[test]
fn each_label_has_an_effect_with_some_target() {
    for effect in EFFECTS {
        for &label in effect.labels {
            let values = samples(label.shape);
            let acts = |target| (label.inert)(&arguments(effect, target, Some((label, values.first())))).is_none();
            let mut targets = uses().filter(|(user, _)| user.name == effect.name).map(|(_, target)| target);
            assert!(targets.any(acts), "`{}` of `{}` never has an effect", label.name, effect.name);
        }
    }
}

#[test]
fn kinds_agree_with_what_effects_are_given() {
    for effect in EFFECTS {
        let takes_text = matches!(effect.positional, Positional::Text);
        let gives_text = matches!(effect.kind, EffectKind::AddMessage | EffectKind::Stop);
        assert!(takes_text == gives_text || effect.kind == EffectKind::Signal, "{}", effect.name);
        assert_eq!(effect.kind.can_fail(), effect.label_for(LabelRole::Prompt).is_some(), "{}", effect.name);
        let has_limit = effect.label_for(LabelRole::ResultLimit).is_some();
        assert!(has_limit || effect.kind != EffectKind::CutContent, "{}", effect.name);
    }
}
