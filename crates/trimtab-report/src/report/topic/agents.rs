//! The topic `agents`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "agents",
    aliases: &["harness", "harnesses", "coding agent", "client"],
    summary: "The harness of an agent is the program that sends its requests and runs its tools, such as a coding agent. Many \
              harnesses compact the conversation themselves; a replay repeats what the recorded one did. The host runs the policy: \
              `trimtab run` and `trimtab proxy` between an agent and its provider, `trimtab hook` when a tool has returned, or a \
              program that uses the library. Facts such as `host.NAME` are known only if the host supplies them.",
    terms: &[],
    see: &["agent", "host", "compaction", "compactions", "given", "sessions"],
    examples: &["$ trimtab run agent.trim -- claude"],
};
