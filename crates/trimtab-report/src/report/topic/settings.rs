//! The topic `settings`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "settings",
    aliases: &["setting", "configuration", "config", "trimtab.toml", "profile", "profiles"],
    summary: "`trimtab.toml` holds the settings of a project: host profiles, lints and their severities, and what `ci` \
              checks. Trimtab reads the nearest file, starting at the first path and going up. `--config FILE` names \
              another file, `--isolated` reads none, and `--profile NAME` selects a host profile.",
    terms: &[
        (
            "profiles",
            "Host profiles: the model, window, reserve, overhead and tools of one place where the policy runs. The default profile fills gaps of the `agent` block; a profile that `--profile` names overrides it.",
        ),
        ("lint", "The selected lints, their severities and options."),
        ("ci", "The paths of the policies, and what makes the check fail."),
        ("simulate", "Recordings that `ci` replays, each with its expectations."),
    ],
    see: &["agent", "window"],
    examples: &["$ trimtab validate trimtab.toml"],
};
