//! Options of lints and their values.

use trimtab_base::quantity::{Decimal, Quantity, Unit};

/// An option of a lint. Each is a static of its own: values are stored by its address.
#[derive(Debug)]
pub struct LintOption {
    /// Its name in snake case.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Its default value; a share is a fraction of one.
    pub default: Decimal,
    /// What it means.
    pub summary: &'static str,
}

/// The options that are set, with their values.
#[derive(Clone, Debug, Default)]
pub struct OptionValues(Vec<(&'static LintOption, Quantity)>);

impl OptionValues {
    /// Sets an option; a later value replaces an earlier one.
    pub(super) fn set(&mut self, option: &'static LintOption, value: Quantity) {
        self.0.retain(|(other, _)| !std::ptr::eq(*other, option));
        self.0.push((option, value));
    }

    /// The value of an option, or its default.
    pub fn get(&self, option: &'static LintOption) -> Decimal {
        let set = self.0.iter().find(|(other, _)| std::ptr::eq(*other, option));
        set.map_or(option.default, |(_, value)| value.amount)
    }
}
