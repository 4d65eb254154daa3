//! The topic `settings`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "settings",
    aliases: &["setting", "configuration", "config", "trimtab.toml", "profile", "profiles"],
    summary: "`trimtab.toml` holds what a project has settled for all its policies: profiles of hosts, lints and their \
              severities, what `ci` checks. The nearest file counts, from the first path upward; `--config FILE` names \
              another, `--isolated` reads none, `--profile NAME` chooses a host.",
    terms: &[
        ("profiles", "Hosts: model, window, reserve, overhead and tools, for what the `agent` block does not say."),
        ("lint", "Which lints are on, their severities and options."),
        ("ci", "Where policies are, and what fails the check."),
        ("simulate", "Recordings that `ci` replays, with what it expects of them."),
    ],
    see: &["agent", "window"],
    examples: &["$ trimtab validate trimtab.toml"],
};
