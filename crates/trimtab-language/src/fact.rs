//! Facts: the values that a condition can read at a moment of an agent's run.
//!
//! A fact is read from a moment (the conversation, its size, the run so far) and its arguments. It has no value when it
//! is unknown. The module knows no policies and changes nothing.
//!
//! To add a fact, add one file and two lines here: `mod` and the entry in [`FACTS`]. Other modules decide by the
//! fields of its descriptor, never by its name.

mod agent_depth;
mod agent_identity;
mod agent_name;
mod argument;
mod budget_calls;
mod budget_cost;
mod budget_time;
mod budget_tokens;
mod cache_warm;
mod call_arguments;
mod call_name;
mod calls;
mod changed;
mod compactions;
mod context_free;
mod context_interactions;
mod context_largest;
mod context_messages;
mod context_ratio;
mod context_results;
mod context_tokens;
mod cost;
mod cycles;
mod descriptor;
mod domain;
mod edits;
mod edits_path;
mod failed;
mod failures;
mod failures_same;
mod failures_steps;
mod failures_tools;
mod failures_total;
mod files_changed;
mod fired;
mod growth;
mod has_tool;
mod history;
mod host;
mod host_values;
mod idle;
mod iteration;
mod missed_tool;
mod misses;
mod model;
mod moment;
mod occurrences;
mod playbook_size;
mod reader;
mod recent;
mod repeats;
mod reported_ratio;
mod reported_tokens;
mod request;
mod request_mentions;
mod request_words;
mod result_error;
mod result_text;
mod result_tokens;
mod run;
mod scope;
mod session_calls;
mod session_cost;
mod session_log;
mod session_time;
mod session_tokens;
mod share_history;
mod share_persona;
mod share_tools;
mod since;
mod since_compaction;
mod since_user_message;
mod split;
mod stall;
mod tail;
mod tokens;
mod tools_calls;
mod tools_used;
mod used_tool;
mod var;
mod window;
mod within;

use trimtab_base::diagnostic;

pub use agent_identity::AgentIdentity;
pub use argument::{
    Arguments, CallsFrom, Parameter, ParameterKind, argument_texts, texts_argument, tool_names, tools_argument,
};
pub use descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic, Unknown};
pub use history::{Counts, Rules, RunHistory, Seen, SessionHistory, Spending, ToolUse};
pub use host::{host_fact_entry, host_fact_name, host_type, host_type_word, host_type_words, written_host_fact};
pub use host_values::HostValues;
pub use moment::Moment;
pub use reader::Facts;
pub use recent::{Recent, RecentDefault};
pub use request::Request;
pub use scope::Scope;
pub use session_log::SessionLog;
pub use split::ContextSplit;
pub use tail::TailCache;

/// All facts, in the order of the reference.
pub static FACTS: &[&Fact] = &[
    &context_tokens::FACT,
    &context_ratio::FACT,
    &context_free::FACT,
    &context_messages::FACT,
    &context_results::FACT,
    &context_interactions::FACT,
    &context_largest::FACT,
    &share_persona::FACT,
    &share_tools::FACT,
    &share_history::FACT,
    &reported_tokens::FACT,
    &reported_ratio::FACT,
    &model::FACT,
    &window::FACT,
    &agent_name::FACT,
    &agent_depth::FACT,
    &budget_tokens::FACT,
    &budget_cost::FACT,
    &budget_time::FACT,
    &budget_calls::FACT,
    &session_tokens::FACT,
    &session_cost::FACT,
    &session_time::FACT,
    &session_calls::FACT,
    &cost::FACT,
    &tokens::FACT,
    &idle::FACT,
    &cache_warm::FACT,
    &iteration::FACT,
    &run::FACT,
    &since_user_message::FACT,
    &failures::FACT,
    &failures_steps::FACT,
    &failures_total::FACT,
    &failures_tools::FACT,
    &failures_same::FACT,
    &repeats::FACT,
    &occurrences::FACT,
    &edits::FACT,
    &edits_path::FACT,
    &misses::FACT,
    &missed_tool::FACT,
    &compactions::FACT,
    &since_compaction::FACT,
    &cycles::FACT,
    &stall::FACT,
    &call_name::FACT,
    &call_arguments::FACT,
    &result_tokens::FACT,
    &result_text::FACT,
    &result_error::FACT,
    &request_words::FACT,
    &request_mentions::FACT,
    &has_tool::FACT,
    &used_tool::FACT,
    &var::FACT,
    host::FACT,
    &tools_used::FACT,
    &tools_calls::FACT,
    &calls::FACT,
    &files_changed::FACT,
    &playbook_size::FACT,
    &changed::FACT,
    &fired::FACT,
    &since::FACT,
    &failed::FACT,
];

/// The fact that counts the model calls of a run, for conditions that are built in code.
pub static ITERATION: &Fact = &iteration::FACT;

/// The fact with this name.
pub fn find(name: &str) -> Option<&'static Fact> {
    FACTS.iter().find(|fact| fact.name == name).copied()
}

/// Whether a word in a policy can only be the name of a fact: of one of the table, or of one that an `agent` block declares.
pub fn is_fact_name(word: &str) -> bool {
    find(word).is_some() || host_fact_name(word).is_some()
}

/// The fact whose name is nearest to a misspelt one.
pub fn nearest(name: &str) -> Option<&'static Fact> {
    diagnostic::nearest(name, FACTS.iter().map(|fact| fact.name)).and_then(find)
}

#[cfg(test)]
mod tests;
