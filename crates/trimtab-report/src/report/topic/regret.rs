//! The topic `regret`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "regret",
    aliases: &["regrets", "needed later", "compaction misses", "quote", "quotes", "quoted", "quotation", "quotations"],
    summary: "Content that a policy removed and the recorded agent needed later. A replay counts for each rule the tool calls that were \
              made again after their result was reduced, and those that quote a string which the request no longer \
              contains. A rule with much regret removes too much. In a live session, the repeated calls are compaction misses. No rule can \
              read quotations; one can remove content by age with `keep`, and another bring a result back with `restore` when its call \
              is made again.",
    terms: &[],
    see: &["misses", "missed.tool", "compaction_miss", "restore", "keep"],
    examples: &["$ trimtab simulate policy.trim recording.jsonl --quotes"],
};
