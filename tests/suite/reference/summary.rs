//! `summarise` and `slide`: what is summarised, and the message that replaces it.

use std::collections::BTreeSet;

use trimtab::quantity::Decimal;

use super::attempt::Done;
use super::machine::{Machine, Spent};
use super::message::{Body, Level, Message, Origin, Part, Role, arguments_text, preview};
use super::print::HANDOVER;
use super::reduce::{Edit, Fate};
use super::rule::{Choice, Keep, Over, Range, Rule, Summary, Target};

const HEADER: &str = "[Conversation compacted: a summary stands for what came before]";
const END: &str = "[Go on with the next steps listed above; do not do again what is listed as done.]";
const CLOSING: &str = "[The conversation goes on below.]";
const RUNNING: &str = "[Context summary: what happened before the messages below]";

/// A request to the summariser.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) instructions: String,
    pub(super) previous: Option<String>,
    pub(super) transcript: String,
    pub(super) at_most: Option<u64>,
}

/// The summariser of both sides: what it answers depends on the request and on its number.
pub(super) fn answer(request: &Request, number: u64) -> Result<String, String> {
    let seed = number * 7 + request.transcript.chars().count() as u64;
    match seed % 11 {
        0..=4 => Ok(format!("S{number} ")),
        5 => Ok(format!("\n Summary {number}: wörtlich 漢字, with a few more words.\n")),
        6 => Ok(format!("Summary {number}. ").repeat(6)),
        7 => Ok(" \n".to_owned()),
        8 => Ok("much too long ".repeat(2000)),
        _ => Err(format!("no answer to {number}")),
    }
}

/// How a summary ended: with so many edits, or for a reason.
pub(super) enum Summarised {
    Done(usize),
    Failed(String),
}

impl Machine<'_> {
    /// Everything after the system prompt, or what is older than the tail.
    pub(super) fn summarise(&mut self, range: Range, summary: &Summary, retries: Option<u64>) -> Summarised {
        let end = match range {
            Range::All => Some(self.kept.len()),
            Range::Older(keep) => self.tail(keep.unwrap_or(Keep::Messages(10)), &|_| true),
        };
        let Some(end) = end.map(|end| self.whole_groups_before(end)) else { return Summarised::Done(0) };
        let removed = self.removable(end, &summary.pin, &summary.latest);
        // A summary of summaries holds nothing new.
        if removed.iter().all(|at| self.is_a_summary(*at)) {
            return Summarised::Done(0);
        }
        let first = removed.first().copied().unwrap_or_default();
        let is_system = |at: usize| self.kept[at].message.role == Role::System;
        let is_last = (first..self.kept.len()).all(|at| removed.contains(&at) || is_system(at));
        let closing = if is_last { END } else { CLOSING };
        let frame = |text: &str| format!("{HEADER}\n\n{text}\n\n{closing}");
        match self.replacement(&removed, None, summary, retries, &frame) {
            Ok(text) => {
                self.put_summary(&removed, &text, Origin::Summary);
                Summarised::Done(1)
            }
            Err(reason) => Summarised::Failed(reason),
        }
    }

    /// The results of a target, each by itself: how many, and why the first of those failed that did.
    pub(super) fn summarise_results(
        &mut self,
        target: Target,
        choice: &Choice,
        summary: &Summary,
        rule: &Rule,
        done: &mut Done,
    ) -> (usize, Option<String>) {
        let choice = Choice { over: Some(choice.over.unwrap_or(Over::Tokens(1000))), ..choice.clone() };
        let rule_at = self.current;
        let failures = |at: usize| self.failed_results.get(&(rule_at, self.kept[at].id)).copied().unwrap_or(0);
        let (found, _) = self.choose(target, &choice, Keep::Results(4), |at, part| {
            let is_open = !part.level.is_replaced() && failures(at) < 3;
            is_open.then(|| Fate::Becomes(part.body.with_text(String::new()), Level::Masked))
        });
        let (mut edits, mut failure) = (0, None);
        for (at, place, _) in found {
            let asked = self.result_request(at, place, summary);
            let body = self.part(at, place).body.clone();
            let tool = self.tool(at).unwrap_or("unknown").to_owned();
            let usable = |machine: &Self, text: &str| {
                let text = machine.usable(text, summary.at_most)?;
                let text = format!("[summary of the tool result for {tool}]\n{text}");
                let [new, old] = [&text, body.text().unwrap_or_default()].map(|text| text.chars().count());
                if new < old {
                    Ok(text)
                } else {
                    Err(format!("the summary has {new} characters, the result that it would replace has {old}"))
                }
            };
            match self.ask(&asked, rule.retries, &usable) {
                Ok(text) => {
                    edits += 1;
                    self.replace(vec![(at, place, Fate::Becomes(body.with_text(text), Level::Masked))], 0);
                }
                Err(reason) => {
                    *self.failed_results.entry((rule_at, self.kept[at].id)).or_default() += 1;
                    let goes_on = self.fail(rule, &reason, done);
                    failure = failure.or(Some(reason));
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        (edits, failure)
    }

    fn part(&self, at: usize, place: usize) -> &Part {
        self.kept[at].message.parts.iter().find(|part| part.place == place).expect("a part")
    }

    /// The request for a summary of a result.
    fn result_request(&self, at: usize, place: usize, summary: &Summary) -> Request {
        let call = self.call_of(at).map(|(tool, arguments)| {
            format!("[assistant] Called tool {tool}({})\n", preview(&arguments_text(&arguments), 200))
        });
        let Body::Result(answer) = &self.part(at, place).body else { unreachable!("a result") };
        let kind = if answer.is_error { "error" } else { "result" };
        let transcript = format!("{}[tool {kind}] {}\n", call.unwrap_or_default(), answer.text);
        let instructions = if summary.using { HANDOVER } else { self.agent.result_prompt }.to_owned();
        Request { instructions, previous: None, transcript, at_most: summary.at_most }
    }

    fn is_a_summary(&self, at: usize) -> bool {
        matches!(self.kept[at].message.origin, Origin::Summary | Origin::RunningSummary)
    }

    pub(super) fn slide(
        &mut self,
        (recent, medium, limit): (usize, usize, u64),
        summary: &Summary,
        retries: Option<u64>,
    ) -> Summarised {
        let recent_start = self.kept.len().saturating_sub(recent);
        let end = self.whole_groups_before(recent_start.saturating_sub(medium));
        let is_kept = |at: usize| self.is_pinned(at, &summary.pin) || self.has_latest(at, &summary.latest);
        let medium: Vec<usize> = (end..recent_start.max(end)).filter(|&at| !is_kept(at)).collect();
        let cuts = self.medium_cuts(&medium, limit);
        let running = |at: &usize| self.kept[*at].message.origin == Origin::RunningSummary;
        // There is one running summary at most, and it is extended wherever it stands.
        let previous = (0..self.kept.len()).find(running);
        let mut removed = self.removable(end, &summary.pin, &summary.latest);
        removed.extend(previous);
        if removed.iter().all(running) {
            let edits = cuts.len();
            self.replace(cuts, 0);
            return Summarised::Done(edits);
        }
        let previous_text = previous.map(|at| {
            let text: String = self.kept[at].message.texts().collect();
            text.strip_prefix(RUNNING).unwrap_or(&text).trim().to_owned()
        });
        let frame = |text: &str| format!("{RUNNING}\n\n{text}");
        match self.replacement(&removed, previous_text, summary, retries, &frame) {
            Ok(text) => {
                let edits = cuts.len() + 1;
                self.replace(cuts, 0);
                self.put_summary(&removed, &text, Origin::RunningSummary);
                Summarised::Done(edits)
            }
            Err(reason) => Summarised::Failed(reason),
        }
    }

    /// The results of the medium zone that are cut.
    fn medium_cuts(&self, zone: &[usize], limit: u64) -> Vec<Edit> {
        let mut cuts = Vec::new();
        for &at in zone {
            for part in &self.kept[at].message.parts {
                let Body::Result(answer) = &part.body else { continue };
                let fate = self.trimmed(at, part, Some(Over::Chars(limit)), None, None);
                let Some(Fate::Becomes(body, level)) = fate else { continue };
                let is_shorter = body.chars() < part.body.chars();
                if !answer.is_error && is_shorter && !self.pinned.contains_key(&self.kept[at].id) {
                    cuts.push((at, part.place, Fate::Becomes(body, level)));
                }
            }
        }
        cuts
    }

    /// The text that replaces messages, or the reason why there is none.
    fn replacement(
        &mut self,
        removed: &BTreeSet<usize>,
        previous: Option<String>,
        summary: &Summary,
        retries: Option<u64>,
        frame: &dyn Fn(&str) -> String,
    ) -> Result<String, String> {
        let is_previous = |at: &usize| previous.is_some() && self.kept[*at].message.origin == Origin::RunningSummary;
        let transcript =
            removed.iter().filter(|at| !is_previous(at)).map(|&at| rendered(&self.kept[at].message)).collect();
        let instructions = if summary.using { HANDOVER } else { self.agent.default_prompt };
        let request = Request { instructions: instructions.to_owned(), previous, transcript, at_most: summary.at_most };
        self.ask(&request, retries, &|machine, text| machine.framed(text, removed, summary.at_most, frame))
    }

    /// What is made of an answer to a request, or why there is nothing after the last attempt.
    fn ask(
        &mut self,
        request: &Request,
        retries: Option<u64>,
        make: &dyn Fn(&Self, &str) -> Result<String, String>,
    ) -> Result<String, String> {
        let mut last = Err(String::new());
        for _ in 0..=retries.unwrap_or(0) {
            self.summaries += 1;
            self.outcome.summaries.push(request.clone());
            last = answer(request, self.summaries);
            if let Ok(text) = &last {
                self.spend_summary(request, text);
            }
            last = last.and_then(|text| make(self, &text));
            if last.is_ok() {
                break;
            }
        }
        last
    }

    fn spend_summary(&mut self, request: &Request, text: &str) {
        let texts = [Some(&request.instructions), request.previous.as_ref(), Some(&request.transcript)];
        let input: u64 = texts.into_iter().flatten().map(|text| self.counter.text(text)).sum();
        let output = self.counter.text(text);
        let cost = self.agent.prices.map_or(Decimal::ZERO, |[price, _, _, out]| {
            (Decimal::from(input) * price + Decimal::from(output) * out) / Decimal::from(1_000_000)
        });
        let is_unpriced = self.agent.prices.is_none();
        self.add_spent(Spent { tokens: input + output, cost, is_unpriced, calls: 0 });
    }

    fn framed(
        &self,
        text: &str,
        removed: &BTreeSet<usize>,
        at_most: Option<u64>,
        frame: &dyn Fn(&str) -> String,
    ) -> Result<String, String> {
        let text = frame(&self.usable(text, at_most)?);
        let new = text.chars().count() as u64;
        let parts = removed.iter().flat_map(|&at| &self.kept[at].message.parts);
        let old: u64 = parts.map(|part| part.body.chars()).sum();
        if new >= old {
            let reason = format!("the summary has {new} characters, the messages that it would replace have {old}");
            return Err(reason);
        }
        Ok(text)
    }

    /// A summary as it is used.
    fn usable(&self, text: &str, at_most: Option<u64>) -> Result<String, String> {
        let mut text = text.trim().to_owned();
        // A text that is too long is cut to the most characters that fit: a longer text never counts less.
        if let Some(most) = at_most.filter(|most| self.counter.text(&text) > *most) {
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let fits = starts.partition_point(|&end| (self.counter.text)(&text[..end]) <= most);
            text.truncate(starts[fits.max(1) - 1]);
        }
        if text.is_empty() { Err("the summary is empty".to_owned()) } else { Ok(text) }
    }

    fn put_summary(&mut self, removed: &BTreeSet<usize>, text: &str, origin: Origin) {
        let first = removed.iter().next().copied().unwrap_or(0);
        // A summary may not be the first thing between a call and its result.
        let is_result = |at: usize| self.kept[at].message.role == Role::Tool;
        let separated = (first..self.kept.len()).find(|at| {
            let call = self.group(*at);
            !removed.contains(at) && call < first && (call + 1..=*at).all(is_result)
        });
        let first = separated.map_or(first, |at| self.group(at));
        self.remove(removed);
        let entry = self.entry(Message::new(Role::User, text, origin));
        self.kept.insert(first, entry);
    }
}

/// A message as the summariser reads it.
fn rendered(message: &Message) -> String {
    let role = message.role.word();
    let line = |body: &Body| match body {
        Body::Text(text) => format!("[{role}] {text}\n"),
        Body::Call { tool, arguments, .. } => {
            format!("[{role}] Called tool {tool}({})\n", preview(&arguments_text(arguments), 200))
        }
        Body::Result(answer) => {
            let kind = if answer.is_error { "error" } else { "result" };
            format!("[tool {kind}] {}\n", preview(&answer.text, 500))
        }
        Body::Thinking { .. } | Body::Image(..) | Body::Other(_) => String::new(),
    };
    message.parts.iter().map(|part| line(&part.body)).collect()
}
