//! What describes an option.

use super::kind::Kind;

/// The options of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// The name of the system on the command line.
    pub(super) name: &'static str,
    /// Its name in sentences.
    pub(super) title: &'static str,
    /// The newest version that they were compared with.
    pub(super) version: &'static str,
    /// The month of that comparison.
    pub(super) date: &'static str,
    /// Where they are.
    pub(super) sections: &'static [Section],
    /// All of them.
    pub(super) settings: &'static [&'static Setting],
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
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its path, with `.` between keys; `KEY[TYPE]` is the element of a list with this `type`, `*` any key.
    pub key: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Its default value.
    pub default: DefaultValue,
    /// Its paths in other versions.
    pub aliases: &'static [&'static str],
    /// What it does, as a sentence.
    pub about: &'static str,
}

/// The documented default value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultValue {
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
