//! What a shell command does, by its words.

/// Programs that only read, as long as their output is not redirected.
const READING_PROGRAMS: &[&str] = &[
    "awk", "basename", "cat", "cd", "cut", "date", "df", "diff", "dirname", "du", "echo", "env", "export", "file",
    "find", "grep", "head", "jq", "less", "ls", "nl", "printf", "ps", "pwd", "readlink", "rg", "sed", "sleep", "sort",
    "stat", "tail", "tr", "tree", "true", "type", "uniq", "wc", "which",
];

/// Subcommands of git that only read.
const READING_GIT: &[&str] =
    &["blame", "branch", "diff", "fetch", "grep", "log", "remote", "rev-parse", "show", "status"];

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

/// The longest command that is examined, in bytes. A longer one contains a program or a file.
const MAX_COMMAND: usize = 4_000;

/// A shell command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellCommand(String);

impl ShellCommand {
    pub(super) const fn new(text: String) -> Self {
        Self(text)
    }

    /// Whether each of its programs only reads.
    pub fn only_reads(&self) -> bool {
        if self.0.len() > MAX_COMMAND {
            return false;
        }
        let command = self.0.replace("2>&1", "").replace("2>/dev/null", "").replace("2> /dev/null", "");
        !command.contains('>') && command.split(SEPARATORS).all(part_only_reads)
    }

    /// Whether it runs tests.
    pub fn tests(&self) -> bool {
        self.parts().any(|words| words.iter().enumerate().any(|(at, word)| runs_tests(at, word)))
    }

    /// Whether it installs something.
    pub fn installs(&self) -> bool {
        self.parts().any(|words| {
            let installs = words.iter().skip(1).any(|word| matches!(*word, "install" | "add" | "ci" | "sync"));
            installs && words.first() != Some(&"git")
        })
    }

    /// Whether it asks for the state of a git repository.
    pub fn asks_git_status(&self) -> bool {
        self.parts().any(|words| words.first() == Some(&"git") && words.contains(&"status"))
    }

    /// The words of each of its simple commands.
    fn parts(&self) -> impl Iterator<Item = Vec<&str>> {
        self.0.split(SEPARATORS).map(|part| part.split_whitespace().collect())
    }
}

/// What separates simple commands.
const SEPARATORS: [char; 4] = ['\n', ';', '&', '|'];

/// Whether the word at this position of a command runs tests, such as `pytest`, or `test` in `cargo test` and in
/// `npm run test:unit`. `test` as the first word compares values.
fn runs_tests(at: usize, word: &str) -> bool {
    let program = word.rsplit('/').next().unwrap_or(word);
    let is_target = at > 0 && !word.contains('/') && word.split(':').any(|part| part == "test");
    is_target || TEST_PROGRAMS.contains(&program)
}

fn part_only_reads(part: &str) -> bool {
    let mut words = part.split_whitespace().skip_while(|word| word.contains('=') || *word == "sudo");
    match words.next() {
        None => true,
        Some("git") => words.find(|word| !word.starts_with('-')).is_none_or(|word| READING_GIT.contains(&word)),
        Some("sed") => !words.any(|word| word.starts_with("-i") || word.starts_with("--in-place")),
        Some("find") => !words.any(|word| matches!(word, "-delete" | "-exec" | "-execdir" | "-ok")),
        Some(program) => READING_PROGRAMS.contains(&program.rsplit('/').next().unwrap_or(program)),
    }
}

/// A command without the changes of directory before it.
pub fn main_part(command: &str) -> &str {
    let mut rest = command.trim_start();
    while let Some((directory, after)) = rest.strip_prefix("cd ").and_then(|text| text.split_once("&&"))
        && !directory.contains(['\n', ';', '|'])
    {
        rest = after.trim_start();
    }
    rest
}

/// What identifies a command: its first two words that are not options. Attempts at the same thing often differ in the rest.
pub fn identity(command: &str) -> String {
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    let second = words.find(|word| !word.starts_with('-'));
    second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_only_read_are_told_by_their_programs() {
        let only_reads = |command: &str| ShellCommand::new(command.to_owned()).only_reads();
        for command in ["cd a && ls -la | head", "A=1 /bin/cat x 2>&1", "git -P log; git diff", "sed -n 1,5p x", ""] {
            assert!(only_reads(command), "{command}");
        }
        for command in
            ["echo a > b", "ls && make", "git commit -m x", "sed -i s/a/b/ x", "find . -delete", "cat <<E >x"]
        {
            assert!(!only_reads(command), "{command}");
        }
    }

    #[test]
    fn similar_commands_have_the_same_identity() {
        assert_eq!(identity("cargo test --all"), identity("cargo -q test a"));
        assert_eq!(identity("cargo"), "cargo");
        assert_eq!(identity("编译 项目 再"), "编译 项目");
        assert_eq!(main_part("cd /a && cd b && make x"), "make x");
        assert_eq!(main_part("cd /a"), "cd /a");
    }
}
