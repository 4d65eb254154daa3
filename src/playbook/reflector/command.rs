//! What a shell command does, by its words.

/// The names of programs that run tests, besides `test` as the argument of another program.
const TEST_PROGRAMS: [&str; 13] = [
    "pytest",
    "unittest",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "phpunit",
    "ctest",
    "tox",
    "nox",
    "nextest",
    "ava",
    "playwright",
];

/// A shell command.
#[derive(Debug)]
pub(super) struct Command {
    /// Whether it runs tests.
    pub(super) tests: bool,
    /// Whether it installs something.
    pub(super) installs: bool,
    /// Whether it asks for the state of a git repository.
    pub(super) asks_git_status: bool,
}

impl Command {
    pub(super) fn parse(text: &str) -> Self {
        let mut all = Self { tests: false, installs: false, asks_git_status: false };
        for simple in text.split(['\n', ';', '&', '|']) {
            let words: Vec<&str> = simple.split_whitespace().collect();
            all.tests |= words.iter().enumerate().any(|(at, word)| runs_tests(at, word));
            all.installs |= words.iter().skip(1).any(|word| matches!(*word, "install" | "add" | "ci" | "sync"))
                && words.first() != Some(&"git");
            all.asks_git_status |= words.first() == Some(&"git") && words.contains(&"status");
        }
        all
    }
}

/// Whether the word at this position of a command runs tests, such as `pytest`, or `test` in `cargo test` and in
/// `npm run test:unit`. `test` as the first word compares values.
fn runs_tests(at: usize, word: &str) -> bool {
    let program = word.rsplit('/').next().unwrap_or(word);
    let is_target = at > 0 && !word.contains('/') && word.split(':').any(|part| part == "test");
    is_target || TEST_PROGRAMS.contains(&program)
}
