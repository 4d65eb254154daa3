//! Effects: what each of them does, one after another.

use std::collections::BTreeMap;

use super::attempt::Done;
use super::fact::{Fact, Value, format};
use super::machine::{Field, Machine, injected};
use super::message::Role;
use super::rule::{As, Effect, Goal, Keep, OnFailure, Piece, Rule, Target, Text};
use super::summary::Summarised;

/// Whether an effect did something, the number of its edits, and by how many tokens its goal was missed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Applied {
    pub(super) acted: bool,
    pub(super) edits: usize,
    pub(super) short: u64,
}

impl From<bool> for Applied {
    fn from(acted: bool) -> Self {
        Self { acted, ..Self::default() }
    }
}

impl Machine<'_> {
    /// Applies the effects of a rule in turn.
    pub(super) fn act(&mut self, at: usize) -> Done {
        let mut done = Done::default();
        let policy = self.policy;
        let rule = &policy.rules[at];
        for effect in &rule.effects {
            if self.stopped {
                break;
            }
            let summarised = match effect {
                Effect::Slide { recent, medium, trim, summary } => {
                    self.slide((recent.unwrap_or(10), medium.unwrap_or(10), trim.unwrap_or(200)), summary, rule.retries)
                }
                Effect::Summarise { range, summary } => self.summarise(*range, summary, rule.retries),
                Effect::SummariseResults { target, choice, summary } => {
                    let (edits, failure) = self.summarise_results(*target, choice, summary, rule, &mut done);
                    let applied = Applied { acted: edits > 0, edits, short: 0 };
                    self.note(effect, applied, &mut done);
                    done.failure = failure;
                    if done.failure.is_some() {
                        break;
                    }
                    continue;
                }
                _ => {
                    let applied = self.apply(effect);
                    self.note(effect, applied, &mut done);
                    continue;
                }
            };
            match summarised {
                Summarised::Done(edits) => {
                    let applied = Applied { acted: edits > 0, edits, short: 0 };
                    self.note(effect, applied, &mut done);
                }
                Summarised::Failed(reason) => {
                    self.fail(rule, &reason, &mut done);
                    done.failure = Some(reason);
                    break;
                }
            }
        }
        done
    }

    /// Does what a rule says for a summary that failed. Whether what follows may still be summarised.
    pub(super) fn fail(&mut self, rule: &Rule, reason: &str, done: &mut Done) -> bool {
        self.took_part.failure(match &rule.on_failure {
            OnFailure::Default => "default",
            OnFailure::Keep => "keep",
            OnFailure::Stop => "stop",
            OnFailure::Ask => "ask",
            OnFailure::Then(_) => "then",
        });
        if rule.retries.is_some() {
            self.took_part.failure("retry");
        }
        match &rule.on_failure {
            OnFailure::Stop => self.stop_for_failure(reason),
            OnFailure::Then(other) => {
                let applied = self.apply(other);
                self.note(other, applied, done);
            }
            OnFailure::Default | OnFailure::Keep | OnFailure::Ask => return true,
        }
        false
    }

    fn note(&mut self, effect: &Effect, applied: Applied, done: &mut Done) {
        if applied.acted {
            self.took_part.effect(effect.name(), effect.target());
            self.took_part.labels(effect.name(), &super::print::effect(effect));
            effect.values().into_iter().for_each(|form| self.took_part.value(form));
        }
        done.fired |= applied.acted;
        done.edits += applied.edits;
        done.short = done.short.max(applied.short);
    }

    fn stop_for_failure(&mut self, reason: &str) {
        self.stopped = true;
        let call = self.call_index();
        self.outcome.stops.push((call, format!("a summary failed: {reason}")));
    }

    /// Applies an effect. What it makes invalid is not sent either, so a goal is missed by less.
    fn apply(&mut self, effect: &Effect) -> Applied {
        let before = self.invalid_tokens();
        let applied = self.perform(effect);
        let more = self.invalid_tokens().saturating_sub(before);
        Applied { short: applied.short.saturating_sub(more), ..applied }
    }

    fn perform(&mut self, effect: &Effect) -> Applied {
        match effect {
            Effect::Mask { target, choice, preview, placeholder } => {
                let placeholder = placeholder.as_ref().map(|text| self.filled(text));
                let show = preview.unwrap_or(80);
                let machine = &*self;
                let (edits, short) = machine.choose(*target, choice, Keep::Messages(10), |at, part| {
                    machine.masked(*target, at, part, show, placeholder.as_deref())
                });
                self.replace(edits, short)
            }
            Effect::Offload { target, choice, preview, placeholder } => {
                let placeholder = placeholder.as_ref().map(|text| self.filled(text));
                let show = preview.unwrap_or(200);
                let machine = &*self;
                let (edits, short) = machine.choose(*target, choice, usual_tail(*target, 6), |at, part| {
                    machine.offloaded(at, part, show, placeholder.as_deref())
                });
                self.replace(edits, short)
            }
            Effect::Trim { target, choice, to, from, placeholder } => {
                let marker = placeholder.as_ref().map(|text| self.filled(text));
                let machine = &*self;
                let (edits, short) = machine.choose(*target, choice, usual_tail(*target, 4), |at, part| {
                    machine.trimmed(at, part, *to, *from, marker.as_deref())
                });
                self.replace(edits, short)
            }
            Effect::Drop { target, choice } => self.drop(*target, choice),
            Effect::Restore(iterations) => self.restore(*iterations),
            Effect::Boost(factor) => self.boost(factor.unwrap_or(2)).into(),
            Effect::Inject { text, role, step } => {
                let text = self.text(text);
                let role = match role {
                    None | Some(As::User) => Role::User,
                    Some(As::System) => Role::System,
                    Some(As::Assistant) => Role::Assistant,
                };
                self.inject(&text, role, *step)
            }
            Effect::Retain { last, min, down_to, pin, latest } => {
                let (acted, short) = self.retain((*last, *min), *down_to, (pin, latest)).unwrap_or_default();
                Applied { acted, edits: 0, short }
            }
            Effect::Playbook(at_most) => self.show_strategies(at_most.unwrap_or(30)).into(),
            Effect::Remind { items, role } => self.remind(items, *role).into(),
            Effect::Tools(filter) => self.choose_tools(filter).into(),
            Effect::Systems(filter) => self.choose_systems(filter).into(),
            Effect::Set { name, value, lifetime } => {
                let value = self.text(value);
                self.set(name, &value, *lifetime).into()
            }
            Effect::Emit(name, fields) => {
                let mut values = BTreeMap::new();
                for (own, fact) in fields {
                    let value = self.read(fact);
                    values.insert(own.map_or_else(|| fact.name().to_owned(), ToOwned::to_owned), field(value));
                }
                let call = self.call_index();
                self.outcome.events.push((call, (*name).to_owned(), values));
                true.into()
            }
            Effect::Notify(text) => {
                let notice = (self.call_index(), self.text(text));
                self.outcome.notices.push(notice);
                true.into()
            }
            Effect::Stop(text) => {
                let stop = (self.call_index(), self.text(text));
                self.outcome.stops.push(stop);
                self.stopped = true;
                true.into()
            }
            Effect::Slide { .. } | Effect::Summarise { .. } | Effect::SummariseResults { .. } => {
                unreachable!("a summary is requested elsewhere")
            }
        }
    }

    /// A text with the values of facts, in which the effect's own names are still to be filled.
    pub(super) fn filled(&mut self, text: &Text) -> Vec<Filled> {
        let piece = |machine: &mut Self, piece: &Piece| match piece {
            Piece::Literal(text) => Filled::Literal((*text).to_owned()),
            Piece::Own(name) => Filled::Own(name),
            Piece::Changed(facts, scope) => Filled::Literal(machine.has_changed(facts, *scope).to_string()),
            Piece::Fact(fact, default, _) => {
                let value = machine.read(fact);
                let shown = match fact {
                    Fact::FilesChanged(in_session) => Some(list(&machine.files_changed(*in_session))),
                    _ => value.map(|value| format(fact.kind(), &value)),
                };
                Filled::Literal(shown.unwrap_or_else(|| default.unwrap_or_default().to_owned()))
            }
        };
        text.iter().map(|one| piece(self, one)).collect()
    }

    fn text(&mut self, text: &Text) -> String {
        joined(&self.filled(text), &[])
    }

    fn inject(&mut self, text: &str, role: Role, step: bool) -> Applied {
        if step {
            return self.add_step_message(text, role).into();
        }
        let is_first = self.kept.iter().all(|entry| entry.message.role == Role::System);
        if is_first && role == Role::Assistant {
            return false.into();
        }
        let message = injected(text, role);
        if self.open.is_empty() && self.waiting.is_empty() {
            self.keep(message);
        } else {
            self.waiting.push(message);
        }
        Applied { acted: true, edits: 1, short: 0 }
    }

    /// A goal in tokens; none while the window is unknown.
    pub(super) fn goal_tokens(&self, goal: Goal) -> Option<u64> {
        match goal {
            Goal::Tokens(tokens) => Some(tokens),
            Goal::Share(share) => self.agent.window.map(|window| window * share / 100),
        }
    }
}

/// A piece of a text whose facts are filled.
#[derive(Clone, Debug)]
pub(super) enum Filled {
    Literal(String),
    Own(&'static str),
}

/// The tail that is kept if none is written: so many results, or ten messages if texts of messages are changed.
const fn usual_tail(target: Target, results: usize) -> Keep {
    if target.is_of_messages() { Keep::Messages(10) } else { Keep::Results(results) }
}

/// A list in a text.
fn list(items: &[String]) -> String {
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

/// The text with the effect's own names filled.
pub(super) fn joined(text: &[Filled], own: &[(&str, &str)]) -> String {
    let piece = |piece: &Filled| match piece {
        Filled::Literal(text) => text.clone(),
        Filled::Own(name) => {
            own.iter().find(|(known, _)| known == name).map(|(_, text)| (*text).to_owned()).unwrap_or_default()
        }
    };
    text.iter().map(piece).collect()
}

fn field(value: Option<Value>) -> Field {
    match value {
        None => Field::Unknown,
        Some(Value::Text(text)) => Field::Text(text),
        Some(Value::Truth(truth)) => Field::Truth(truth),
        Some(Value::Number(number)) => Field::Number(number.to_string().parse().expect("a number")),
    }
}
