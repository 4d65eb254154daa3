//! Whether tools and shell commands only read.

use crate::conversation::{CHANGING, has_word};

/// Words in the names of tools that read. Tools without such a word count as changing something, so that an unknown tool
/// is listed rather than forgotten.
const READING: &[&str] = &[
    "read",
    "view",
    "get",
    "list",
    "ls",
    "search",
    "find",
    "grep",
    "glob",
    "fetch",
    "cat",
    "open",
    "show",
    "query",
    "lookup",
    "look",
    "check",
    "inspect",
    "describe",
    "browse",
    "think",
    "calculate",
    "retrieve",
    "tree",
    "stat",
    "ask",
    "status",
    "output",
    "todo",
    "todos",
    "plan",
];

/// Words in the names of tools that run commands.
const SHELL: &[&str] = &["bash", "shell", "sh", "zsh", "terminal", "exec", "execute", "command", "cmd", "powershell"];

/// Programs that only read, as long as their output is not redirected.
const READING_PROGRAMS: &[&str] = &[
    "awk", "basename", "cat", "cd", "cut", "date", "df", "diff", "dirname", "du", "echo", "env", "export", "file",
    "find", "grep", "head", "jq", "less", "ls", "nl", "printf", "ps", "pwd", "readlink", "rg", "sed", "sleep", "sort",
    "stat", "tail", "tr", "tree", "true", "type", "uniq", "wc", "which",
];

/// Subcommands of git that only read.
const READING_GIT: &[&str] =
    &["blame", "branch", "diff", "fetch", "grep", "log", "remote", "rev-parse", "show", "status"];

/// The longest command that is examined, in bytes. A longer one contains a program or a file.
const MAX_COMMAND: usize = 4_000;

/// Whether the name of a tool, or the action that it was given, says that it only reads.
pub(super) fn only_reads(name: &str) -> bool {
    has_word(name, READING) && !has_word(name, CHANGING)
}

/// Whether the name of a tool says that it runs commands.
pub(super) fn runs_commands(name: &str) -> bool {
    has_word(name, SHELL)
}

/// Whether each program in a shell command only reads.
pub(super) fn command_only_reads(command: &str) -> bool {
    if command.len() > MAX_COMMAND {
        return false;
    }
    let command = command.replace("2>&1", "").replace("2>/dev/null", "").replace("2> /dev/null", "");
    !command.contains('>') && command.split([';', '|', '&', '\n']).all(part_only_reads)
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
pub(super) fn main_part(command: &str) -> &str {
    let mut rest = command.trim_start();
    while let Some((directory, after)) = rest.strip_prefix("cd ").and_then(|text| text.split_once("&&"))
        && !directory.contains(['\n', ';', '|'])
    {
        rest = after.trim_start();
    }
    rest
}

/// What identifies a command: its first two words that are not options. Attempts at the same thing often differ in the rest.
pub(super) fn identity(command: &str) -> String {
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    let second = words.find(|word| !word.starts_with('-'));
    second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_only_read_are_told_by_the_words_of_their_names() {
        assert!(["read_file", "ReadFile", "mcp__web__search", "Grep", "get_user"].into_iter().all(only_reads));
        assert!(!["write_note", "getAndUpdate", "spread", "搜索", "book_reservation", ""].into_iter().any(only_reads));
        assert!(runs_commands("execute_bash") && runs_commands("Bash") && !runs_commands("publish"));
    }

    #[test]
    fn commands_that_only_read_are_told_by_their_programs() {
        for command in ["cd a && ls -la | head", "A=1 /bin/cat x 2>&1", "git -P log; git diff", "sed -n 1,5p x", ""] {
            assert!(command_only_reads(command), "{command}");
        }
        for command in
            ["echo a > b", "ls && make", "git commit -m x", "sed -i s/a/b/ x", "find . -delete", "cat <<E >x"]
        {
            assert!(!command_only_reads(command), "{command}");
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
