//! What describes a system.

use super::adjustment::Adjustment;
use super::draft::Draft;
use super::setting::{Options, Section, Setting};
use super::syntax::Syntax;
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
    /// Paths of parts that need a `type`, and the type that they have if they are new.
    pub typed_parts: &'static [(&'static str, &'static str)],
    /// What the system can do about large contexts: the options and values that `trimtab suggest` tries.
    pub adjustments: &'static [Adjustment],
    /// The formats of the recordings that it writes itself. While it recorded, its own settings applied.
    pub recordings: &'static [&'static str],
    /// Turns the values of the options into rules, and says of each what it became.
    pub(super) policy: fn(&Values<'_>, &mut Draft<'_>),
}

impl System {
    /// Its options.
    pub(super) const fn options(&self) -> Options {
        Options {
            name: self.name,
            title: self.title,
            version: self.version,
            date: self.date,
            sections: self.sections,
            settings: self.settings,
        }
    }
}
