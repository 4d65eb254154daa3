//! Labels, the named arguments of effects, and the checked arguments of one use of an effect.

use trimtab_base::conversation::{Pin, Pins};
use trimtab_base::quantity::Unit;

use super::argument::Argument;
use super::text::TextSlot;
use super::{Target, TargetKind};

/// The descriptor of a label.
#[derive(Debug)]
pub struct Label {
    /// The name in policies.
    pub name: &'static str,
    /// The values that it takes.
    pub shape: Shape,
    /// Its value when it is left out.
    pub default: LabelDefault,
    /// Its value when it is left out with these targets.
    pub other_defaults: &'static [(&'static str, LabelDefault)],
    /// The smallest number that it takes.
    pub least: u32,
    /// The targets that it may be given with; empty when it may be given with every target.
    pub targets: &'static [&'static str],
    /// What it is for, where code outside its effect depends on that.
    pub role: Option<LabelRole>,
    /// The label and the word that mean the same.
    pub stands_for: Option<(&'static Self, &'static str)>,
    /// Whether plans leave out its default, since older plans do not have the label.
    pub omits_default: bool,
    /// Why it has no effect together with these arguments, or `None` if it has one.
    pub inert: fn(&Arguments) -> Option<&'static str>,
    /// What it means, in a sentence.
    pub summary: &'static str,
}

impl Label {
    /// A label that may be left out, may be given with every target, always has an effect, and means nothing to code
    /// outside its effect.
    pub(super) const fn new(name: &'static str, shape: Shape, summary: &'static str) -> Self {
        Self {
            name,
            shape,
            default: LabelDefault::None,
            other_defaults: &[],
            least: 0,
            targets: &[],
            role: None,
            stands_for: None,
            omits_default: false,
            inert: |_| None,
            summary,
        }
    }

    /// Whether the order of its names counts. Elsewhere they are a set.
    pub fn is_ordered(&self) -> bool {
        self.role == Some(LabelRole::Reminded)
    }

    /// Its value when it is left out with this target.
    pub fn default_with(&self, target: Option<&str>) -> LabelDefault {
        let other = self.other_defaults.iter().find(|(name, _)| Some(*name) == target);
        other.map_or(self.default, |(_, default)| *default)
    }

    /// Whether a value is what it has when it is left out with this target.
    pub fn is_default<T, F>(&self, argument: &Argument<T, F>, target: Option<&str>) -> bool {
        match (self.default_with(target), argument) {
            (LabelDefault::Number(number, unit), Argument::Quantity(given)) => {
                given.unit == unit && given.amount == number.into()
            }
            (LabelDefault::Word(word), Argument::Word(given)) => given == word,
            (LabelDefault::Pins(pins), Argument::Pins(given)) => given == &pins,
            _ => false,
        }
    }

    /// Whether it may be given with this target.
    pub fn is_allowed_with(&self, target: &str) -> bool {
        self.targets.is_empty() || self.targets.contains(&target)
    }
}

/// What a label is for. Labels with the same role mean the same in every effect that has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelRole {
    /// How much of the tail of the conversation stays as it is.
    Keep,
    /// The tools whose calls and results are changed.
    OnlyTools,
    /// The tools whose calls and results are not changed.
    ExceptTools,
    /// Whether error results are changed.
    Errors,
    /// The size of the context at which the effect stops.
    DownTo,
    /// The tokens that must be saved for anything to be changed.
    MinimumSaving,
    /// The length that a part must exceed to be changed.
    MinimumLength,
    /// The length to which a result is cut.
    ResultLimit,
    /// How much of the old content a placeholder shows.
    Preview,
    /// The text that replaces the content, or that marks a cut.
    Placeholder,
    /// How many of the newest messages a sliding window keeps as they are.
    RecentZone,
    /// How many messages before those it keeps with their results cut.
    MediumZone,
    /// The prompt for the summariser.
    Prompt,
    /// The maximum length of a summary.
    SummaryLimit,
    /// Messages that stay as they are.
    Pin,
    /// The tools whose newest result stays as it is.
    KeepLatest,
    /// The maximum number of strategies in a request.
    StrategyLimit,
    /// The role of an added message.
    MessageRole,
    /// How long what the effect does lasts.
    Lifetime,
    /// How many interactions are sent.
    Retained,
    /// How many interactions are sent at least.
    LeastRetained,
    /// The tools that are offered.
    OfferedTools,
    /// The tools that are not offered.
    HiddenTools,
    /// The sections of the system prompt that are sent.
    ShownSections,
    /// The sections of the system prompt that are not sent.
    HiddenSections,
    /// The variable that gets a value.
    Variable,
    /// What the model is reminded of.
    Reminded,
    /// A factor.
    Factor,
    /// The name of an event.
    EventName,
}

/// The word of [`Shape::Sides`] before the lengths of the beginning and of the end.
pub const ENDS: &str = "ends";

/// The units of these lengths.
pub const END_UNITS: &[Unit] = &[Unit::Chars, Unit::Tokens];

/// The values that a label takes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A number in one of these units.
    Quantity(&'static [Unit]),
    /// A tool or a list of tools; a name may end in `*`.
    Tools,
    /// A name.
    Name,
    /// A name or a list of names.
    Names,
    /// A list of facts, each of which may have a name before it.
    Fields,
    /// A text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or the word [`ENDS`] with two numbers of characters or tokens.
    Sides(&'static [&'static str]),
    /// One or more of [`Pin::FORMS`].
    Pins,
    /// The name of a prompt.
    Prompt,
}

impl Shape {
    /// The words that it consists of, if it does.
    pub const fn words(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Word(words) | Self::Sides(words) => Some(words),
            Self::Pins => Some(Pin::WORDS),
            _ => None,
        }
    }
}

/// The value of a label that is left out.
#[derive(Clone, Copy, Debug)]
pub enum LabelDefault {
    /// It must be given.
    Required,
    /// It has no value.
    None,
    /// A number in a unit.
    Number(u32, Unit),
    /// A word.
    Word(&'static str),
    /// Pinned messages.
    Pins(Pins),
}

/// The arguments of one use of an effect. Defaults are filled in.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The target, for effects that have one.
    pub target: Option<&'static Target>,
    /// The text after the effect's name, for effects that take one.
    pub text: Option<TextSlot>,
    /// The labels that have a value.
    pub labels: Vec<(&'static Label, Argument)>,
}

impl Arguments {
    /// The part of the conversation that the target stands for.
    pub fn target_kind(&self) -> Option<TargetKind> {
        self.target.map(|target| target.kind)
    }

    /// The text after the effect's name. The checker rejects an effect whose text is missing.
    pub(super) fn positional_text(&self) -> TextSlot {
        self.text.clone().unwrap_or_default()
    }

    /// The value of a label.
    pub fn get(&self, label: &Label) -> Option<&Argument> {
        self.labels.iter().find(|(other, _)| other.name == label.name).map(|(_, argument)| argument)
    }
}

/// A label and the type in which its effect reads it.
///
/// Effects declare each label as a `static` handle, list `&HANDLE.label` in their descriptor and call `HANDLE.get`, so
/// that a misspelt label or a value of the wrong type does not compile.
pub(super) struct Handle<T> {
    /// The descriptor.
    pub(super) label: Label,
    /// Reads the value. `None` is passed if the label has none.
    pub(super) read: fn(Option<&Argument>) -> T,
}

impl<T> Handle<T> {
    /// Its value among checked arguments.
    pub(super) fn get(&self, arguments: &Arguments) -> T {
        (self.read)(arguments.get(&self.label))
    }
}
