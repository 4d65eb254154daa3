//! Effects: what a rule can do, as pure functions from what they may see to edits and signals.
//!
//! In: a scene (the conversation, its size, the counter) and the effect's arguments. Out: edits, a question to a
//! summariser, or a signal. It does not know conditions or guards, and changes nothing itself.
//! An effect is one file and two adjacent lines here: `mod` and the entry in [`EFFECTS`].

mod argument;
mod idle;
mod inject;
mod mask;
mod notify;
mod reduction;
mod slide;
mod stop;
mod summarise;
mod summary;
mod trim;

pub use argument::{Argument, Arguments, Template};
pub use idle::{Idle, Spared};
pub use summary::{DEFAULT_PROMPT, SummaryRequest};

use crate::conversation::{Conversation, Counter, Edit, Message};
use crate::diagnostic;
use crate::quantity::Unit;

/// All effects, in the order of the reference.
pub static EFFECTS: &[&Effect] = &[
    &mask::EFFECT,
    &trim::EFFECT,
    &slide::EFFECT,
    &summarise::EFFECT,
    &inject::EFFECT,
    &notify::EFFECT,
    &stop::EFFECT,
];

/// Makes edits of a summariser's answer, or says why the summary will not do.
pub type Finish = fn(&Scene<'_>, &Arguments, &str) -> Result<Vec<Edit>, String>;

/// An effect: what it is called, what it takes, and how it begins.
#[derive(Debug)]
pub struct Effect {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few sentences.
    pub summary: &'static str,
    /// What stands right behind its name.
    pub subject: Subject,
    /// Its labels.
    pub labels: &'static [Label],
    /// Names that its texts may hold in braces beside facts, and what they stand for.
    pub names: &'static [(&'static str, &'static str)],
    /// What kind of thing it yields.
    pub nature: Nature,
    /// Whole rules' `do` clauses that use it; tests check and run them.
    pub examples: &'static [&'static str],
    /// Begins it.
    pub begin: fn(&Scene<'_>, &Arguments) -> Act,
    /// Ends it when a summary has come; none for effects that ask for none.
    pub finish: Option<Finish>,
}

impl Effect {
    /// Whether it asks a summariser, so that it can fail.
    pub const fn can_fail(&self) -> bool {
        self.finish.is_some()
    }

    /// The label of this name.
    pub fn label(&self, name: &str) -> Option<&'static Label> {
        self.labels.iter().find(|label| label.name == name)
    }
}

/// What stands right behind an effect's name.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// One of several words, each with what it means.
    Target(&'static [(&'static str, &'static str)]),
    /// A text.
    Text,
    /// Nothing.
    None,
}

/// What kind of thing an effect yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Edits of the conversation; on `request` and `reply` only.
    Edit,
    /// A signal to the host; on every phase.
    Signal,
}

/// A label of an effect.
#[derive(Debug)]
pub struct Label {
    /// The word.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// What it is when it is left out.
    pub fallback: Fallback,
    /// The targets that it goes with; empty when it goes with every target.
    pub targets: &'static [&'static str],
    /// What it means.
    pub summary: &'static str,
}

impl Label {
    /// Whether it may be given with this target.
    pub fn goes_with(&self, target: &str) -> bool {
        self.targets.is_empty() || self.targets.contains(&target)
    }
}

/// What a label takes.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A number in one of these units.
    Quantity(&'static [Unit]),
    /// A list of tools, or one; a name may end in `*`.
    Tools,
    /// A text.
    Text,
    /// One of several words.
    Word(&'static [&'static str]),
    /// One or several of several words.
    Words(&'static [&'static str]),
    /// The name of a prompt.
    Prompt,
}

/// What a label is when it is left out.
#[derive(Clone, Copy, Debug)]
pub enum Fallback {
    /// It must be given.
    Required,
    /// The effect goes without.
    Absent,
    /// This many of this unit.
    Number(u32, Unit),
    /// This word.
    Word(&'static str),
}

/// What an effect may see.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The conversation as earlier rules left it.
    pub conversation: &'a Conversation,
    /// The token counter.
    pub counter: &'a dyn Counter,
    /// What would be sent now, in tokens.
    pub tokens: u64,
    /// The context window; none when it is unknown.
    pub window: Option<u64>,
    /// What the same effect has found out about the first messages, which are as they were.
    pub searched: Searched,
    /// Whether an idle effect is to count what it spared.
    pub explain: bool,
}

/// How far an effect has searched a conversation: what need not be looked at again while it stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// How many of the first messages hold nothing for it.
    pub settled: usize,
    /// How many of the first messages together would save less than `at_least`.
    pub gated: usize,
    /// Tokens that those would save.
    pub saving: i128,
}

/// How an effect begins.
#[derive(Debug)]
pub enum Act {
    /// It yields these edits; none when there is nothing to do.
    Edits {
        /// The edits in order.
        edits: Vec<Edit>,
        /// Tokens by which `down_to` is missed; 0 when it is reached or not asked for.
        short: u64,
        /// How far it has searched.
        searched: Searched,
        /// Why there are no edits; without meaning when there are some.
        idle: Idle,
    },
    /// A message for the coming request only.
    View(Box<Message>),
    /// It needs a summary first.
    Ask(Box<SummaryRequest>),
    /// It tells the host something.
    Notify(String),
    /// It stops the run.
    Stop(String),
}

impl Act {
    /// Nothing to do, and why.
    pub const fn idle(idle: Idle) -> Self {
        Self::edits(Vec::new(), idle)
    }

    /// Edits of an effect that looks at everything each time, and why there are none if there are none.
    pub const fn edits(edits: Vec<Edit>, idle: Idle) -> Self {
        Self::Edits { edits, short: 0, searched: Searched { settled: 0, gated: 0, saving: 0 }, idle }
    }
}

/// The effect of this name.
pub fn find(name: &str) -> Option<&'static Effect> {
    EFFECTS.iter().find(|effect| effect.name == name).copied()
}

/// The effect whose name is nearest to a mistyped one.
pub fn nearest(name: &str) -> Option<&'static Effect> {
    diagnostic::nearest(name, EFFECTS.iter().map(|effect| effect.name)).and_then(find)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_effect_has_an_example() {
        let mut names: Vec<&str> = EFFECTS.iter().map(|effect| effect.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), EFFECTS.len());
        assert!(EFFECTS.iter().all(|effect| !effect.examples.is_empty() && effect.summary.ends_with('.')));
    }

    #[test]
    fn labels_name_targets_of_their_effect() {
        for effect in EFFECTS {
            let Subject::Target(targets) = effect.subject else {
                assert!(effect.labels.iter().all(|label| label.targets.is_empty()), "{}", effect.name);
                continue;
            };
            let known = |word: &&str| targets.iter().any(|(target, _)| target == word);
            assert!(effect.labels.iter().flat_map(|label| label.targets).all(known), "{}", effect.name);
        }
    }

    #[test]
    fn a_target_is_never_also_a_label() {
        for effect in EFFECTS {
            if let Subject::Target(targets) = effect.subject {
                assert!(targets.iter().all(|(word, _)| effect.label(word).is_none()), "{}", effect.name);
            }
        }
    }
}
