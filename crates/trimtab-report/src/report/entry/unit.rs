//! Units as entries of the reference.

use trimtab_base::quantity::{Counted, Unit};

use super::Entry;

/// All units that a policy can contain.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    let without_word = [("share", Unit::Share), ("duration", Unit::Duration), ("money", Unit::Money)];
    let words = Unit::words().filter_map(|word| Some((word, Unit::from_word(word)?)));
    without_word.into_iter().chain(words).map(|(id, unit)| entry(id, unit))
}

fn entry(id: &str, unit: Unit) -> Entry {
    Entry {
        kind: "unit",
        id: id.to_owned(),
        form: format!("such as {}", unit.sample()),
        summary: meaning(unit).to_owned(),
        parts: Vec::new(),
        examples: Vec::new(),
        links: Vec::new(),
    }
}

fn meaning(unit: Unit) -> &'static str {
    match unit {
        Unit::Share => "A share of the context window, or of another constant, in percent.",
        Unit::Tokens => "Tokens of the model; `k` stands for a thousand, `M` for a million.",
        Unit::Chars => "Characters of a text.",
        Unit::Duration => "A duration in hours, minutes and seconds, such as `8m30s`.",
        Unit::Money => "US dollars.",
        Unit::Counted(Counted::Messages) => "Messages of the conversation.",
        Unit::Counted(Counted::Results) => "Tool results.",
        Unit::Counted(Counted::Images) => "Images, in messages and in tool results.",
        Unit::Counted(Counted::Calls) => "Tool calls, or model calls for facts that count those.",
        Unit::Counted(Counted::Interactions) => "A message from a person and everything up to the next one.",
        Unit::Counted(Counted::Iterations) => "Model calls of a run.",
        Unit::Counted(Counted::Strategies) => "Strategies of a playbook.",
        Unit::Counted(Counted::Count) => "A count, written without a unit.",
    }
}
