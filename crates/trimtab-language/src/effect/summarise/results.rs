//! `summarise results`: replaces the content of each of several results with a summary of its own.

use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Edit, Entry, Level, MessageId};
use trimtab_base::quantity::{Quantity, Unit};

use crate::effect::label::Handle;
use crate::effect::reduction::{self, ARRIVALS, Errors, RESULTS};
use crate::effect::selection::{Reduced, Selection};
use crate::effect::summary::{RESULT_PROMPT, SummaryOptions};
use crate::effect::{
    Arguments, EffectContext, EffectOutput, Label, LabelDefault, Operation, SummaryRequest, summarised_entries,
};

/// The targets that are results.
pub(super) const TARGETS: &[&str] = &[RESULTS.name, ARRIVALS.name];

pub(super) static OVER: Handle<Option<Quantity>> = {
    let over = reduction::over(TARGETS);
    Handle { label: Label { default: LabelDefault::Number(1000, Unit::Tokens), ..over.label }, ..over }
};
pub(super) static EXCEPT: Handle<Option<Vec<SmolStr>>> = of_results(&reduction::EXCEPT);
pub(super) static ONLY: Handle<Option<Vec<SmolStr>>> = of_results(&reduction::ONLY);
pub(super) static ERRORS: Handle<Errors> = of_results(&reduction::ERRORS);
pub(super) static INCLUDING: Handle<bool> = of_results(&reduction::INCLUDING);

/// How often the summary of a result may fail before the rule leaves the result alone.
const MOST_FAILURES: u64 = 3;

/// A label for these targets only.
const fn of_results<T>(handle: &Handle<T>) -> Handle<T> {
    Handle { label: Label { targets: TARGETS, ..handle.label }, read: handle.read }
}

/// The text of a result with its summary.
fn result_text(tool: &str, summary: &str) -> String {
    format!("[summary of the tool result for {tool}]\n{summary}")
}

#[derive(Debug)]
pub(super) struct SummariseResults {
    selection: Selection,
    options: SummaryOptions,
}

impl SummariseResults {
    /// With the tail that is kept.
    pub(super) fn new(arguments: &Arguments, kept: Quantity) -> Self {
        Self { selection: Selection::with_tail(arguments, kept, &OVER), options: SummaryOptions::new(arguments) }
    }
}

impl Operation for SummariseResults {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        // How long a summary will be is not known. An empty text stands for it.
        let failures = |entry: &Entry| context.failed.and_then(|failed| failed.get(&entry.id())).copied();
        let found = self.selection.reduce(context, |entry, _, part| {
            let is_result = matches!(part.body, Body::ToolResult(_)) && !part.level.is_replaced();
            let is_result = is_result && failures(entry).is_none_or(|failures| failures < MOST_FAILURES);
            is_result.then(|| Reduced { body: Some(part.body.with_text("")), level: Level::Masked })
        });
        let EffectOutput::Edits { edits, progress, .. } = &found else { return found };
        if edits.is_empty() {
            return found;
        }
        let request = |message| self.options.request_for_result(context, message, RESULT_PROMPT);
        let requests = edits.iter().filter_map(reduced).filter_map(request).map(Arc::new).collect();
        EffectOutput::NeedsSummaries { requests, progress: *progress }
    }

    fn finish(
        &self,
        context: &EffectContext<'_>,
        request: &SummaryRequest,
        summary: &str,
    ) -> Result<Vec<Edit>, String> {
        let entries = context.conversation.entries();
        let asked = summarised_entries(&request.messages).first().map(Entry::id);
        let Some(at) = asked.and_then(|message| context.conversation.index(message)) else { return Ok(Vec::new()) };
        let entry = &entries[at];
        let mut results = entry.parts().filter_map(|(id, part)| match &part.body {
            Body::ToolResult(result) => Some((id, part, result)),
            _ => None,
        });
        let Some((part, old, result)) = results.next() else { return Ok(Vec::new()) };
        let summary = self.options.usable(context, summary)?;
        let tool = entry.tool().map_or(reduction::UNKNOWN_TOOL, |tool| tool.as_str());
        let text = result_text(tool, summary);
        let [new, before] = [text.as_str(), &result.text].map(|text| text.chars().count());
        if new >= before {
            return Err(format!("the summary has {new} characters, the result that it would replace has {before}"));
        }
        let (message, errors) = (entry.id(), self.selection.filter.errors.takes_errors());
        let body = Some(old.body.with_text(text));
        Ok(vec![Edit::Reduce { message, part, body, level: Level::Masked, errors }])
    }
}

/// The message of which an edit reduces a part.
const fn reduced(edit: &Edit) -> Option<MessageId> {
    match edit {
        Edit::Reduce { message, .. } => Some(*message),
        _ => None,
    }
}
