//! What describes a system and its options.

use super::document::Syntax;
use super::draft::Draft;
use super::kind::Kind;
use super::values::Values;

/// A system whose settings are read.
#[derive(Debug)]
pub struct System {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// The file that has its settings, as its users write it.
    pub file: &'static str,
    /// How that file is written.
    pub syntax: Syntax,
    /// The newest version that the options and defaults were compared with.
    pub version: &'static str,
    /// The month of that comparison.
    pub date: &'static str,
    /// The key of the block with the settings, if a file may consist of that block alone; else empty.
    pub block: &'static str,
    /// Whether policies are written as its settings.
    pub is_target: bool,
    /// Ends of paths by which its files are recognised.
    pub files: &'static [&'static str],
    /// Parts of a `$schema` by which its files are recognised.
    pub schemas: &'static [&'static str],
    /// Other keys by which its files are recognised.
    pub marks: &'static [&'static str],
    /// Where its options are. Other parts of the file are not read.
    pub sections: &'static [Section],
    /// The options that concern the context, in the order of the table.
    pub settings: &'static [&'static Setting],
    /// Turns the values of the options into rules, and says of each what it became.
    pub(super) policy: fn(&Values<'_>, &mut Draft<'_>),
}

/// A map of a settings file.
#[derive(Debug)]
pub struct Section {
    /// Its path; empty for the whole file.
    pub path: &'static str,
    /// Other keys that the system has there. With none, keys of any name may stand there: only those that resemble an option are
    /// reported as unknown.
    pub others: Option<&'static [&'static str]>,
    /// Whether its values are strings also where they mean numbers, as in an environment.
    pub has_strings: bool,
}

/// An option.
#[derive(Debug)]
pub struct Setting {
    /// Its path, with `.` between keys; `KEY[TYPE]` is the element of a list with this `type`, `*` any key.
    pub key: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Its value if it is not written.
    pub standard: Standard,
    /// Its paths in other versions.
    pub others: &'static [&'static str],
    /// What it does, as a sentence.
    pub about: &'static str,
}

/// The documented value of an option that is not written.
#[derive(Clone, Copy, Debug)]
pub enum Standard {
    /// A truth value.
    Flag(bool),
    /// A whole number.
    Whole(u64),
    /// A decimal number.
    Share(&'static str),
    /// A word or a text.
    Word(&'static str),
    /// Something that the system computes, in words.
    Computed(&'static str),
    /// It has no effect.
    Unset,
}
