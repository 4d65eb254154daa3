//! The scope of facts and guards: the run, or the session.

/// The scope of a count or a guard: how far back it remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// To the beginning of the run.
    #[default]
    Run,
    /// To the beginning of the session, over all runs.
    Session,
}

impl Scope {
    /// All of them, the shortest first.
    pub const ALL: [Self; 2] = [Self::Run, Self::Session];

    /// Their words in a policy.
    pub const WORDS: [&'static str; 2] = [Self::Run.word(), Self::Session.word()];

    /// The word in a policy.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Session => "session",
        }
    }

    /// The scope with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.word() == word)
    }
}
