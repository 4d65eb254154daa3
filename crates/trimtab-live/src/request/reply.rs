//! Replies of a provider.

use std::sync::Arc;

use trimtab_base::conversation::{Message, Usage};
use trimtab_recordings::transcript::api::{self, UnnamedCalls};

use super::dialect::{Dialect, Form};
use super::error::RequestError;
use super::json::Node;
use super::layout::valid;

/// The reply of a model, and the tokens of the call if the provider reports them.
pub type Reply = (Arc<Message>, Option<Usage>);

/// Reads a whole response body, the message in it alone, or for the Responses API a list of items.
///
/// # Errors
/// The JSON is not valid, or contains no reply of the model.
pub fn read_reply(dialect: Dialect, json: &str) -> Result<Reply, RequestError> {
    read_reply_after(dialect, &UnnamedCalls::default(), json)
}

/// Reads a reply like [`read_reply`], after a history with these calls.
///
/// # Errors
/// Those of [`read_reply`].
pub fn read_reply_after(dialect: Dialect, calls: &UnnamedCalls, json: &str) -> Result<Reply, RequestError> {
    let root = valid(json)?;
    if api::is_deep(json) {
        return Err(RequestError::new("at most 128 levels of nesting"));
    }
    let json = api::without_lone_surrogates(json);
    let root = if matches!(json, std::borrow::Cow::Borrowed(_)) { root } else { Node::of(&json) };
    let form = dialect.form();
    let usage = usage(form, &root);
    let message = (form.reply)(&root, &mut calls.clone())?;
    let model = message.model.clone().or_else(|| root.get_string(form.reply_model_key).map(Into::into));
    let usage = usage.or(message.usage);
    Ok((Arc::new(Message { usage, model, ..message }), usage))
}

/// The usage in a response body that may have no reply.
pub(super) fn read_usage(dialect: Dialect, json: &str) -> Option<Usage> {
    usage(dialect.form(), &valid(json).ok()?)
}

fn usage(form: &Form, body: &Node<'_>) -> Option<Usage> {
    (form.usage)(body.get(form.usage_key)?.raw())
}
