//! Views: what is different in the next request.

use std::collections::BTreeMap;

use super::machine::{Machine, injected};
use super::message::{Body, Message, Origin, Part, Role};
use super::rule::{As, Filter, Goal, Keep, Lifetime, Pin};

/// A choice of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Names {
    only: Option<Vec<&'static str>>,
    hidden: Vec<&'static str>,
}

impl Names {
    pub(super) fn shows(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|one| fits(one, name)))
            && !self.hidden.iter().any(|one| fits(one, name))
    }

    fn with(&self, filter: &Filter) -> Self {
        let mut new = self.clone();
        if filter.only {
            new.only = Some(filter.names.clone());
        } else {
            let more = filter.names.iter().filter(|name| !self.hidden.contains(name));
            new.hidden.extend(more);
        }
        new
    }
}

/// Whether a name is one of a pattern, which may end in `*`.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

type Variables = BTreeMap<&'static str, String>;

/// What is chosen for the next request, for the run and for the session. What lasts longer counts for less time, too.
#[derive(Clone, Debug, Default)]
struct Chosen<T> {
    now: T,
    run: T,
    session: T,
}

impl<T: Clone> Chosen<T> {
    /// Changes what lasts as long, and what ends before; whether one of them is changed.
    fn change(&mut self, lifetime: Lifetime, new: impl Fn(&T) -> T, differs: impl Fn(&T, &T) -> bool) -> bool {
        let all = [&mut self.now, &mut self.run, &mut self.session];
        let count = match lifetime {
            Lifetime::Default | Lifetime::Step => 1,
            Lifetime::Run => 2,
            Lifetime::Session => 3,
        };
        let mut changed: Vec<(&mut T, T)> = all
            .into_iter()
            .take(count)
            .map(|known| {
                let new = new(known);
                (known, new)
            })
            .collect();
        let is_new = changed.iter().any(|(known, new)| differs(known, new));
        if is_new {
            for (known, new) in &mut changed {
                **known = new.clone();
            }
        }
        is_new
    }
}

/// From where on messages are sent.
#[derive(Clone, Debug)]
pub(super) struct Retained {
    /// The first message that is sent.
    first: u64,
    /// What is pinned before it.
    pin: Vec<Pin>,
    /// Other messages before it that are sent.
    others: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Views {
    tools: Chosen<Names>,
    systems: Chosen<Names>,
    variables: Chosen<Variables>,
    /// Messages after the conversation.
    messages: Vec<Message>,
    pub(super) retained: Option<Retained>,
    strategies: Option<String>,
    reminders: Vec<String>,
    reminder_role: Option<Role>,
}

impl Views {
    /// What was for one request ends; what is for the run or the session stays.
    pub(super) fn end_request(&mut self) {
        let Self { mut tools, mut systems, mut variables, .. } = std::mem::take(self);
        (tools.now, systems.now) = (tools.run.clone(), systems.run.clone());
        variables.now = variables.run.clone();
        *self = Self { tools, systems, variables, ..Self::default() };
    }

    /// Only what is for the session stays.
    pub(super) fn begin_run(&mut self) {
        (self.tools.run, self.systems.run) = (self.tools.session.clone(), self.systems.session.clone());
        self.variables.run = self.variables.session.clone();
        self.end_request();
    }

    /// Whether a tool is offered.
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.now.shows(tool)
    }

    /// The value of a variable. An empty text is none.
    pub(super) fn variable(&self, name: &str) -> Option<&String> {
        self.variables.now.get(name).filter(|value| !value.is_empty())
    }
}

impl Machine<'_> {
    /// Whether a choice of tools makes a difference; without any tools, whether it is a new one.
    pub(super) fn choose_tools(&mut self, filter: &Filter) -> bool {
        let names: Vec<String> = self.agent.tools.iter().cloned().collect();
        self.views.tools.change(filter.lifetime, |known| known.with(filter), |known, new| differs(known, new, &names))
    }

    pub(super) fn choose_systems(&mut self, filter: &Filter) -> bool {
        let names = self.sections();
        let differs = |known: &Names, new: &Names| !names.is_empty() && differs(known, new, &names);
        self.views.systems.change(filter.lifetime, |known| known.with(filter), differs)
    }

    /// Gives a variable a value; whether that is a new one.
    pub(super) fn set(&mut self, name: &'static str, value: &str, lifetime: Lifetime) -> bool {
        let with = |known: &Variables| {
            let mut new = known.clone();
            new.insert(name, value.to_owned());
            new
        };
        let text = |variables: &Variables| variables.get(name).cloned().unwrap_or_default();
        self.views.variables.change(lifetime, with, |known, new| text(known) != text(new))
    }

    pub(super) fn remind(&mut self, items: &[&str], role: Option<As>) -> bool {
        let sections = self.sections();
        let line = |item: &&str| {
            let is_section = sections.iter().any(|name| name == item) && self.views.systems.now.shows(item);
            let kind = if self.agent.tools.contains(*item) && self.views.offers(item) {
                "tool"
            } else if is_section {
                "system part"
            } else if self.views.variable(item).is_some() {
                "variable"
            } else {
                return None;
            };
            Some(format!("- {item} ({kind})"))
        };
        let lines: Vec<String> = items.iter().filter_map(line).collect();
        let is_new = !lines.is_empty();
        if is_new {
            self.views.reminder_role = Some(if role == Some(As::Assistant) { Role::Assistant } else { Role::User });
        }
        for line in lines {
            if !self.views.reminders.contains(&line) {
                self.views.reminders.push(line);
            }
        }
        is_new
    }

    pub(super) fn show_strategies(&mut self, at_most: usize) -> bool {
        let text = self.playbook.text(at_most);
        if text.is_none() || text == self.views.strategies {
            return false;
        }
        self.views.strategies = text;
        true
    }

    pub(super) fn add_step_message(&mut self, text: &str, role: Role) -> bool {
        self.views.messages.push(injected(text, role));
        true
    }

    /// Sends only the last interactions; returns whether that makes a difference, and by how many tokens the goal is missed.
    pub(super) fn retain(
        &mut self,
        (last, min): (usize, Option<usize>),
        goal: Option<Goal>,
        (pin, latest): (&[Pin], &[&str]),
    ) -> Option<(bool, u64)> {
        let goal = match goal {
            Some(goal) => Some(self.goal_tokens(goal)?),
            None => None,
        };
        let place = self.first_sent();
        let min = if goal.is_some() { min.unwrap_or(1) } else { last };
        let people = |at: usize| {
            let person = (0..at).rev().find(|&at| self.kept[at].message.is_person());
            person.or_else(|| (self.prompt..at).next().filter(|&at| self.kept[at].message.role == Role::User))
        };
        let of_latest = (self.prompt..self.kept.len()).filter(|&at| self.has_latest(at, latest));
        let others = of_latest.flat_map(|at| {
            let user = people(at).filter(|_| self.kept[at].message.role != Role::User);
            [Some(at), user].into_iter().flatten().map(|at| self.kept[at].id)
        });
        let new = Retained { first: 0, pin: pin.to_vec(), others: others.collect() };
        let known = self.views.retained.as_ref();
        let is_hidden = |at: usize, view: Option<&Retained>| !self.is_always_sent(at) && !self.is_retained(at, view);
        let hidden = |first: usize, view: Option<&Retained>| {
            (0..first).filter(|&at| is_hidden(at, view)).map(|at| self.kept[at].tokens).sum::<u64>()
        };
        let whole = self.tokens() + hidden(place, known);
        let (mut first, mut short) = (0, 0);
        for interactions in (min..=last).rev() {
            first = self.whole_requests_before(self.tail(Keep::Interactions(interactions), &|_| true)?);
            let size = whole.saturating_sub(hidden(first, Some(&new)));
            short = goal.map_or(0, |goal| size.saturating_sub(goal));
            if short == 0 {
                break;
            }
        }
        let retained = self.kept.get(first).map(|entry| entry.id);
        let hides = (0..first).any(|at| is_hidden(at, Some(&new)));
        let is_same = first == place && (0..first).all(|at| is_hidden(at, Some(&new)) == is_hidden(at, known));
        if !hides || is_same || first >= self.kept.len() {
            return Some((false, 0));
        }
        self.views.retained = retained.map(|first| Retained { first, ..new });
        Some((true, short))
    }

    /// Whether a view sends a message that stands before the first one that it sends.
    pub(super) fn is_retained(&self, at: usize, view: Option<&Retained>) -> bool {
        view.is_some_and(|view| self.is_pinned(at, &view.pin) || view.others.contains(&self.kept[at].id))
    }

    /// The first message from which on all are sent. What the view began with may have been removed.
    pub(super) fn first_sent(&self) -> usize {
        let Some(id) = self.views.retained.as_ref().map(|view| view.first) else { return 0 };
        let found = self.kept.iter().position(|entry| entry.id == id);
        let next = || (0..self.kept.len()).find(|&at| self.kept[at].id > id && !self.is_always_sent(at));
        self.whole_requests_before(found.or_else(next).unwrap_or(0))
    }

    fn whole_requests_before(&self, end: usize) -> usize {
        // What has just arrived is sent.
        let reply = self.kept.iter().rposition(|entry| entry.message.is_reply()).map_or(self.prompt, |at| at + 1);
        let is_arrival = |at: &usize| self.kept[*at].message.role == Role::Tool && !self.kept[*at].message.kept;
        let arrival = (reply..self.kept.len()).find(is_arrival).filter(|at| *at < end);
        let end = arrival.unwrap_or(end);
        let mut first = self.whole_groups_before(end);
        // A request cannot begin with the call within which a person has queued a prompt.
        while (first < end || arrival.is_some()) && first > self.prompt && self.kept[first].message.role != Role::User {
            first = self.whole_groups_before(first - 1);
        }
        first.max(self.prompt)
    }

    pub(super) fn is_always_sent(&self, at: usize) -> bool {
        let message = &self.kept[at].message;
        message.role == Role::System || matches!(message.origin, Origin::Summary | Origin::RunningSummary)
    }

    /// The names of the sections of the system prompt.
    pub(super) fn sections(&self) -> Vec<String> {
        let of = |message: &Message| {
            let blocks = message.texts().flat_map(|text| blocks(text).into_iter().map(|block| block.0));
            message.name.iter().cloned().chain(blocks).collect::<Vec<_>>()
        };
        self.kept[..self.prompt].iter().flat_map(|entry| of(&entry.message)).collect()
    }

    /// A message of the system prompt as it is sent; none if nothing of it is left.
    fn without_sections(&self, message: &Message) -> Option<Message> {
        let shows = |name: &str| self.views.systems.now.shows(name);
        if message.name.as_deref().is_some_and(|name| !shows(name)) {
            return None;
        }
        let mut left = message.clone();
        left.parts.clear();
        for part in &message.parts {
            let Body::Text(text) = &part.body else {
                left.parts.push(part.clone());
                continue;
            };
            let hidden: Vec<_> = blocks(text).into_iter().filter(|(name, ..)| !shows(name)).collect();
            let mut new = text.clone();
            for (_, start, end) in hidden.iter().rev() {
                new.replace_range(*start..*end, "");
            }
            if hidden.is_empty() {
                left.parts.push(part.clone());
            } else if !new.trim().is_empty() {
                left.parts.push(Part { body: Body::Text(new.trim_end().to_owned()), ..part.clone() });
            }
        }
        (!left.parts.is_empty() || message.parts.is_empty()).then_some(left)
    }

    /// What rules add to the end of the system prompt.
    fn prompt_additions(&self) -> Vec<Message> {
        let mut text = String::new();
        for (name, value) in self.views.variables.now.iter().filter(|(_, value)| !value.is_empty()) {
            let lines: String = value.lines().map(|line| format!("    {line}\n")).collect();
            text += &format!("  <{name}>\n{lines}  </{name}>\n");
        }
        let variables = (!text.is_empty()).then(|| format!("<variables>\n{text}</variables>"));
        let texts = variables.into_iter().chain(self.views.strategies.clone());
        texts.map(|text| injected(&text, Role::System)).collect()
    }

    pub(super) fn end_additions(&self) -> Vec<Message> {
        let mut messages = self.views.messages.clone();
        if let Some(role) = self.views.reminder_role {
            let list = self.views.reminders.join("\n");
            let text = format!("\n\n[Reminder: Remember to use the following items in your response:\n{list}\n]");
            messages.push(injected(&text, role));
        }
        messages
    }

    /// The system prompt as it is sent.
    pub(super) fn sent_prompt(&self) -> Vec<Message> {
        let kept = self.kept[..self.prompt].iter().filter_map(|entry| self.without_sections(&entry.message));
        kept.chain(self.prompt_additions()).collect()
    }

    /// The messages after the system prompt that are sent.
    pub(super) fn sent_history(&self) -> impl Iterator<Item = usize> {
        let first = self.first_sent();
        let view = self.views.retained.as_ref();
        let is_sent = move |at: usize| at >= first || self.is_always_sent(at) || self.is_retained(at, view);
        (self.prompt..self.kept.len()).filter(move |&at| is_sent(at))
    }

    pub(super) fn request_messages(&self) -> Vec<Message> {
        let mut sent = self.sent_prompt();
        sent.extend(self.sent_history().map(|at| self.kept[at].message.clone()));
        sent.extend(self.end_additions());
        sent
    }

    pub(super) fn prompt_tokens(&self) -> u64 {
        self.sent_prompt().iter().map(|message| self.counter.message(message)).sum()
    }

    pub(super) fn request_tokens(&self) -> u64 {
        let end = self.end_additions();
        let end: u64 = end.iter().map(|message| self.counter.message(message)).sum();
        self.prompt_tokens() + self.sent_history().map(|at| self.kept[at].tokens).sum::<u64>() + end
    }
}

fn differs(known: &Names, new: &Names, names: &[String]) -> bool {
    if names.is_empty() {
        return known != new;
    }
    names.iter().any(|name| known.shows(name) != new.shows(name))
}

/// The blocks `<NAME>…</NAME>` that begin at a line: name, start, and end with the line breaks after it.
fn blocks(text: &str) -> Vec<(String, usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let rest = &text[at..];
        let name = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')).map(|(name, _)| name);
        let name = name.filter(|name| {
            let mut chars = name.chars();
            chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
                && chars.all(|one| one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '.'))
        });
        let close = name.and_then(|name| Some((name, rest.find(&format!("</{name}>"))? + name.len() + 3)));
        if let Some((name, end)) = close {
            let breaks = rest[end..].chars().take_while(|one| *one == '\n').count();
            found.push((name.to_owned(), at, at + end + breaks));
            at += end + breaks;
        } else {
            at += rest.find('\n').map_or(rest.len(), |end| end + 1);
        }
    }
    found
}
