//! Random effects with every target and label.

use super::{condition, is_signal};
use crate::reference::condition::Condition;
use crate::reference::fact::Fact;
use crate::reference::rule::{
    As, Choice, Effect, Errors, Filter, Goal, Keep, Lifetime, OnFailure, Over, Phase, Piece, Pin, Range, Side, Summary,
    Target, Text,
};
use crate::rng::Rng;

/// What an effect is made from: the conditions of its rule, and the number of rules of the policy.
pub(super) struct Making<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) when: &'a Condition,
    pub(super) count: usize,
}

impl Making<'_> {
    pub(super) fn effects(&mut self, phase: Phase) -> Vec<Effect> {
        let count = self.rng.choose(&[1, 1, 1, 2, 2, 3]);
        let mut effects: Vec<Effect> = Vec::new();
        for _ in 0..count {
            let effect = match phase {
                Phase::Request | Phase::Overflow | Phase::Reply => self.edit(),
                Phase::CompactionMiss => self.answer(),
                Phase::Compaction => self.addition(),
                _ => self.signal(),
            };
            // One effect of a rule can fail, and nothing is reached after a stop.
            let fails = effect.needs_summary() && effects.iter().any(Effect::needs_summary);
            let stopped = effects.iter().any(|effect| matches!(effect, Effect::Stop(_)));
            if !fails && !stopped {
                effects.push(effect);
            }
        }
        effects
    }

    pub(super) fn on_failure(&mut self) -> (Option<u64>, OnFailure) {
        let retries = self.rng.percent(30).then(|| 1 + self.rng.below_u64(2));
        let arm = match self.rng.below(10) {
            0 | 1 if retries.is_none() => OnFailure::Default,
            2 => OnFailure::Stop,
            3 => OnFailure::Ask,
            4..7 => {
                let other = loop {
                    let other = self.edit();
                    if !other.needs_summary() && !matches!(other, Effect::Stop(_)) {
                        break other;
                    }
                };
                OnFailure::Then(Box::new(other))
            }
            _ => OnFailure::Keep,
        };
        (retries, arm)
    }

    fn edit(&mut self) -> Effect {
        match self.rng.below(54) {
            0..8 => self.mask(),
            8..14 => self.trim(),
            14..20 => self.offload(),
            20..28 => self.drop(),
            28..30 => self.slide(),
            30..34 => self.summarise(),
            34..37 => self.inject(),
            37 | 38 => self.retain(),
            39 | 40 => Effect::Playbook(self.rng.percent(70).then(|| self.rng.below(4))),
            41 | 42 => self.remind(),
            43 | 44 => Effect::Tools(self.filter(&["bash", "read_file", "mcp__*", "write_note"])),
            45 | 46 => Effect::Systems(self.filter(&["role", "rules", "extra", "r*"])),
            47..51 => self.set(),
            _ => self.signal(),
        }
    }

    /// An effect that searches for parts to reduce.
    pub(super) fn search(&mut self) -> Effect {
        match self.rng.below(6) {
            0 => self.trim(),
            1 => self.offload(),
            2 => self.drop(),
            _ => self.mask(),
        }
    }

    fn answer(&mut self) -> Effect {
        match self.rng.below(8) {
            0..6 => Effect::Restore(self.rng.percent(50).then(|| 1 + self.rng.below_u64(3))),
            6 => Effect::Boost(self.rng.percent(70).then(|| 2 + self.rng.below_u64(2))),
            _ => self.signal(),
        }
    }

    fn addition(&mut self) -> Effect {
        match self.rng.below(6) {
            0..3 => self.inject(),
            3 | 4 => self.remind(),
            _ => self.signal(),
        }
    }

    fn signal(&mut self) -> Effect {
        let effect = match self.rng.below(12) {
            0..5 => {
                let count = self.rng.below(4);
                let own = ["a", "b", "c"];
                let mut fields = Vec::new();
                for own in &own[..count] {
                    let fact = condition::fact(self.rng, self.count);
                    let fact = if self.means_another(&fact) { Fact::Iteration } else { fact };
                    let is_plain = fields.is_empty() && fact.text() == fact.name() && self.rng.percent(50);
                    fields.push((Some(*own).filter(|_| !is_plain), fact));
                }
                Effect::Emit("happened", fields)
            }
            5 => Effect::Stop(self.text()),
            _ => Effect::Notify(self.text()),
        };
        debug_assert!(is_signal(&effect));
        effect
    }

    fn piece(&mut self) -> Piece {
        let fact = condition::fact(self.rng, self.count);
        let default = fact.is_optional().then_some("none");
        let with_arguments: Vec<Fact> = self.instances(|fact| fact.text() != fact.name());
        match (self.rng.below(7), with_arguments.as_slice()) {
            (0, _) => Piece::Literal("{a}\nb "),
            (6, _) if !self.means_another(&fact) && !matches!(fact, Fact::RequestMentions(_)) => {
                let facts = if self.rng.percent(80) { vec![fact] } else { Vec::new() };
                Piece::Changed(facts, condition::scope(self.rng))
            }
            (1 | 2, [only]) if self.instances(|fact| fact.name() == only.name()).len() == 1 && can_be_bare(only) => {
                Piece::Fact(only.clone(), only.is_optional().then_some("none"), true)
            }
            // A text cannot hold a fact with texts as arguments.
            _ if matches!(fact, Fact::RequestMentions(_)) => Piece::Fact(Fact::RequestWords, None, false),
            // The bare name of a fact means the instance in the condition.
            _ if self.means_another(&fact) => Piece::Fact(Fact::Iteration, None, false),
            _ => Piece::Fact(fact, default, false),
        }
    }

    /// The different facts of the condition that fit.
    fn instances(&self, fits: impl Fn(&Fact) -> bool) -> Vec<Fact> {
        let mut found = Vec::new();
        for fact in self.when.facts().into_iter().filter(|fact| fits(fact)) {
            if !found.contains(fact) {
                found.push(fact.clone());
            }
        }
        found
    }

    /// Whether the bare name of a fact means another instance of it.
    pub(super) fn means_another(&self, fact: &Fact) -> bool {
        let others = self.instances(|other| other.name() == fact.name() && other != fact);
        fact.text() == fact.name() && !others.is_empty()
    }

    fn text(&mut self) -> Text {
        let first = Piece::Literal(self.rng.choose(&["Say it. ", "n", "漢字 "]));
        [first].into_iter().chain(self.rng.percent(60).then(|| self.piece())).collect()
    }

    /// The question of a rule, which few rules ask.
    pub(super) fn question(&mut self) -> Option<Text> {
        self.rng.percent(6).then(|| self.text())
    }

    fn placeholder(&mut self, own: &[&'static str]) -> Option<Text> {
        if !self.rng.percent(25) {
            return None;
        }
        let mut text = vec![Piece::Literal("[")];
        if self.rng.percent(70) {
            text.push(Piece::Own(self.rng.choose(own)));
        }
        if self.rng.percent(20) {
            text.push(self.piece());
        }
        text.push(Piece::Literal("]"));
        Some(text)
    }

    fn keep(&mut self) -> Option<Keep> {
        match self.rng.below(9) {
            0 | 1 => Some(Keep::Messages(self.rng.below(8))),
            2..5 => Some(Keep::Results(self.rng.below(4))),
            5 => Some(Keep::Images(self.rng.below(3))),
            6 => Some(Keep::Tokens(self.rng.below_u64(300))),
            7 => Some(Keep::Share(self.rng.below_u64(40))),
            _ => Some(Keep::Interactions(self.rng.below(3))),
        }
        .filter(|_| self.rng.percent(92))
    }

    fn errors(&mut self) -> Option<Errors> {
        match self.rng.below(12) {
            0 => Some(Errors::Keep),
            1 | 2 => Some(Errors::Include),
            3 | 4 => Some(Errors::Including),
            5 | 6 => Some(Errors::Only),
            _ => None,
        }
    }

    fn end(&mut self) -> Over {
        if self.rng.percent(60) {
            Over::Chars(self.rng.below_u64(40))
        } else {
            Over::Tokens(1 + self.rng.below_u64(15))
        }
    }

    fn tools(&mut self, percent: usize) -> Vec<&'static str> {
        if self.rng.percent(percent) { self.names(&["bash", "read_file", "mcp__*", "write_note"]) } else { Vec::new() }
    }

    fn names(&mut self, from: &[&'static str]) -> Vec<&'static str> {
        let chosen: Vec<&str> = from.iter().copied().filter(|_| self.rng.percent(40)).collect();
        if chosen.is_empty() { vec![self.rng.choose(from)] } else { chosen }
    }

    fn down_to(&mut self) -> Option<Goal> {
        match self.rng.below(12) {
            0 | 1 => Some(Goal::Share(5 + self.rng.below_u64(70))),
            2 | 3 => Some(Goal::Tokens(50 + self.rng.below_u64(700))),
            _ => None,
        }
    }

    /// A choice of parts of a target.
    fn choice(&mut self, target: Target, drops: bool) -> Choice {
        let groups = drops && target == Target::Older;
        let tools = !groups && target.has_tools();
        let reads = target == Target::SupersededReads;
        let is_measured = !groups && target != Target::Images;
        let over = match self.rng.below(8) {
            0 => Some(Over::Chars(self.rng.below_u64(120))),
            1 => Some(Over::Tokens(1 + self.rng.below_u64(40))),
            _ => None,
        };
        let down_to = self.down_to();
        // A context that passes a goal slowly saves less than a minimum at first.
        let at_least = match down_to {
            Some(_) => self.rng.percent(50).then(|| self.rng.below_u64(400)),
            None => self.rng.percent(20).then(|| self.rng.below_u64(120)),
        };
        Choice {
            over: over.filter(|_| is_measured),
            keep: match target {
                Target::Arrivals => None,
                // Few runs have many messages.
                Target::UserMessages if self.rng.percent(70) => Some(Keep::Messages(self.rng.below(3))),
                Target::Images if self.rng.percent(50) => Some(Keep::Images(1 + self.rng.below(2))),
                _ => self.keep(),
            },
            except: if tools { self.tools(20) } else { Vec::new() },
            only: if tools { self.tools(30) } else { Vec::new() },
            errors: if tools && target != Target::Calls { self.errors() } else { None },
            reads: if reads && self.rng.percent(25) { vec!["bash", "read_file"] } else { Vec::new() },
            writes: if reads && self.rng.percent(25) { vec!["mcp__*", "write_note"] } else { Vec::new() },
            down_to,
            at_least,
            pin: if groups { self.pin() } else { Vec::new() },
            latest: if target.has_tools() { self.tools(20) } else { Vec::new() },
        }
    }

    fn mask(&mut self) -> Effect {
        use Target::{Arrivals, Calls, Duplicates, Images, Replies, Results, SupersededReads, Thinking, UserMessages};
        let usual = [Results, Arrivals, Calls, Thinking, Images, Replies];
        let often = [Duplicates, SupersededReads, UserMessages];
        let target = if self.rng.percent(55) { self.rng.choose(&often) } else { self.rng.choose(&usual) };
        let choice = self.choice(target, false);
        let fixed = matches!(target, Thinking | Images);
        let placeholder = self.placeholder(&["tool", "preview"]).filter(|_| !fixed);
        let preview = self.rng.percent(60).then(|| self.rng.below(40)).filter(|_| !fixed);
        Effect::Mask { target, choice, preview, placeholder }
    }

    /// A target that consists of texts.
    fn text_target(&mut self) -> Target {
        let of_messages = self.rng.percent(55).then_some(Target::UserMessages);
        let others = [Target::Results, Target::Arrivals, Target::Replies];
        of_messages.unwrap_or_else(|| self.rng.choose(&others))
    }

    fn trim(&mut self) -> Effect {
        let target = self.text_target();
        let to = match self.rng.below(12) {
            0 => None,
            1..4 => Some(Over::Tokens(1 + self.rng.below_u64(40))),
            _ => Some(Over::Chars(self.rng.below_u64(80))),
        };
        let from = match self.rng.below(5) {
            0 => None,
            1 => Some(Side::Tail),
            2 => Some(Side::Head),
            3 => Some(Side::Ends(self.end(), self.end())),
            _ => Some(Side::Middle),
        };
        let placeholder = self.placeholder(&["tool"]);
        Effect::Trim { target, choice: self.choice(target, false), to, from, placeholder }
    }

    fn offload(&mut self) -> Effect {
        let target = self.text_target();
        let preview = self.rng.percent(80).then(|| self.rng.below(30));
        let placeholder = self.placeholder(&["id", "tool", "preview"]);
        Effect::Offload { target, choice: self.choice(target, false), preview, placeholder }
    }

    fn drop(&mut self) -> Effect {
        use Target::{Duplicates, Images, Older, SupersededReads, Thinking};
        let all = [
            Thinking,
            Images,
            SupersededReads,
            SupersededReads,
            SupersededReads,
            Duplicates,
            Duplicates,
            Duplicates,
            Older,
        ];
        let target = self.rng.choose(&all);
        Effect::Drop { target, choice: self.choice(target, true) }
    }

    fn summary(&mut self) -> Summary {
        let at_most = self.rng.percent(40).then(|| 1 + self.rng.below_u64(30));
        Summary { using: self.rng.percent(40), at_most, pin: self.pin(), latest: self.tools(20) }
    }

    fn pin(&mut self) -> Vec<Pin> {
        match self.rng.below(10) {
            0..3 => Vec::new(),
            3 => vec![Pin::Nothing],
            4 => vec![self.pinned(), self.pinned()],
            _ => vec![self.pinned()],
        }
    }

    fn pinned(&mut self) -> Pin {
        match self.rng.below(6) {
            0 => Pin::Request,
            1 => Pin::FirstUser,
            2 => Pin::Users,
            3 => Pin::NewestUsers(1 + self.rng.below(3)),
            4 => Pin::UsersWithin(1 + self.rng.below_u64(60)),
            _ => Pin::FirstMessages(1 + self.rng.below(4)),
        }
    }

    fn slide(&mut self) -> Effect {
        let mut messages = |percent, most| self.rng.percent(percent).then(|| self.rng.below(most));
        let (recent, medium) = (messages(95, 7), messages(85, 6));
        let trim = self.rng.percent(70).then(|| self.rng.below_u64(80));
        Effect::Slide { recent, medium, trim, summary: self.summary() }
    }

    fn summarise(&mut self) -> Effect {
        if self.rng.percent(50) {
            let target = self.rng.choose(&[Target::Results, Target::Results, Target::Arrivals]);
            // The summaries of the recordings' short results are shorter than these seldom.
            let over = self.rng.percent(90).then(|| Over::Chars(self.rng.below_u64(60)));
            let choice = Choice { over, down_to: None, at_least: None, ..self.choice(target, false) };
            return Effect::SummariseResults {
                target,
                choice,
                summary: Summary { pin: Vec::new(), latest: Vec::new(), ..self.summary() },
            };
        }
        let range = if self.rng.percent(60) { Range::Older(self.keep()) } else { Range::All };
        Effect::Summarise { range, summary: self.summary() }
    }

    fn role(&mut self) -> Option<As> {
        match self.rng.below(5) {
            0 => Some(As::User),
            1 => Some(As::System),
            2 => Some(As::Assistant),
            _ => None,
        }
    }

    fn inject(&mut self) -> Effect {
        Effect::Inject { text: self.text(), role: self.role(), step: self.rng.percent(40) }
    }

    fn retain(&mut self) -> Effect {
        let (last, down_to) = (1 + self.rng.below(3), self.down_to());
        let min = down_to.filter(|_| self.rng.percent(50)).map(|_| 1 + self.rng.below(last));
        Effect::Retain { last, min, down_to, pin: self.pin(), latest: self.tools(30) }
    }

    fn remind(&mut self) -> Effect {
        let items = self.names(&["bash", "write_note", "role", "extra", "mode", "plan"]);
        Effect::Remind { items, role: self.role().filter(|role| *role != As::System) }
    }

    fn lifetime(&mut self) -> Lifetime {
        self.rng.choose(&[Lifetime::Default, Lifetime::Step, Lifetime::Run, Lifetime::Session])
    }

    fn filter(&mut self, from: &[&'static str]) -> Filter {
        Filter { only: self.rng.percent(50), names: self.names(from), lifetime: self.lifetime() }
    }

    fn set(&mut self) -> Effect {
        let name = self.rng.choose(&condition::VARIABLES);
        let value = match self.rng.below(6) {
            0 => Vec::new(),
            1 => vec![Piece::Literal("review")],
            2 => vec![Piece::Literal("plan "), Piece::Fact(Fact::Iteration, None, false)],
            _ => self.text(),
        };
        Effect::Set { name, value, lifetime: self.lifetime() }
    }
}

/// Whether the bare name of a fact is one, so that it can mean an instance with arguments.
const fn can_be_bare(fact: &Fact) -> bool {
    !matches!(
        fact,
        Fact::RequestMentions(_)
            | Fact::HasTool(_)
            | Fact::UsedTool(..)
            | Fact::Var(_)
            | Fact::Fired(..)
            | Fact::Since(..)
            | Fact::Failed(..)
            | Fact::Host(_)
    )
}
