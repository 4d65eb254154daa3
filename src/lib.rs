//! Trimtab: a small declarative language for effect policies, the rules that steer an agent's context.
//!
//! A policy text is parsed, checked and compiled into a plan of built-in effects. The same plan is simulated
//! on recorded transcripts and runs inside a live agent loop. Rooms stand on floors; a room imports only
//! rooms on lower floors.

#![forbid(unsafe_code)]

// The rooms, floor by floor.
#[path = ""]
mod rooms {
    // floor 12: the command line
    #[cfg(feature = "cli")]
    pub mod cli;

    // floor 11: what reaches outside
    pub mod host;

    // floor 10: the stages in a chain
    pub mod pipeline;

    // floor 9: made readable
    #[cfg(feature = "lint")]
    pub mod report;

    // floor 8: the project's settings
    #[cfg(feature = "lint")]
    pub mod config;

    // floor 7: advice, tests, comparison
    #[cfg(feature = "lint")]
    pub mod diff;
    #[cfg(feature = "lint")]
    pub mod lint;
    #[cfg(feature = "lint")]
    pub mod test;

    // floor 6: replay
    pub mod simulate;

    // floor 5: plans over conversations
    pub mod run;

    // floor 4: policies to plans; conditions evaluated and decided
    pub mod condition;
    pub mod plan;

    // floor 3: trees to checked policies; trees to their one layout
    pub mod check;
    #[cfg(feature = "lint")]
    pub mod format;

    // floor 2: text to tree; the vocabulary; recordings to conversations
    pub mod effect;
    pub mod fact;
    pub mod guard;
    pub mod model;
    pub mod phase;
    pub mod syntax;
    pub mod transcript;

    // floor 1: messages to people; the conversation, its edits and invariants
    pub mod conversation;
    pub mod diagnostic;

    // floor 0: texts and numbers
    pub mod quantity;
    pub mod source;
}

pub use rooms::*;
