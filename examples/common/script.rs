//! A model that follows a script, so that an example needs no key.
//!
//! A line `> TEXT` is a request of a person. The lines after it are replies of the model: a tool with its argument, another
//! call of the same reply on a line that begins with `+`, or `say TEXT`. A reply without calls ends the request. `recall *`
//! recalls what was offloaded last.

use serde_json::{Value, json};

use super::tools;

/// Requests of a person, each with the replies to it.
pub(crate) struct Script(Vec<(String, Vec<Reply>)>);

/// A reply: its text and its calls, each a tool with its argument.
#[derive(Default)]
struct Reply {
    text: Option<String>,
    calls: Vec<(String, String)>,
}

impl Script {
    /// Reads a script.
    pub(crate) fn parse(text: &str) -> Self {
        let mut requests: Vec<(String, Vec<Reply>)> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(request) = line.strip_prefix("> ") {
                requests.push((request.to_owned(), Vec::new()));
                continue;
            }
            let Some((_, replies)) = requests.last_mut() else { continue };
            let call = line.strip_prefix("+ ");
            if call.is_none() || replies.is_empty() {
                replies.push(Reply::default());
            }
            let Some(reply) = replies.last_mut() else { continue };
            match call.unwrap_or(line).split_once(' ') {
                Some(("say", text)) => reply.text = Some(text.to_owned()),
                Some((tool, argument)) => reply.calls.push((tool.to_owned(), argument.to_owned())),
                None => {}
            }
        }
        Self(requests)
    }

    /// What the person asks for after this many requests.
    pub(crate) fn request(&self, requests: usize) -> Option<&str> {
        self.0.get(requests).map(|(text, _)| text.as_str())
    }

    /// What the model replies to a request, with the usage that a provider would report.
    pub(crate) fn reply(&self, messages: &[Value], request: &str) -> Value {
        let is = |role: &'static str| move |message: &&Value| message["role"] == role;
        let requests = messages.iter().filter(is("user")).count();
        let replies =
            messages.iter().rev().take_while(|message| message["role"] != "user").filter(is("assistant")).count();
        let reply = self.0.get(requests.saturating_sub(1)).and_then(|(_, script)| script.get(replies));
        let mut message =
            json!({"role": "assistant", "content": reply.map_or(Some("Done."), |reply| reply.text.as_deref())});
        let calls = reply.map_or(&[][..], |reply| &reply.calls);
        if !calls.is_empty() {
            let call = |(at, (tool, argument)): (usize, &(String, String))| {
                let argument = if argument == "*" { newest_id(request) } else { argument };
                let arguments = json!({tools::parameter(tool): argument}).to_string();
                let id = format!("call_{requests}_{replies}_{at}");
                json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}})
            };
            message["tool_calls"] = calls.iter().enumerate().map(call).collect();
        }
        let usage = json!({"prompt_tokens": request.len() / 2, "completion_tokens": 30});
        json!({"choices": [{"message": message}], "usage": usage})
    }
}

/// The id in the last placeholder of a request.
fn newest_id(request: &str) -> &str {
    request.rsplit_once(r#"recall(\""#).and_then(|(_, id)| id.split('\\').next()).unwrap_or("none")
}
