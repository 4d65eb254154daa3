//! `drop` of whole groups as the language documentation defines it: which messages it removes.

use std::collections::BTreeSet;

use proptest::prelude::*;
use trimtab::conversation::{Body, Conversation, Counter, Entry, MessageId, Role};
use trimtab::model::Estimate;
use trimtab::phase::Phase;

use super::reducing::{Kept, WINDOW, is_live};
use super::redundant::{self, Answered};
use crate::{generated, laws};

#[derive(Clone, Debug)]
struct Dropping {
    target: &'static str,
    pin: bool,
    keep: (usize, &'static str),
    over: Option<u64>,
    errors: bool,
    only: Option<&'static str>,
    except: Option<&'static str>,
    down_to: Option<u64>,
    at_least: Option<u64>,
}

fn dropping() -> impl Strategy<Value = Dropping> {
    let target = prop::sample::select(vec!["older", "duplicates", "superseded_reads", "superseded_reads"]);
    let keep = (0usize..8, prop::sample::select(vec!["messages", "results", "interactions"]));
    let tool = || prop::option::weighted(0.2, prop::sample::select(vec!["bash", "mcp__*", "read_file"]));
    let limits = (
        prop::option::weighted(0.2, 10u64..200),
        prop::option::weighted(0.4, 1u64..100),
        prop::option::weighted(0.3, 0u64..200),
    );
    (target, any::<bool>(), keep, any::<bool>(), tool(), tool(), limits).prop_map(
        |(target, pin, keep, errors, only, except, (over, down_to, at_least))| {
            let parts = target != "older";
            Dropping {
                target,
                pin: pin && !parts,
                keep,
                over: over.filter(|_| parts),
                errors: errors && parts,
                only: only.filter(|_| parts),
                except: except.filter(|_| parts),
                down_to,
                at_least,
            }
        },
    )
}

/// The messages before the effect, and for each the index of the first message of its group.
struct Before {
    kept: Vec<Kept>,
    calls: Vec<Option<Answered>>,
    first: Vec<usize>,
}

impl Before {
    fn of(conversation: &Conversation) -> Self {
        let entries = conversation.entries();
        let call = |at: usize| {
            let id = entries[at].message().results().next()?.id.clone();
            (0..at).rev().find(|&at| entries[at].message().calls().any(|(call, ..)| *call == id))
        };
        Self {
            kept: entries.iter().map(Kept::of).collect(),
            calls: redundant::answered(conversation),
            first: (0..entries.len()).map(|at| call(at).unwrap_or(at)).collect(),
        }
    }

    fn group(&self, first: usize) -> Vec<usize> {
        (0..self.kept.len()).filter(|&at| self.first[at] == first).collect()
    }

    fn is_user(&self, at: usize) -> bool {
        self.kept[at].role == Role::User
    }

    /// The first message besides system messages that is not removed.
    fn begins_with(&self, removed: &BTreeSet<usize>) -> Option<usize> {
        (0..self.kept.len()).find(|at| self.kept[*at].role != Role::System && !removed.contains(at))
    }
}

impl Dropping {
    fn text(&self) -> String {
        let mut text = format!("drop {} keep {} {}", self.target, self.keep.0, self.keep.1);
        text += if self.pin { " pin first_user" } else { "" };
        text += &self.over.map_or_else(String::new, |limit| format!(" over {limit} chars"));
        text += if self.errors { " including errors" } else { "" };
        for (word, tool) in [("only", self.only), ("except", self.except)] {
            text += &tool.map_or_else(String::new, |tool| format!(" {word} [{tool}]"));
        }
        text += &self.down_to.map_or_else(String::new, |share| format!(" down_to {share}%"));
        text + &self.at_least.map_or_else(String::new, |tokens| format!(" at_least {tokens} tokens"))
    }

    fn boundary(&self, before: &Before) -> usize {
        let (count, unit) = self.keep;
        let counts = |kept: &Kept| match unit {
            "messages" => true,
            "results" => kept.role == Role::Tool,
            _ => kept.person,
        };
        let places: Vec<usize> = (0..before.kept.len()).filter(|&at| counts(&before.kept[at])).collect();
        if count == 0 { before.kept.len() } else { places.len().checked_sub(count).map_or(0, |at| places[at]) }
    }

    /// The groups that may go, oldest first.
    fn groups(&self, before: &Before) -> Vec<Vec<usize>> {
        let mut end = self.boundary(before);
        if self.target != "older" {
            let relation = if self.target == "duplicates" { redundant::duplicates } else { redundant::supersedes };
            let goes = |at: usize| {
                self.takes(before, at) && redundant::is_redundant(at, &before.kept, &before.calls, relation)
            };
            let groups = (0..before.kept.len()).map(|first| before.group(first));
            return groups
                .filter(|group| is_spent(before, group, end) && group[1..].iter().all(|at| goes(*at)))
                .collect();
        }
        while let Some(at) = (end..before.kept.len()).find(|&at| before.first[at] < end) {
            end = before.first[at];
        }
        let pin = (0..before.kept.len()).find(|&at| before.kept[at].person).filter(|_| self.pin);
        let goes = |first: &usize| before.kept[*first].role != Role::System && Some(*first) != pin;
        let groups = (0..end).filter(|at| before.first[*at] == *at).filter(goes);
        groups.map(|first| before.group(first)).collect()
    }

    /// Whether the labels select a result.
    fn takes(&self, before: &Before, at: usize) -> bool {
        let Body::ToolResult(result) = &before.kept[at].parts[0].body else { return false };
        let fits = |pattern: &str| {
            let tool = before.kept[at].tool.as_deref().unwrap_or_default();
            pattern.strip_suffix('*').map_or(tool == pattern, |start| tool.starts_with(start))
        };
        (self.errors || !result.is_error)
            && self.only.is_none_or(fits)
            && !self.except.is_some_and(fits)
            && self.over.is_none_or(|limit| result.text.chars().count() as u64 > limit)
    }

    /// The messages that are removed.
    fn removed(&self, before: &Before) -> BTreeSet<usize> {
        let total: u64 = before.kept.iter().map(|kept| kept.tokens).sum();
        let size = |removed: &BTreeSet<usize>| removed.iter().map(|&at| before.kept[at].tokens).sum::<u64>();
        let goal = self.down_to.map(|share| WINDOW * share / 100);
        let is_reached = |removed: &BTreeSet<usize>| goal.is_some_and(|goal| total - size(removed) <= goal);
        let (mut all, mut best) = (BTreeSet::new(), BTreeSet::new());
        for group in self.groups(before) {
            if is_reached(&best) {
                break;
            }
            all.extend(group);
            let mut some = all.clone();
            let first = before.begins_with(&some).unwrap_or(before.kept.len());
            if self.target == "older" && !(first < before.kept.len() && before.is_user(first)) {
                let users = || some.iter().rev().copied().filter(|&at| at < first && before.is_user(at));
                let Some(spared) = users().find(|&at| before.kept[at].person).or_else(|| users().next()) else {
                    continue;
                };
                some.remove(&spared);
            }
            best = some;
        }
        if size(&best) == 0 || self.at_least.is_some_and(|gate| size(&best) < gate) { BTreeSet::new() } else { best }
    }
}

proptest! {
    #![proptest_config(generated::cases(300))]

    #[test]
    fn drop_agrees_with_the_reference(
        events in generated::events(),
        effects in prop::collection::vec((dropping(), prop::option::weighted(0.3, 0u8..20)), 1..4),
    ) {
        let counter = Estimate::default();
        let mut conversation = Conversation::with_invariant_checks();
        for message in generated::transcript(&events).messages {
            conversation.push(message, &counter);
        }
        conversation.abandon_open_calls(&counter);
        let run = |effect: &str, conversation: &mut Conversation| {
            let plan = laws::plan(&format!("edition 2026\npolicy p {{ rule a {{ do {effect} }} }}"));
            laws::once(&plan, conversation, Phase::Request)
        };
        for (effect, mask) in &effects {
            if let Some(keep) = mask {
                run(&format!("mask results keep {keep} messages"), &mut conversation);
            }
            let before = Before::of(&conversation);
            let removed = effect.removed(&before);
            let ids: Vec<MessageId> = conversation.entries().iter().map(Entry::id).collect();
            let expected: Vec<MessageId> = (0..ids.len()).filter(|at| !removed.contains(at)).map(|at| ids[at]).collect();
            run(&effect.text(), &mut conversation);
            let kept: Vec<MessageId> = conversation.entries().iter().map(Entry::id).collect();
            prop_assert_eq!(kept, expected, "{}", effect.text());
            prop_assert_eq!(conversation.take_violations(), Vec::new(), "{}", effect.text());
            let tokens: u64 = conversation.entries().iter().map(|entry| counter.message(entry.message())).sum();
            prop_assert_eq!(conversation.tokens(), tokens);
        }
    }
}

/// Whether a group is a reply without text, followed by the results of all its calls before the kept tail.
fn is_spent(before: &Before, group: &[usize], end: usize) -> bool {
    let Some(&first) = group.first().filter(|at| before.kept[**at].role == Role::Assistant) else { return false };
    let parts = || before.kept[first].parts.iter().map(|part| &part.body);
    let blank = |body: &Body| matches!(body, Body::Text(text) if text.trim().is_empty());
    let thinks = parts().any(|body| matches!(body, Body::Thinking { .. }));
    let calls = parts().filter(|body| matches!(body, Body::ToolCall { .. })).count();
    let is_silent = parts().all(|body| matches!(body, Body::Thinking { .. } | Body::ToolCall { .. }) || blank(body));
    let is_closed = group.len() == calls + 1 && group.windows(2).all(|two| two[0] + 1 == two[1]);
    let is_live = thinks && is_live(&before.kept, first);
    let begins = before.begins_with(&BTreeSet::new()) == Some(first);
    calls > 0 && is_silent && is_closed && group[calls] < end && !is_live && !begins
}
