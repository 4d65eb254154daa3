//! A summary of a single result: its beginning and its end.

use trimtab_base::conversation::Counter;
use trimtab_language::effect::{SummaryRequest, single_result, summary_counter};
use trimtab_model::model::TokenCounter;

use super::quote::{Extent, quote_ends};

/// The part of a result that is quoted if the request has no limit.
const QUOTED_PART: usize = 4;

/// The summary, if the request is for one of a single result.
pub(super) fn summary(request: &SummaryRequest) -> Option<String> {
    let result = single_result(&request.messages)?.message().results().next()?;
    let estimate = TokenCounter::default();
    let counter: &dyn Counter = summary_counter(&request.messages).unwrap_or(&estimate);
    let length = result.text.chars().count();
    let quoted = |chars: usize| quote_ends(&result.text, Extent { lines: usize::MAX, chars });
    let Some(most) = request.at_most else { return Some(quoted(length / QUOTED_PART)) };
    // A longer quotation can count a token less, so that the bisection is part of the result.
    let (mut fits, mut exceeds) = (0, length + 1);
    while exceeds - fits > 1 {
        let middle = fits.midpoint(exceeds);
        if counter.text(&quoted(middle)) <= most { fits = middle } else { exceeds = middle }
    }
    Some(quoted(fits))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trimtab_base::conversation::{Bytes, Conversation, Entry, Message, Part, Role};
    use trimtab_language::effect::{summarised, summarised_result};

    use super::*;

    fn result(text: &str) -> Entry {
        let mut conversation = Conversation::default();
        conversation.push(Message::new(Role::Tool, vec![Part::result("c", text, false)]), &Bytes);
        conversation.entries()[0].clone()
    }

    fn request(text: &str, at_most: Option<u64>) -> SummaryRequest {
        let messages = summarised_result(result(text), Arc::new(TokenCounter::default()));
        SummaryRequest { messages, at_most, ..SummaryRequest::default() }
    }

    #[test]
    fn a_summary_of_a_result_has_its_ends_and_at_most_the_requested_length() {
        let text: String = (0..400).map(|line| format!("line {line} of a log\n")).collect();
        let short = summary(&request(&text, Some(60))).expect("a summary");
        assert!(short.starts_with("line 0 of a log\n") && short.ends_with("line 399 of a log"), "{short}");
        let tokens = Counter::text(&TokenCounter::default(), &short);
        assert!((40..=60).contains(&tokens), "{tokens}");
        let long = summary(&request(&text, None)).expect("a summary");
        assert!(short.len() < long.len() && long.len() < text.len() / 3);
        assert_eq!(summary(&request("a line", Some(60))).as_deref(), Some("a line"));
    }

    #[test]
    fn other_requests_are_for_other_summaries() {
        assert_eq!(summary(&SummaryRequest::default()), None);
        // A result that is all that a summary of the conversation stands for.
        let messages = summarised([result("a line")], Arc::new(TokenCounter::default()));
        assert_eq!(summary(&SummaryRequest { messages, ..SummaryRequest::default() }), None);
    }
}
