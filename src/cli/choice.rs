//! Values of a flag from a table, such as output formats.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parses the name of an entry; `describe` gives its name and its line of help.
pub(super) fn choice<T: Sync>(
    table: &'static [&'static T],
    describe: fn(&T) -> (&'static str, &'static str),
) -> impl TypedValueParser<Value = &'static T> {
    let value = |t: &&T| {
        let (name, help) = describe(t);
        PossibleValue::new(name).help(help)
    };
    let values: Vec<PossibleValue> = table.iter().map(value).collect();
    // The parser lets only names of the table through.
    let find = move |name: String| table.iter().copied().find(|row| describe(row).0 == name).unwrap_or(table[0]);
    PossibleValuesParser::new(values).map(find)
}
