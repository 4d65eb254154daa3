//! Combines an earlier summary with what happened since, section by section, so that repeated summaries do not grow.

use foldhash::{HashMap, HashSet, HashSetExt};

use super::activity::{Activity, CallOutcome, Event, Reply};
use super::failures::Failures;
use super::files::{self, Files};
use super::outline::{Outline, Section};
use super::plan::{OPEN_MARK, Plan};
use super::quote::{Extent, lines, quote, quote_ends};
use super::reply::{announces, asks, decision, numbered_list, sentences};

/// The first request usually is the task with its constraints, later ones are short.
const FIRST_REQUEST: Extent = Extent { lines: 30, chars: 1_000 };
const REQUEST: Extent = Extent { lines: 6, chars: 300 };
/// A report begins with its result.
const REPORT: Extent = Extent { lines: 3, chars: 240 };
const SENTENCE: Extent = Extent { lines: 1, chars: 240 };
/// The newest reply is all that says where things stand.
const NEWEST_REPLY: Extent = Extent { lines: 12, chars: 600 };

/// The most items of each section: with items of usual lengths about 1,500 tokens, as much as a model writes.
const MAX_REQUESTS: usize = 6;
const MAX_COMPLETED: usize = 16;
const MAX_EDITS: usize = 4;
const MAX_FILES: usize = 30;
const MAX_DECISIONS: usize = 6;
const MAX_ERRORS: usize = 6;
const MAX_STATE: usize = 3;
const MAX_STEPS: usize = 10;

/// The start of the item that names the last call.
const LAST_CALL: &str = "last call: ";

/// Updates a summary with what happened since. `unattributed` is a transcript whose messages are not known.
pub(super) fn update(outline: &mut Outline, activity: &Activity, unattributed: &str) {
    let update = Update { activity, plan: newest_plan(activity), newest: activity.newest_replies().next() };
    outline[Section::Goal] = update.goal(std::mem::take(&mut outline[Section::Goal]));
    outline[Section::Files] = update.files(&outline[Section::Files]);
    let completed = std::mem::take(&mut outline[Section::Completed]);
    outline[Section::Completed] = update.completed(completed, &outline[Section::Files]);
    outline[Section::Decisions] = update.decisions(std::mem::take(&mut outline[Section::Decisions]));
    outline[Section::Errors] = update.errors(&outline[Section::Errors]);
    outline[Section::State] = update.state(&outline[Section::State], unattributed);
    outline[Section::Next] = update.next(std::mem::take(&mut outline[Section::Next]));
}

struct Update<'a> {
    activity: &'a Activity,
    plan: Option<Plan>,
    newest: Option<&'a Reply>,
}

impl Update<'_> {
    /// The oldest request and the newest ones.
    fn goal(&self, mut items: Vec<String>) -> Vec<String> {
        let events = &self.activity.events;
        let mut requests: Vec<&str> = events.iter().filter_map(request).collect();
        if requests.is_empty() && items.is_empty() {
            requests.extend(events.iter().find_map(harness_request));
        }
        let mut requests = requests.into_iter();
        if items.is_empty() {
            items.extend(requests.next().map(|text| quote_ends(text, FIRST_REQUEST)));
        }
        let newest = requests.len().saturating_sub(MAX_REQUESTS);
        items.extend(requests.skip(newest).map(|text| quote_ends(text, REQUEST)));
        let first = (!items.is_empty()).then(|| items.remove(0));
        items.retain(|item| Some(item) != first.as_ref());
        let rest = newest_once(items, MAX_REQUESTS - 1);
        first.into_iter().chain(rest).collect()
    }

    /// Finished tasks, calls that changed something, and reports.
    fn completed(&self, mut items: Vec<String>, files: &[String]) -> Vec<String> {
        // The newest reply stands under the current state.
        let is_newest = |reply: &Reply| self.newest.is_some_and(|newest| std::ptr::eq(newest, reply));
        for event in &self.activity.events {
            match event {
                Event::Call(call, CallOutcome::Succeeded) if call.changes => items.push(call.title()),
                Event::Reply(reply) if reply.ends_turn && !is_newest(reply) && !asks(&reply.text) => {
                    items.push(quote(&reply.text, REPORT));
                }
                _ => {}
            }
        }
        items.extend(self.plan.iter().flat_map(|plan| plan.done.iter().cloned()));
        // The files section names the files that were edited. A few of them show here what was done last.
        let edited: HashSet<&str> = files.iter().map(|item| files::path(item)).collect();
        let is_edit = |item: &String| item.split_once(": ").is_some_and(|(_, subject)| edited.contains(subject));
        let items = newest_once(items, usize::MAX);
        let edits = items.iter().filter(|item| is_edit(item)).count();
        let mut surplus = edits.saturating_sub(MAX_EDITS);
        let kept = items.into_iter().filter(|item| {
            let is_surplus = surplus > 0 && is_edit(item);
            surplus -= usize::from(is_surplus);
            !is_surplus
        });
        newest_once(kept.collect(), MAX_COMPLETED)
    }

    fn files(&self, items: &[String]) -> Vec<String> {
        let mut files = Files::default();
        for item in items {
            files.add_item(item);
        }
        for (call, outcome) in self.activity.calls() {
            files.add_call(call, matches!(outcome, CallOutcome::Failed(_)));
        }
        files.items(MAX_FILES)
    }

    /// What the agent wrote before it changed something, and what people answered to its questions.
    fn decisions(&self, mut items: Vec<String>) -> Vec<String> {
        let mut question = None;
        for event in &self.activity.events {
            match event {
                Event::Reply(reply) => {
                    question = (reply.ends_turn && asks(&reply.text)).then(|| sentences(&reply.text).pop()).flatten();
                    let stated = decision(&reply.text).filter(|_| reply.changes);
                    items.extend(stated.map(|text| quote(text, SENTENCE)));
                }
                Event::Request(answer) => {
                    if let Some(question) = question.take() {
                        items.push(format!("{}\n{}", quote(question, SENTENCE), quote(answer, SENTENCE)));
                    }
                }
                _ => {}
            }
        }
        newest_once(items, MAX_DECISIONS)
    }

    fn errors(&self, items: &[String]) -> Vec<String> {
        let mut failures = Failures::default();
        for item in items {
            failures.add_item(item);
        }
        for (call, outcome) in self.activity.calls() {
            match outcome {
                CallOutcome::Failed(message) => failures.add_failure(call, message.as_deref()),
                CallOutcome::Succeeded => failures.add_success(call),
                CallOutcome::Open => {}
            }
        }
        failures.items(MAX_ERRORS)
    }

    /// The newest reply and the last call.
    fn state(&self, items: &[String], unattributed: &str) -> Vec<String> {
        let (old_call, old): (Vec<&String>, Vec<&String>) = items.iter().partition(|item| item.starts_with(LAST_CALL));
        let reply = self.newest.map(|reply| quote(&reply.text, NEWEST_REPLY)).or_else(|| last_lines(unattributed));
        let mut state: Vec<String> = match reply {
            Some(reply) => vec![reply],
            None => old.into_iter().cloned().collect(),
        };
        state.drain(..state.len().saturating_sub(MAX_STATE - 1));
        let call = self.activity.calls().next_back().map(|(call, outcome)| {
            let status = match outcome {
                CallOutcome::Open => "no result yet",
                CallOutcome::Succeeded => "succeeded",
                CallOutcome::Failed(_) => "failed",
            };
            format!("{LAST_CALL}{} ({status})", call.title())
        });
        state.extend(call.or_else(|| old_call.last().map(|&call| call.clone())));
        state
    }

    /// A request that was not answered, the open tasks, and what the newest reply announces.
    fn next(&self, items: Vec<String>) -> Vec<String> {
        let (tasks, other): (Vec<String>, Vec<String>) =
            items.into_iter().partition(|item| item.starts_with(OPEN_MARK));
        let after_reply = |event: &&Event| !matches!(event, Event::Reply(_) | Event::Call(..));
        let unanswered = self.activity.events.iter().rev().take_while(after_reply).find_map(request);
        let mut steps: Vec<String> = unanswered.map(|text| quote_ends(text, REQUEST)).into_iter().collect();
        match &self.plan {
            Some(plan) => steps.extend(plan.open.iter().cloned()),
            None => steps.extend(tasks),
        }
        match self.newest {
            Some(reply) => steps.extend(announced(reply)),
            // What was announced is obsolete as soon as the agent announces something else.
            None => steps.extend(other),
        }
        let mut known = HashSet::new();
        steps.retain(|step| known.insert(step.clone()));
        steps.truncate(MAX_STEPS);
        steps
    }
}

fn request(event: &Event) -> Option<&str> {
    match event {
        Event::Request(text) => Some(text),
        _ => None,
    }
}

fn harness_request(event: &Event) -> Option<&str> {
    match event {
        Event::HarnessRequest(text) => Some(text),
        _ => None,
    }
}

/// The newest list of tasks.
fn newest_plan(activity: &Activity) -> Option<Plan> {
    activity.events.iter().rev().find_map(|event| match event {
        Event::Call(call, outcome) if !matches!(outcome, CallOutcome::Failed(_)) => call.plan.clone(),
        Event::Reply(reply) => Plan::in_text(&reply.text),
        _ => None,
    })
}

/// The steps that a reply announces: its question, or, if it goes on with calls, its numbered list or its last sentence.
fn announced(reply: &Reply) -> Vec<String> {
    let list = numbered_list(&reply.text);
    if !reply.ends_turn && !list.is_empty() {
        return list.into_iter().map(|text| quote(text, SENTENCE)).collect();
    }
    let mut sentences = sentences(&reply.text);
    // A single sentence stands under the current state. One with a colon announces the calls that followed it.
    let is_step = |last: &&str| if reply.ends_turn { asks(&reply.text) } else { !announces(last) };
    let last = sentences.pop().filter(is_step).filter(|_| !sentences.is_empty());
    last.map(|text| quote(text, SENTENCE)).into_iter().collect()
}

/// The end of a transcript whose messages are not known.
fn last_lines(transcript: &str) -> Option<String> {
    let all: Vec<&str> = lines(transcript).collect();
    let newest = all.get(all.len().saturating_sub(3)..)?;
    (!newest.is_empty()).then(|| quote(&newest.join("\n"), NEWEST_REPLY))
}

/// The newest items, each once, in order.
fn newest_once(items: Vec<String>, most: usize) -> Vec<String> {
    let last: HashMap<String, usize> = items.into_iter().enumerate().map(|(at, item)| (item, at)).collect();
    let mut once: Vec<(String, usize)> = last.into_iter().collect();
    once.sort_unstable_by_key(|(_, at)| *at);
    once.drain(..once.len().saturating_sub(most));
    once.into_iter().map(|(item, _)| item).collect()
}
