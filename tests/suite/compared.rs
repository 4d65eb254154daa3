//! The law of `diff`: what it says of two rules is what a small machine of guards shows, over made histories.

use std::fmt::Write as _;

use trimtab::diff::{Change, Fires, compare};
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};

/// When a rule fires. 0 stands for a clause that is not there.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rule {
    /// `when failures >= N`
    when: u64,
    /// `unless context.results >= N`
    unless: u64,
    /// `until repeats >= N`
    until: u64,
    once: Once,
    every: u64,
    cooldown: u64,
    limit: u64,
    /// Whether it summarises, which may fail or find nothing; else it notifies.
    fails: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Once {
    #[default]
    No,
    Run,
    PerFailures,
    PerResults,
    /// `once until context.interactions >= N`
    Until(u64),
}

/// What one try meets: the facts, and whether an effect that may fail or find nothing does so.
#[derive(Clone, Copy, Debug)]
struct Moment {
    failures: u64,
    results: u64,
    repeats: u64,
    interactions: u64,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Done,
    Failed,
    Idle,
}

/// A source of chance that gives the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

impl Rule {
    fn made(chance: &mut Chance) -> Self {
        let mut rule = Self { fails: chance.below(4) == 0, ..Self::default() };
        for _ in 0..chance.below(4) {
            rule.change(chance);
        }
        rule
    }

    /// Changes one clause.
    fn change(&mut self, chance: &mut Chance) {
        match chance.below(8) {
            0 => self.when = chance.below(3),
            1 => self.unless = chance.below(3),
            2 => self.until = chance.below(3),
            3 => self.every = chance.below(5),
            4 => self.cooldown = chance.below(5),
            5 => self.limit = chance.below(4),
            _ => {
                let all = [Once::No, Once::Run, Once::PerFailures, Once::PerResults, Once::Until(1), Once::Until(2)];
                self.once = chance.of(&all);
            }
        }
    }

    fn text(&self, order: bool) -> String {
        let mut clauses = Vec::new();
        let mut clause = |number: u64, text: String| clauses.extend((number > 0).then_some(text));
        clause(self.when, format!("when failures >= {}", self.when));
        clause(self.unless, format!("unless context.results >= {}", self.unless));
        clause(1, (if self.fails { "do summarise older keep 1 message" } else { "do notify \"x\"" }).to_owned());
        clause(self.until, format!("until repeats >= {}", self.until));
        clause(self.every, format!("every {} iterations", self.every));
        clause(self.cooldown, format!("cooldown {} iterations", self.cooldown));
        clause(self.limit, format!("limit {}", self.limit));
        clauses.extend(match self.once {
            Once::No => None,
            Once::Run => Some("once".to_owned()),
            Once::PerFailures => Some("once per failures".to_owned()),
            Once::PerResults => Some("once per context.results".to_owned()),
            Once::Until(end) => Some(format!("once until context.interactions >= {end}")),
        });
        if order {
            clauses.reverse();
        }
        // Behind `once` alone `until` would be read as its end.
        clauses.join("\n").replace("once\nlimit", "limit").replace("once\nuntil", "until") + &self.lost(order)
    }

    /// What the text above may have lost, at its end.
    fn lost(&self, order: bool) -> String {
        let is_lost =
            order && self.once == Once::Run && (self.limit > 0 || self.cooldown + self.every == 0 && self.until > 0);
        if is_lost { "\nonce".to_owned() } else { String::new() }
    }

    fn plan(&self, order: bool) -> Plan {
        let text = format!("edition 2026\npolicy p {{ rule a {{\n{}\n}} }}\n", self.text(order));
        let compiled = pipeline::compile("p.trim", &text);
        let checked = compiled.checked.unwrap_or_else(|| panic!("{text}\n{:#?}", compiled.diagnostics));
        lower(&checked, None).unwrap()
    }

    /// At which tries it fires, and at which it fires or fails; one try an iteration.
    fn run(&self, history: &[Moment]) -> [Vec<bool>; 2] {
        let (mut going, mut silent, mut fired, mut tries) = (false, false, 0, 0);
        let (mut value, mut last): (Option<u64>, Option<u64>) = (None, None);
        let mut out = [Vec::new(), Vec::new()];
        for (iteration, now) in (0..).zip(history) {
            if self.until > 0 && now.repeats >= self.until {
                going = false;
            }
            if matches!(self.once, Once::Until(end) if now.interactions >= end) {
                silent = false;
            }
            let barred = self.unless > 0 && now.results >= self.unless;
            let holds = now.failures >= self.when && !barred;
            going |= self.until > 0 && holds;
            value = value.filter(|_| holds);
            let read = if self.once == Once::PerFailures { now.failures } else { now.results };
            let opens = match self.once {
                Once::No => true,
                Once::Run => fired == 0,
                Once::PerFailures | Once::PerResults => value.is_none_or(|value| read > value),
                Once::Until(_) => !silent,
            };
            let rested = last.is_none_or(|last: u64| iteration >= last + self.cooldown);
            let due = (holds || going && !barred)
                && opens
                && (self.every == 0 || iteration > 0 && iteration.is_multiple_of(self.every))
                && rested
                && (self.limit == 0 || tries < self.limit);
            let outcome = if self.fails { now.outcome } else { Outcome::Done };
            let (fires, attempts) = (due && outcome == Outcome::Done, due && outcome != Outcome::Idle);
            if attempts {
                (tries, last) = (tries + 1, Some(iteration));
            }
            if fires {
                (fired, silent, value) = (fired + 1, true, Some(read));
            }
            out[0].push(fires);
            out[1].push(attempts);
        }
        out
    }
}

/// A history; in every other one facts often stay as they are.
fn history(chance: &mut Chance, length: usize, stays: bool) -> Vec<Moment> {
    let outcomes = [Outcome::Done, Outcome::Done, Outcome::Failed, Outcome::Idle];
    let mut made: Vec<Moment> = Vec::with_capacity(length);
    for _ in 0..length {
        let last = made.last().copied();
        let mut next = |end: u64, of: fn(&Moment) -> u64| match last {
            Some(last) if stays && chance.below(4) > 0 => of(&last),
            _ => chance.below(end),
        };
        let (failures, results) = (next(4, |now| now.failures), next(4, |now| now.results));
        let (repeats, interactions) = (next(3, |now| now.repeats), next(3, |now| now.interactions));
        made.push(Moment { failures, results, repeats, interactions, outcome: chance.of(&outcomes) });
    }
    made
}

/// How many times something has happened by each try.
fn counts(tries: &[bool]) -> Vec<usize> {
    tries
        .iter()
        .scan(0, |sum, one| {
            *sum += usize::from(*one);
            Some(*sum)
        })
        .collect()
}

/// Whether the second of two rules does something more than the first in some history, and whether less.
#[derive(Debug, Default)]
struct Sides {
    more: bool,
    less: bool,
}

/// What histories show of two rules.
#[derive(Debug, Default)]
struct Shown {
    /// Whether firings and attempts are the same in each.
    same: bool,
    /// Firings or attempts, counted up to some try.
    tries: Sides,
    /// Firings counted up to some try, where no summary fails.
    firings: Sides,
    /// Firings at one try.
    at: Sides,
    /// The most firings of either in a history.
    most: usize,
}

impl Sides {
    /// Notes two lists of things that can be compared one by one.
    fn note<T: PartialOrd>(&mut self, before: &[T], after: &[T]) {
        self.more |= before.iter().zip(after).any(|(before, after)| after > before);
        self.less |= before.iter().zip(after).any(|(before, after)| after < before);
    }
}

fn shown(old: &Rule, new: &Rule, histories: &[Vec<Moment>]) -> Shown {
    let mut shown = Shown { same: true, ..Shown::default() };
    for history in histories {
        let (before, after) = (old.run(history), new.run(history));
        shown.same &= before == after;
        for (before, after) in before.iter().zip(&after) {
            shown.tries.note(&counts(before), &counts(after));
        }
        shown.at.note(&before[0], &after[0]);
        for firings in [&before[0], &after[0]] {
            shown.most = shown.most.max(firings.iter().filter(|one| **one).count());
        }
        let sound = |now: &Moment| Moment {
            outcome: if now.outcome == Outcome::Failed { Outcome::Done } else { now.outcome },
            ..*now
        };
        let sound: Vec<Moment> = history.iter().map(sound).collect();
        shown.firings.note(&counts(&old.run(&sound)[0]), &counts(&new.run(&sound)[0]));
    }
    shown
}

fn said(old: &Plan, new: &Plan) -> Fires {
    let difference = compare(old, new);
    match &difference.rules[0].change {
        Change::Kept { fires, .. } => fires.clone(),
        other => panic!("{other:?}"),
    }
}

/// What is wrong with what `diff` says; nothing when it is right.
fn wrong(fires: &Fires, shown: &Shown) -> Option<&'static str> {
    match fires {
        Fires::Same if !shown.same => Some("they differ"),
        Fires::Same => None,
        _ if shown.same => Some("they are the same"),
        Fires::More(_) | Fires::Earlier(..) if shown.firings.less => Some("the new one fires less at times"),
        Fires::More(_) | Fires::Earlier(..) if !shown.tries.more => Some("the new one never fires more"),
        Fires::Less(_) | Fires::Later(..) if shown.firings.more => Some("the new one fires more at times"),
        Fires::Less(_) | Fires::Later(..) if !shown.tries.less => Some("the new one never fires less"),
        Fires::Earlier(_, most) | Fires::Later(_, most) if shown.most as u64 > *most => Some("there is no such limit"),
        Fires::Incomparable(..) if !(shown.at.more && shown.at.less) => {
            Some("one never fires where the other does not")
        }
        _ => None,
    }
}

/// How many pairs of rules are compared.
const PAIRS: usize = 1000;

#[test]
fn what_diff_says_of_two_rules_is_what_their_histories_show() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let histories: Vec<Vec<Moment>> = (0..300).map(|at| history(&mut chance, 18, at % 2 == 1)).collect();
    let (mut problems, mut words) = (String::new(), std::collections::BTreeMap::new());
    for _ in 0..PAIRS {
        let old = Rule::made(&mut chance);
        let mut new = old.clone();
        for _ in 0..=chance.below(3) {
            new.change(&mut chance);
        }
        let (old, new) = if chance.below(2) == 0 { (old, new) } else { (new, old) };
        let fires = said(&old.plan(false), &new.plan(chance.below(2) == 0));
        *words.entry(fires.word()).or_insert(0) += 1;
        // A condition may pin the value that `once per` compares; that is not looked at.
        let is_pinned = [&old, &new].iter().all(|rule| matches!(rule.once, Once::PerFailures | Once::PerResults));
        if is_pinned && matches!(fires, Fires::Incomparable(..)) {
            continue;
        }
        if let Some(why) = wrong(&fires, &shown(&old, &new, &histories)) {
            let (old, new) = (old.text(false).replace('\n', " "), new.text(false).replace('\n', " "));
            writeln!(problems, "{fires:?}: {why}\n  {old}\n  {new}").unwrap();
        }
    }
    assert!(problems.is_empty(), "{}\n{problems}", problems.lines().count() / 3);
    assert!(words.len() == 6 && words.values().all(|count| *count > 10), "{words:?}");
}
