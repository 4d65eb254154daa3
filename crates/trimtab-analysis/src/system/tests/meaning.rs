//! What single options mean, in both directions.

use trimtab_base::source::{Source, SourceId};

use super::generated::file_name;
use super::{has_error, lowered, meaning, source};
use crate::system::{Fidelity, SettingsLoss, System, find, import, write};

/// Settings of a system, and a part of the policy that they become.
const MEANINGS: &[(&str, &str, &str)] = &[
    ("opencode", "{\"compaction\": {\"preserve_recent_tokens\": 8000}}", "do summarise older keep 8k tokens"),
    ("opencode", "{\"compaction\": {\"tail_turns\": 3}}", "do summarise older keep 15k tokens"),
    ("opencode", "{\"compaction\": {\"tail_turns\": 0}}", "do summarise older keep 0 messages"),
    (
        "opencode",
        "{\"compaction\": {\"tail_turns\": 3, \"preserve_recent_tokens\": 1000000}}",
        "do summarise older keep 3 interactions",
    ),
    ("opencode", "{\"compaction\": {\"reserved\": 10000}}", "agent { reserve 10k tokens }"),
    (
        "opencode",
        "{\"provider\": {\"p\": {\"models\": {\"m\": {\"limit\": {\"context\": 60000}}}}}}",
        "do summarise older keep 7k tokens",
    ),
    (
        "opencode",
        "{\"provider\": {\"p\": {\"models\": {\"m\": {\"limit\": {\"context\": 60000, \"input\": 32000, \"output\": 4000}}}}}}",
        "agent { window 32k tokens reserve 4k tokens }",
    ),
    (
        "opencode",
        "{\"provider\": {\"p\": {\"models\": {\"m\": {\"limit\": {\"context\": 60000, \"input\": 32000, \"output\": 4000}}}}}}",
        "do summarise older keep 7k tokens",
    ),
    (
        "opencode",
        "{\"provider\": {\"p\": {\"models\": {\"m\": {\"limit\": {\"context\": 60000, \"input\": 32000, \"output\": 4000}}}}}, \"compaction\": {\"reserved\": 10000}}",
        "agent { window 32k tokens reserve 10k tokens }",
    ),
    (
        "opencode",
        "{\"provider\": {\"p\": {\"models\": {\"m\": {\"limit\": {\"context\": 60000, \"input\": 32000, \"output\": 64000}}}}}}",
        "agent { window 32k tokens reserve 20k tokens }",
    ),
    (
        "opencode",
        "{\"provider\": {\"p\": {\"models\": {\"m\": {\"limit\": {\"context\": 32000, \"output\": 4000}}}}}, \"compaction\": {\"reserved\": 10000}}",
        "agent { window 32k tokens reserve 4k tokens }",
    ),
    (
        "opencode",
        "{\"provider\": {\"p\": {\"models\": {\"m\": {\"limit\": {\"context\": 200000, \"output\": 64000}}}}}}",
        "agent { window 200k tokens reserve 32k tokens }",
    ),
    ("codex", "model_provider = 'a'", "do summarise all pin users within 20k tokens"),
    ("codex", "model_provider = 'a'", "do trim arrivals over 40256 chars to 40256 chars from middle including errors"),
    (
        "codex",
        "tool_output_token_limit = 300",
        "do trim arrivals over 1456 chars to 1456 chars from middle including errors",
    ),
    (
        "gemini-cli",
        "{\"contextManagement\": {\"tools\": {\"outputMasking\": {\"protectionThresholdTokens\": 20000}}}}",
        "do mask results keep 50k tokens",
    ),
    (
        "gemini-cli",
        "{\"tools\": {\"truncateToolOutputThreshold\": 5000}}",
        "do trim arrivals over 5k chars from ends 1k chars, 4k chars only [run_shell_command, mcp_*]",
    ),
    (
        "gemini-cli",
        "{\"model\": {\"compressionThreshold\": 0.4}}",
        ">= 40% and context.interactions > 1 do summarise older keep 1 interaction",
    ),
    (
        "gemini-cli",
        "{\"model\": {\"summarizeToolOutput\": {\"run_shell_command\": {\"tokenBudget\": 700}}}}",
        "do summarise arrivals over 700 chars at_most 700 tokens only [run_shell_command]",
    ),
    (
        "gemini-cli",
        "{\"model\": {\"summarizeToolOutput\": {\"run_shell_command\": {}}}}",
        "do summarise arrivals over 2k chars at_most 2k tokens only [run_shell_command]",
    ),
    ("gemini-cli", "{\"model\": {\"maxSessionTurns\": 40}}", "when session.calls >= 40"),
    ("hermes", "compression: { threshold: 0.8, target_ratio: 0.3 }", "do summarise older keep 36%"),
    ("hermes", "compression: { threshold: 0.6 }", "when context.ratio >= 75% do summarise older keep 22.5%"),
    (
        "hermes",
        "compression: { threshold: 1, target_ratio: 0.9 }",
        "when context.ratio >= 85% do summarise older keep 100%",
    ),
    ("hermes", "model: { context_length: 64000 }", "when context.ratio >= 85% do summarise older keep 25.5%"),
    (
        "hermes",
        "model: { context_length: 80000 }",
        "when context.tokens >= 64k tokens do summarise older keep 19.2k tokens",
    ),
    (
        "hermes",
        "model: { context_length: 70000 }\ncompression: { threshold: 0.95 }",
        "when context.ratio >= 95% do summarise older keep 28.5%",
    ),
    (
        "hermes",
        "model: { context_length: 70000 }\ncompression: { threshold: 1 }",
        "when context.ratio >= 85% do summarise older keep 25.5%",
    ),
    (
        "hermes",
        "model: { context_length: 1000000 }\ncompression: { threshold: 0.4 }",
        "when context.ratio >= 40% do summarise older keep 12%",
    ),
    (
        "hermes",
        "model: { context_length: 200000 }\ncompression: { threshold_tokens: 100000, target_ratio: 0.3 }",
        "when context.tokens >= 100k tokens do summarise older keep 45k tokens",
    ),
    (
        "hermes",
        "model: { context_length: 800000 }\ncompression: { tail_mode: lean }",
        "when context.ratio >= 50% do summarise older keep 30k tokens",
    ),
    ("hermes", "compression: { threshold_tokens: 100000 }", "do summarise older keep 30k tokens"),
    ("hermes", "compression: { tail_mode: lean }", "do summarise older keep 15k tokens"),
    (
        "hermes",
        "compression: { proactive_prune_tokens: 90000, protect_last_n: 12 }",
        "do mask results over 8k chars keep 12 messages",
    ),
    (
        "openclaw",
        "{\"agents\": {\"defaults\": {\"contextPruning\": {\"mode\": \"cache-ttl\", \"softTrim\": {\"headChars\": 3000, \
         \"tailChars\": 1000}}}}}",
        "do trim results over 4k chars from ends 3k chars, 1k chars",
    ),
    ("openhands", "[condenser]\ntype = 'recent'\nkeep_first = 4\n", "keep 96 messages pin first 3 messages"),
    ("openhands", "[condenser]\ntype = 'amortized'\nkeep_first = 4\n", "keep 46 messages pin first 3 messages"),
    (
        "openhands",
        "[core]\nmax_iterations = 9\n",
        "when context.messages > 240 messages do summarise older keep 117 messages pin first 1 message",
    ),
    (
        "openhands",
        "[condenser]\ntype = 'llm'\n",
        "when context.messages > 100 messages do summarise older keep 48 messages",
    ),
    (
        "openhands",
        "[condenser]\ntype = 'llm'\nmax_size = 40\nkeep_first = 2\n",
        "when context.messages > 40 messages do summarise older keep 17 messages pin first 1 message",
    ),
    (
        "openhands",
        "[condenser]\ntype = 'llm'\nmax_size = 240\nkeep_first = 5\n",
        "when context.messages > 240 messages do summarise older keep 114 messages pin first 4 messages",
    ),
    ("openhands", "[condenser]\nmax_size = 40\n", "from middle including errors } #: Ends a task"),
    ("openhands", "[agent]\nenable_history_truncation = true\n", "on overflow"),
    (
        "swe-agent",
        "agent: { history_processors: [{ type: last_n_observations, n: 5, polling: 4 }] }",
        "every 4 iterations",
    ),
    ("goose", "GOOSE_TOOL_CALL_CUTOFF: 12\n", "do summarise results over 1 token keep 12 results"),
    (
        "langchain",
        "{\"SummarizationMiddleware\": {\"trigger\": [\"fraction\", 0.8], \"keep\": [\"tokens\", 4000]}}",
        "do summarise older keep 4k tokens",
    ),
    (
        "langchain",
        "{\"SummarizationMiddleware\": {\"trigger\": [\"fraction\", 0.8], \"keep\": [\"fraction\", 0.3]}}",
        "do summarise older keep 30%",
    ),
    (
        "claude-code",
        "{\"env\": {\"CLAUDE_CODE_AUTO_COMPACT_WINDOW\": \"150000\", \"CLAUDE_CODE_MAX_OUTPUT_TOKENS\": \"8000\"}}",
        "when context.tokens >= 129k tokens",
    ),
    (
        "claude-code",
        "{\"env\": {\"CLAUDE_CODE_AUTO_COMPACT_WINDOW\": \"150000\", \"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE\": \"60\"}}",
        "when context.tokens >= 78k tokens",
    ),
];

fn system(name: &str) -> &'static System {
    find(name).unwrap()
}

#[test]
fn options_become_these_parts_of_a_policy() {
    for (name, text, part) in MEANINGS {
        let import = import(&source(&file_name(system(name)), text), system(name));
        assert!(!has_error(&import), "{text}\n{:?}", import.diagnostics);
        let flat = import.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(part), "{text}\n{part}\n{}", import.text);
    }
}

#[test]
fn these_parts_of_a_policy_are_written_as_the_options() {
    // An option of any model has no place in a new file.
    let has_place = |text: &str| !text.contains("\"provider\"");
    for (name, text, part) in MEANINGS.iter().filter(|(name, text, _)| system(name).is_target && has_place(text)) {
        let system = system(name);
        let plan = lowered(&import(&source(&file_name(system), text), system).tree).unwrap();
        let written = write(&plan, system, None).unwrap();
        assert!(written.losses.is_empty(), "{part}\n{}\n{:#?}", written.text, written.losses);
        let again = Source::new(SourceId::default(), file_name(system), written.text.as_str());
        assert_eq!(meaning(&lowered(&import(&again, system).tree).unwrap()), meaning(&plan), "{}", written.text);
    }
}

#[test]
fn tails_in_tokens_are_no_longer_lost() {
    let fidelity = |name: &str, text: &str, key: &str| {
        let import = import(&source(&file_name(system(name)), text), system(name));
        import.rows.iter().find(|row| row.option == key).unwrap().fidelity
    };
    for (name, text, key) in [
        ("opencode", "{\"compaction\": {\"preserve_recent_tokens\": 8000}}", "compaction.preserve_recent_tokens"),
        ("openclaw", MEANINGS.iter().find(|(name, ..)| *name == "openclaw").unwrap().1, HEAD),
        (
            "langchain",
            "{\"SummarizationMiddleware\": {\"trigger\": [\"tokens\", 9], \"keep\": [\"tokens\", 4]}}",
            "SummarizationMiddleware.keep",
        ),
    ] {
        assert_eq!(fidelity(name, text, key), Fidelity::Exact, "{key}");
    }
    for (name, key) in [
        ("codex", "messages of the user"),
        ("gemini-cli", "masking of old results"),
        ("hermes", "compression.target_ratio"),
        ("openhands", "agent.enable_history_truncation"),
    ] {
        assert_eq!(fidelity(name, "", key), Fidelity::Approximate, "{key}");
    }
}

const HEAD: &str = "agents.defaults.contextPruning.softTrim.headChars";

#[test]
fn a_reserve_and_a_threshold_are_found_together() {
    let text = "edition 2026\nagent { reserve 8k tokens }\npolicy p {\n  rule a { when context.tokens >= 129k tokens do summarise all on_failure keep }\n}\n";
    let plan = lowered(&trimtab_syntax::syntax::parse(&source("p.trim", text)).0).unwrap();
    let written = write(&plan, system("claude-code"), None).unwrap();
    let is_compaction = |loss: &SettingsLoss| {
        matches!(loss, SettingsLoss::Different { .. } | SettingsLoss::Agent { .. } | SettingsLoss::Missing { .. })
    };
    assert!(!written.losses.iter().any(is_compaction), "{}\n{:#?}", written.text, written.losses);
    let options: Vec<&str> = written.options.iter().map(|(key, _)| *key).collect();
    assert!(options.contains(&"env.CLAUDE_CODE_MAX_OUTPUT_TOKENS") && options.len() == 2, "{options:?}");
}

#[test]
fn a_number_of_messages_is_not_written_as_one_of_tokens() {
    let text = "edition 2026\nagent { reserve 8k tokens }\npolicy p {\n  rule a { when context.free <= 0 tokens do summarise older keep 8 messages on_failure stop }\n}\n";
    let plan = lowered(&trimtab_syntax::syntax::parse(&source("p.trim", text)).0).unwrap();
    let written = write(&plan, system("opencode"), None).unwrap();
    let tail = written.options.iter().find(|(key, _)| *key == "compaction.preserve_recent_tokens");
    assert!(tail.is_none(), "{}", written.text);
}
