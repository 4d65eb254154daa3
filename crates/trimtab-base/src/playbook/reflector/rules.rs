//! The rules of the embedded reflector, in the order in which they are tried.

use super::step::Step;
use crate::tool_use::{Intent, ShellCommand};

/// A pattern of calls and the strategy that it suggests.
pub(super) struct ReflectionRule {
    /// How certain it is that the strategy is useful, in percent.
    pub(super) confidence: u8,
    /// The category of the strategy.
    pub(super) category: &'static str,
    /// The strategy.
    pub(super) content: &'static str,
    /// Whether the calls, and whether one of them failed, match the pattern.
    pub(super) matches: fn(&[Step], bool) -> bool,
}

/// All rules.
pub(super) static RULES: [ReflectionRule; 11] = [
    ReflectionRule {
        confidence: 75,
        category: "file_operations",
        content: "List a directory before reading files in it, so that every path is known to exist.",
        matches: |steps, _| is_before(steps, Intent::List, Intent::Read),
    },
    ReflectionRule {
        confidence: 80,
        category: "file_operations",
        content: "Read a file before changing it, so that the change fits what is there.",
        matches: |steps, _| is_before(steps, Intent::Read, Intent::Write),
    },
    ReflectionRule {
        confidence: 70,
        category: "code_navigation",
        content: "Read all files that belong to a question before answering it.",
        matches: |steps, _| count(steps, Intent::Read) >= 3,
    },
    ReflectionRule {
        confidence: 80,
        category: "code_navigation",
        content: "Search for a name first, then read only the files that contain it.",
        matches: |steps, _| is_before(steps, Intent::Search, Intent::Read),
    },
    ReflectionRule {
        confidence: 70,
        category: "code_navigation",
        content: "Search for several spellings of a name before concluding that it does not occur.",
        matches: |steps, _| count(steps, Intent::Search) >= 2,
    },
    ReflectionRule {
        confidence: 85,
        category: "testing",
        content: "Run the tests after each change of the code.",
        matches: |steps, _| count(steps, Intent::Write) > 0 && commands(steps).any(ShellCommand::tests),
    },
    ReflectionRule {
        confidence: 70,
        category: "testing",
        content: "Read the tests before running them, to know what they expect.",
        matches: |steps, _| {
            let reads_tests = steps.iter().any(|step| step.intent == Intent::Read && step.is_test_file);
            reads_tests && commands(steps).any(ShellCommand::tests)
        },
    },
    ReflectionRule {
        confidence: 80,
        category: "shell_commands",
        content: "Install dependencies before running a program that needs them.",
        matches: |steps, _| {
            let mut later = commands(steps).skip_while(|command| !command.installs());
            later.any(|command| !command.installs())
        },
    },
    ReflectionRule {
        confidence: 75,
        category: "version_control",
        content: "Ask for the git status before other commands that depend on the working tree.",
        matches: |steps, _| {
            commands(steps).any(ShellCommand::asks_git_status)
                && commands(steps).any(|command| !command.asks_git_status())
        },
    },
    ReflectionRule {
        confidence: 70,
        category: "error_handling",
        content: "When a file cannot be read, list its directory and check the path before trying again.",
        matches: |steps, has_failed| has_failed && count(steps, Intent::Read) > 0,
    },
    ReflectionRule {
        confidence: 65,
        category: "error_handling",
        content: "When a command fails, read its whole output before running it again.",
        matches: |steps, has_failed| has_failed && count(steps, Intent::Run) > 0,
    },
];

fn count(steps: &[Step], intent: Intent) -> usize {
    steps.iter().filter(|step| step.intent == intent).count()
}

/// Whether some call of one intent comes before one of another.
fn is_before(steps: &[Step], first: Intent, second: Intent) -> bool {
    let mut later = steps.iter().skip_while(|step| step.intent != first);
    later.any(|step| step.intent == second)
}

fn commands(steps: &[Step]) -> impl Iterator<Item = &ShellCommand> {
    steps.iter().filter_map(|step| step.command.as_ref())
}
