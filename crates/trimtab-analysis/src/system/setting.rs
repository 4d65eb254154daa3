//! Descriptors of options.

use super::kind::Kind;

/// The options of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// The name of the system on the command line.
    pub(super) name: &'static str,
    /// Its name in sentences.
    pub(super) title: &'static str,
    /// The newest version of the system that the options were compared with.
    pub(super) version: &'static str,
    /// The month of the comparison.
    pub(super) date: &'static str,
    /// The maps that contain the options.
    pub(super) sections: &'static [Section],
    /// All options.
    pub(super) settings: &'static [&'static Setting],
}

/// A map of a settings file.
#[derive(Debug)]
pub struct Section {
    /// Its path; empty for the whole file.
    pub path: &'static str,
    /// The other keys of the map, or `None` if it may have any key: then only keys that resemble an option are reported
    /// as unknown.
    pub others: Option<&'static [&'static str]>,
    /// Whether all its values are strings, even numbers, as in an environment.
    pub has_strings: bool,
}

/// An option.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its path, with `.` between keys; `KEY[TYPE]` is the element of a list with this `type`, `*` any key.
    pub key: &'static str,
    /// The values that it takes.
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
    /// None: the option has no effect if it is not set.
    Unset,
}
