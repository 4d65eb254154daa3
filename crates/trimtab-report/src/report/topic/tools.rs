//! The topic `tools`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "tools",
    aliases: &["tool names", "block", "forbid", "deny", "allow", "case", "case-sensitive", "upper case", "lower case"],
    summary: "Names of tools are case-sensitive: `bash` is not `Bash`. A `*` at the end stands for any suffix. To block a tool, hide it with \
              `tools hide`. A model may still call a tool that it is not offered; a rule on `reply` can `stop` the run before the \
              host runs the call, but not behind the proxy, where the client already has the reply.",
    terms: &[],
    see: &["only", "except", "has_tool", "used_tool", "tools.calls", "call.name", "stop", "tool-never-seen"],
    examples: &[
        "edition 2026\npolicy careful {\n  rule no_deploy {\n    when not used_tool(run_tests)\n    do tools hide [deploy]\n  }\n}",
    ],
};
