//! Streams of OpenAI Responses.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::request::provider_error;
use crate::request::stream::assembler::{Assembled, Assembler};
use crate::request::stream::value::{error, field, index, kind, merge};

/// The items that are done, and the response as the last event has it.
#[derive(Debug, Default)]
pub(super) struct ResponsesStream {
    response: Option<Json>,
    items: BTreeMap<u64, Json>,
    is_complete: bool,
    error: Option<String>,
}

impl Assembler for ResponsesStream {
    fn add(&mut self, event: Json) -> bool {
        let response = || field(&event, "response").cloned();
        match kind(&event) {
            "response.created" | "response.in_progress" | "response.queued" => self.response = response(),
            "response.output_item.done" => {
                if let Some(item) = field(&event, "item") {
                    let next = || self.items.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
                    self.items.insert(index(&event, "output_index").unwrap_or_else(next), item.clone());
                }
            }
            // A response that has reached the limit of its length is a reply like any other.
            "response.completed" | "response.incomplete" => {
                (self.response, self.is_complete) = (response().or(self.response.take()), true);
            }
            "response.failed" | "response.cancelled" => {
                let response = response();
                self.error = response.as_ref().and_then(error).or(Some(String::new()));
                self.response = response.or(self.response.take());
            }
            "error" => {
                let text = error(&event).or_else(|| provider_error(&event).map(str::to_owned));
                self.error = text.or(Some(String::new()));
            }
            _ => return false,
        }
        self.is_complete || self.error.is_some()
    }

    fn finish(self: Box<Self>) -> Assembled {
        let Self { response, items, is_complete, error } = *self;
        let has_output =
            response.as_ref().and_then(|response| response.get("output")?.as_array()).is_some_and(|output| {
                // Some servers leave the items out of the response at the end.
                !output.is_empty() && (is_complete || output.len() >= items.len())
            });
        let body = match response {
            Some(response) if has_output => Some(response),
            None if items.is_empty() => None,
            response => {
                let mut body = response.filter(Json::is_object).unwrap_or_else(|| json!({}));
                merge(&mut body, &json!({ "output": items.into_values().collect::<Vec<_>>() }));
                Some(body)
            }
        };
        Assembled { body: body.map(|body| body.to_string()), is_complete, error }
    }
}
