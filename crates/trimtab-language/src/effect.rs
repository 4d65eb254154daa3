//! Effects: what the rules of a policy do to an agent's context.
//!
//! A descriptor [`Effect`] holds everything that the rest of the project knows about an effect: its words, its meaning
//! for linter, comparison and reports, and how its checked arguments become an [`Operation`]. Operations are pure:
//! they return edits, a view, a request for a summary, or a signal, and change nothing themselves. This module does not know
//! conditions, guards or rules.
//!
//! To add an effect, write one file and add two lines here: `mod` and its entry in [`EFFECTS`]. If its signal is a new one, add a
//! variant of [`Signal`]. `ARCHITECTURE.md` says what its tests need.

mod argument;
mod boost;
mod counted;
mod drop;
mod emit;
mod idle;
mod inject;
mod label;
mod latest;
mod lifetime;
mod mask;
mod notify;
mod offload;
mod operation;
mod part_filter;
mod pin;
mod playbook;
mod reduction;
mod redundancy;
mod remind;
mod restore;
mod retain;
mod selection;
mod set;
mod signal;
mod skipped;
mod slide;
mod stop;
mod summarise;
mod summary;
mod summary_request;
mod systems;
mod tail;
mod text;
mod tools;
mod trim;

use trimtab_base::diagnostic;

pub use argument::Argument;
pub use counted::CountedParts;
pub use drop::RemovalCache;
pub use idle::{IdleReason, SkippedParts};
pub use label::{Arguments, END_UNITS, ENDS, Label, LabelDefault, LabelRole, Shape};
pub use latest::LatestCache;
pub use mask::DEFAULT_PLACEHOLDER_CHARS;
pub use operation::{EffectContext, EffectOutput, Operation, Restoration, SearchProgress};
pub use reduction::{ERRORS_INCLUDED, ERRORS_KEPT};
pub use redundancy::{FileTools, Redundancy, RedundancyCache, RedundantResult};
pub use signal::Signal;
pub use skipped::SkippedCache;
pub use summary::{DEFAULT_PROMPT, RESULT_PROMPT, summary_text};
pub use summary_request::{
    SummarisedMessages, SummaryRequest, single_result, summarised, summarised_entries, summarised_result,
    summary_counter,
};
pub use text::{FilledText, TextSlot, Texts};
pub use trim::DEFAULT_MARKER_CHARS;

/// All effects, in the order of the reference.
pub static EFFECTS: &[&Effect] = &[
    &mask::EFFECT,
    &trim::EFFECT,
    &slide::EFFECT,
    &summarise::EFFECT,
    &drop::EFFECT,
    &offload::EFFECT,
    &restore::EFFECT,
    &boost::EFFECT,
    &inject::EFFECT,
    &playbook::EFFECT,
    &retain::EFFECT,
    &remind::EFFECT,
    &tools::EFFECT,
    &systems::EFFECT,
    &set::EFFECT,
    &emit::EFFECT,
    &notify::EFFECT,
    &stop::EFFECT,
];

/// The descriptor of an effect.
#[derive(Debug)]
pub struct Effect {
    /// The name in policies.
    pub name: &'static str,
    /// What it does, in a few sentences.
    pub summary: &'static str,
    /// What it does, for code that must not depend on its name.
    pub kind: EffectKind,
    /// What follows its name.
    pub positional: Positional,
    /// Its labels.
    pub labels: &'static [&'static Label],
    /// The variables that its texts may contain in braces, besides facts, each with its meaning.
    pub variables: &'static [(&'static str, &'static str)],
    /// Examples of its use, without the leading `do`. Tests check and run them.
    pub examples: &'static [&'static str],
    /// Reads its arguments. They are checked: each label has a value of its shape, or is a flag without one.
    pub build: fn(&Arguments) -> Box<dyn Operation>,
}

impl Effect {
    /// The label of this name.
    pub fn label(&self, name: &str) -> Option<&'static Label> {
        self.labels.iter().find(|label| label.name == name).copied()
    }

    /// The label with this role.
    pub fn label_for(&self, role: LabelRole) -> Option<&'static Label> {
        self.labels.iter().find(|label| label.role == Some(role)).copied()
    }

    /// Its targets; empty for effects without one.
    pub const fn targets(&self) -> &'static [Target] {
        match self.positional {
            Positional::Target(targets) => targets,
            Positional::Text | Positional::Values(_) | Positional::AtLeastOneOf(_) => &[],
        }
    }

    /// The labels that are given as values without their word, in order.
    pub const fn values(&self) -> &'static [&'static Label] {
        match self.positional {
            Positional::Values(values) => values,
            Positional::Target(_) | Positional::Text | Positional::AtLeastOneOf(_) => &[],
        }
    }

    /// Whether a label is given as a value without its word.
    pub fn is_value(&self, label: &Label) -> bool {
        self.values().iter().any(|value| value.name == label.name)
    }

    /// The label that this word introduces.
    pub fn word_label(&self, word: &str) -> Option<&'static Label> {
        self.label(word).filter(|label| !self.is_value(label))
    }

    /// The target of this name.
    pub fn target(&self, name: &str) -> Option<&'static Target> {
        self.targets().iter().find(|target| target.name == name)
    }
}

/// What an effect does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EffectKind {
    /// Replaces the content of single parts with something short, or removes the parts. All messages stay.
    ReplaceContent,
    /// Moves the content of single parts out of the context; the agent can recall it. All messages stay.
    Offload,
    /// Cuts the content of single parts to a length. All messages stay.
    CutContent,
    /// Removes single parts, or whole groups of messages.
    Remove,
    /// Replaces whole groups of messages with a summary. It needs a summariser, which can fail.
    Summarise,
    /// Gives a reduced result back the content that it had when it arrived.
    Restore,
    /// Asks the host to keep more of the results of a tool.
    Boost,
    /// Adds a message.
    AddMessage,
    /// Adds learned strategies to the system prompt of the next request.
    Playbook,
    /// Leaves old interactions out of the next request.
    Retain,
    /// Adds a list of items to the next request.
    Remind,
    /// Chooses the tools that are offered.
    ChooseTools,
    /// Chooses the sections of the system prompt that are sent.
    ChooseSections,
    /// Gives a variable of the system prompt a value.
    SetVariable,
    /// Sends a signal to the host, and changes nothing.
    Signal,
    /// Ends the run.
    Stop,
}

impl EffectKind {
    /// Whether it edits the content of messages, removes none of them, and needs no summariser.
    pub const fn edits_content(self) -> bool {
        matches!(self, Self::ReplaceContent | Self::Offload | Self::CutContent)
    }

    /// Whether it can reduce or remove results, so that a call may be made again.
    pub const fn reduces_results(self) -> bool {
        self.edits_content() || matches!(self, Self::Remove | Self::Summarise)
    }

    /// Whether it needs a summariser, so that it can fail.
    pub const fn can_fail(self) -> bool {
        matches!(self, Self::Summarise)
    }

    /// Whether it answers a compaction miss, which is allowed only in the phase about one.
    pub const fn answers_miss(self) -> bool {
        matches!(self, Self::Restore | Self::Boost)
    }

    /// Whether every use of it changes the next request and not the conversation. `inject … for step` does so too, and other uses
    /// of `inject` do not.
    pub const fn is_view(self) -> bool {
        matches!(
            self,
            Self::Playbook | Self::Retain | Self::Remind | Self::ChooseTools | Self::ChooseSections | Self::SetVariable
        )
    }

    /// Whether it adds something to the conversation or the next request that the model reads, and takes nothing away.
    pub const fn adds(self) -> bool {
        matches!(self, Self::AddMessage | Self::Remind)
    }

    /// Whether it is a signal to the host, which is allowed in every phase. Other effects edit the conversation or change the
    /// next request.
    pub const fn is_signal(self) -> bool {
        matches!(self, Self::Signal | Self::Stop)
    }
}

/// What follows an effect's name.
#[derive(Clone, Copy, Debug)]
pub enum Positional {
    /// One of several targets.
    Target(&'static [Target]),
    /// A text.
    Text,
    /// The values of these labels, in this order, without the words of the labels. The labels are among those of the
    /// effect.
    Values(&'static [&'static Label]),
    /// Nothing, but at least one of these labels must be given.
    AtLeastOneOf(&'static [&'static Label]),
}

/// A target of an effect.
#[derive(Debug)]
pub struct Target {
    /// The name in policies.
    pub name: &'static str,
    /// The part of the conversation that it stands for.
    pub kind: TargetKind,
    /// What it stands for, in a sentence.
    pub summary: &'static str,
}

/// The part of a conversation that an effect changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// The contents of tool results.
    Results,
    /// The contents of tool results that no request has contained yet.
    Arrivals,
    /// The contents of tool results that a newer identical call has returned again.
    Duplicates,
    /// The contents of results of reads of a file that was read or written again later.
    SupersededReads,
    /// The arguments of tool calls.
    Calls,
    /// Reasoning.
    Thinking,
    /// Images, in messages and in tool results.
    Images,
    /// The texts of messages of persons, except those of the current run.
    UserMessages,
    /// The texts of replies of the model.
    Replies,
    /// The reduced result of a call that is made again.
    MissedResult,
    /// The pieces into which a host splits the results of a tool that is called again.
    Chunks,
    /// All messages after the system prompt.
    AllMessages,
    /// The messages before the kept tail.
    OlderMessages,
}

impl TargetKind {
    /// Whether it stands for the contents of tool results.
    pub const fn is_of_results(self) -> bool {
        matches!(self, Self::Results | Self::Arrivals | Self::Duplicates | Self::SupersededReads)
    }

    /// Whether it stands for the texts of messages.
    pub const fn is_of_messages(self) -> bool {
        matches!(self, Self::UserMessages | Self::Replies)
    }

    /// Whether what it stands for belongs to no tool.
    pub const fn has_no_tool(self) -> bool {
        self.is_of_messages() || matches!(self, Self::Thinking)
    }

    /// Whether it stands for whole messages.
    pub const fn is_whole_messages(self) -> bool {
        matches!(self, Self::AllMessages | Self::OlderMessages)
    }

    /// Whether it is of the same sort as another one, so that one of them may be written where the other is meant.
    pub const fn is_similar_to(self, other: Self) -> bool {
        (self.is_of_results() && other.is_of_results())
            || (self.is_of_messages() && other.is_of_messages())
            || (self.is_whole_messages() && other.is_whole_messages())
    }

    /// Whether newer messages contain what it stands for, or have made it obsolete.
    pub const fn is_redundant(self) -> bool {
        matches!(self, Self::Duplicates | Self::SupersededReads)
    }
}

/// The effect of this name.
pub fn find(name: &str) -> Option<&'static Effect> {
    EFFECTS.iter().find(|effect| effect.name == name).copied()
}

/// The effect whose name is closest to a misspelt one.
pub fn nearest(name: &str) -> Option<&'static Effect> {
    diagnostic::nearest(name, EFFECTS.iter().map(|effect| effect.name)).and_then(find)
}

#[cfg(test)]
mod tests;
