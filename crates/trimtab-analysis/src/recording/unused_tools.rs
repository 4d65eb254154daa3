//! Definitions of tools that were sent with every call and never called.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;
use trimtab_base::conversation::Usage;
use trimtab_base::quantity::Decimal;
use trimtab_model::model::{Models, TokenCounter};
use trimtab_recordings::transcript::Transcript;
use trimtab_run::run::tool_tokens;

/// The tokens that tool definitions took up. Only transcripts that contain definitions count, and only their calls with usage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolDefinitions {
    /// The transcripts that contain tool definitions.
    pub transcripts: usize,
    /// Their calls with usage.
    pub calls: usize,
    /// The sum of the contexts of these calls, in tokens.
    pub sent: u64,
    /// The tokens of definitions in them, by the estimate for the model.
    pub definitions: u64,
    /// For each tool, the transcripts that define it and never call it, and its tokens there.
    pub unused: BTreeMap<SmolStr, UnusedTool>,
}

/// A tool in the transcripts that define it and do not call it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnusedTool {
    /// How many transcripts define the tool and do not call it.
    pub transcripts: usize,
    /// The tokens of its definition; the largest, if definitions differ.
    pub tokens: u64,
    /// The tokens of its definition in all their calls with usage.
    pub sent: u64,
}

impl ToolDefinitions {
    /// The definitions of a transcript.
    pub fn of(transcript: &Transcript, models: &Models) -> Self {
        let estimate = |id: &SmolStr| TokenCounter::of_model(id, models).with_factor(models.factor(id));
        let counter = transcript.main_model().map_or_else(TokenCounter::default, estimate);
        let tokens = tool_tokens(&transcript.tools, counter);
        if tokens.is_empty() {
            return Self::default();
        }
        let called: BTreeSet<&SmolStr> =
            transcript.messages.iter().flat_map(|message| message.calls()).map(|(_, name, _)| name).collect();
        let replies = transcript.messages.iter().filter(|message| message.is_reply());
        let contexts = replies.filter_map(|reply| reply.usage).map(Usage::context).filter(|context| *context > 0);
        let (mut calls, mut sent) = (0_u64, 0_u64);
        for context in contexts {
            calls += 1;
            sent = sent.saturating_add(context);
        }
        let unused = tokens.iter().filter(|(name, _)| !called.contains(name)).map(|(name, tokens)| {
            (name.clone(), UnusedTool { transcripts: 1, tokens: *tokens, sent: tokens.saturating_mul(calls) })
        });
        Self {
            transcripts: 1,
            calls: usize::try_from(calls).unwrap_or(usize::MAX),
            sent,
            definitions: tokens.values().sum::<u64>().saturating_mul(calls),
            unused: unused.collect(),
        }
    }

    /// Adds those of other transcripts.
    pub fn add(&mut self, other: &Self) {
        self.transcripts += other.transcripts;
        self.calls += other.calls;
        self.sent = self.sent.saturating_add(other.sent);
        self.definitions = self.definitions.saturating_add(other.definitions);
        for (name, tool) in &other.unused {
            let own = self.unused.entry(name.clone()).or_default();
            own.transcripts += tool.transcripts;
            own.tokens = own.tokens.max(tool.tokens);
            own.sent = own.sent.saturating_add(tool.sent);
        }
    }

    /// The tokens of the definitions of tools that were not called, in all calls.
    pub fn unused_tokens(&self) -> u64 {
        self.unused.values().fold(0, |sum, tool| sum.saturating_add(tool.sent))
    }

    /// Returns these tokens as a share of everything that was sent, or `None` without usage.
    pub fn unused_share(&self) -> Option<Decimal> {
        Decimal::from(self.unused_tokens()).checked_div(Decimal::from(self.sent))
    }

    /// All unused tools, those that took up the most tokens first.
    pub fn by_tokens(&self) -> Vec<(&SmolStr, &UnusedTool)> {
        let mut tools: Vec<_> = self.unused.iter().collect();
        tools.sort_by_key(|(_, tool)| std::cmp::Reverse((tool.sent, tool.tokens)));
        tools
    }
}

#[cfg(test)]
mod tests {
    use trimtab_recordings::transcript;

    use super::*;

    /// A recording of two calls that defines two tools and calls one of them.
    const RECORDING: &str = concat!(
        r#"{"trimtab":1,"model":"gpt-5","tools":[{"name":"read","description":"Read a file.","schema":{"type":"object"}},{"name":"browse","description":"Open a page in the browser and wait until it has loaded.","schema":{"type":"object"}}]}"#,
        "\n",
        r#"{"role":"user","content":"go"}"#,
        "\n",
        r#"{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","arguments":{}}],"usage":{"input":1000}}"#,
        "\n",
        r#"{"role":"tool","content":[{"type":"tool_result","id":"1","content":"x"}]}"#,
        "\n",
        r#"{"role":"assistant","content":"done","usage":{"input":1500}}"#,
        "\n",
    );

    fn definitions(text: &str) -> ToolDefinitions {
        let read = transcript::read(text.as_bytes(), None).expect("a recording");
        ToolDefinitions::of(&read.transcripts[0], &Models::default())
    }

    #[test]
    fn a_definition_counts_at_every_call_of_a_recording_that_does_not_call_the_tool() {
        let found = definitions(RECORDING);
        assert_eq!((found.transcripts, found.calls, found.sent), (1, 2, 2500));
        let (name, tool) = found.by_tokens()[0];
        assert_eq!((name.as_str(), found.unused.len(), tool.sent), ("browse", 1, 2 * tool.tokens));
        assert!(tool.tokens > 10 && found.definitions > tool.sent, "{found:?}");
        assert_eq!(found.unused_share(), Some(Decimal::from(tool.sent) / Decimal::from(2500)));
    }

    #[test]
    fn a_recording_without_definitions_or_without_usage_has_no_share() {
        let without = definitions("{\"trimtab\":1,\"tools\":[\"read\"]}\n{\"role\":\"user\",\"content\":\"go\"}\n");
        assert_eq!(without, ToolDefinitions::default());
        let unmeasured = definitions(&RECORDING.replace("\"usage\"", "\"cost\""));
        assert_eq!((unmeasured.calls, unmeasured.unused_share()), (0, None));
        assert!(unmeasured.unused["browse"].tokens > 0);
    }

    #[test]
    fn a_tool_that_another_recording_calls_is_unused_where_it_is_not_called() {
        let mut all = definitions(RECORDING);
        all.add(&definitions(
            &RECORDING.replace("\"name\":\"read\",\"arguments\"", "\"name\":\"browse\",\"arguments\""),
        ));
        let counts: Vec<_> = all.unused.iter().map(|(name, tool)| (name.as_str(), tool.transcripts)).collect();
        assert_eq!((all.transcripts, all.calls, counts), (2, 4, vec![("browse", 1), ("read", 1)]));
    }
}
