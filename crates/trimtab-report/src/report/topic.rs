//! Topics: entries of `explain` for search terms that are not elements of the language.
//!
//! A topic is one file and two lines here: `mod` and the entry in [`TOPICS`].

mod accuracy;
mod agents;
mod cache;
mod cost;
mod counter;
mod duplicates;
mod images;
mod invariants;
mod labels;
mod loops;
mod markers;
mod messages;
mod outcomes;
mod protection;
mod regret;
mod sessions;
mod settings;
mod steps;
mod summaries;
mod tests;
mod time;
mod tools;
mod window;

/// A topic.
#[derive(Debug)]
pub struct Topic {
    /// Its name.
    pub name: &'static str,
    /// Other search terms for it.
    pub aliases: &'static [&'static str],
    /// A few sentences about it.
    pub summary: &'static str,
    /// Terms with their meanings.
    pub terms: &'static [(&'static str, &'static str)],
    /// The ids of related entries; tests check them.
    pub see: &'static [&'static str],
    /// Policy files, or command lines after `$`; tests check them.
    pub examples: &'static [&'static str],
}

/// All topics, in alphabetical order.
pub static TOPICS: &[&Topic] = &[
    &accuracy::TOPIC,
    &agents::TOPIC,
    &cache::TOPIC,
    &cost::TOPIC,
    &counter::TOPIC,
    &duplicates::TOPIC,
    &images::TOPIC,
    &invariants::TOPIC,
    &labels::TOPIC,
    &loops::TOPIC,
    &markers::TOPIC,
    &messages::TOPIC,
    &outcomes::TOPIC,
    &protection::TOPIC,
    &regret::TOPIC,
    &sessions::TOPIC,
    &settings::TOPIC,
    &steps::TOPIC,
    &summaries::TOPIC,
    &tests::TOPIC,
    &time::TOPIC,
    &tools::TOPIC,
    &window::TOPIC,
];

impl Topic {
    /// Whether a search term finds it.
    pub fn is_about(&self, word: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|name| name.eq_ignore_ascii_case(word))
    }
}
