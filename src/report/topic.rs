//! Topics: pages of `explain` for words that people search for and that name no single thing of the language.
//!
//! A topic is one file and two lines here: `mod` and the entry in [`TOPICS`].

mod cost;
mod counter;
mod duplicates;
mod loops;
mod outcomes;
mod settings;
mod summaries;
mod tests;
mod time;
mod window;

/// A topic: what it is called, what people ask for, and what to read next.
#[derive(Debug)]
pub struct Topic {
    /// Its name.
    pub name: &'static str,
    /// Other words that lead to it.
    pub aliases: &'static [&'static str],
    /// What there is to know, in a few sentences.
    pub summary: &'static str,
    /// Terms, each with what it means.
    pub terms: &'static [(&'static str, &'static str)],
    /// Entries to read next, by their ids; tests check them.
    pub see: &'static [&'static str],
    /// A policy file, or a command line behind `$`; tests check them.
    pub examples: &'static [&'static str],
}

/// All topics, in alphabetical order.
pub static TOPICS: &[&Topic] = &[
    &cost::TOPIC,
    &counter::TOPIC,
    &duplicates::TOPIC,
    &loops::TOPIC,
    &outcomes::TOPIC,
    &settings::TOPIC,
    &summaries::TOPIC,
    &tests::TOPIC,
    &time::TOPIC,
    &window::TOPIC,
];

impl Topic {
    /// Whether a word leads to it.
    pub fn is_about(&self, word: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|name| name.eq_ignore_ascii_case(word))
    }
}
