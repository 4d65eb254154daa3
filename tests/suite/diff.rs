//! `diff` agrees with a small interpreter of guards that runs both rules over generated histories.

use std::fmt::Write as _;

use trimtab::diff::{Change, Fires, compare};
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};

use crate::rng::Rng;

/// When a rule fires. 0 means that the clause is missing.
#[derive(Clone, Debug, Default, PartialEq)]
struct Rule {
    /// `when failures >= N`
    when: u64,
    /// `and iteration < N`
    before: u64,
    /// `unless context.results >= N`
    unless: u64,
    /// `until repeats >= N`
    until: u64,
    once: Once,
    every: u64,
    cooldown: u64,
    limit: u64,
    /// Whether its effect is a summary, which may fail or be idle, and not a notice.
    fails: bool,
    /// Whether it is tried several times in an iteration.
    repeated: bool,
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

/// One attempt: the facts, and the outcome of an effect that may fail or be idle.
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

impl Rule {
    fn random(rng: &mut Rng) -> Self {
        let mut rule = Self { fails: rng.below_u64(4) == 0, ..Self::default() };
        for _ in 0..rng.below_u64(4) {
            rule.change(rng);
        }
        rule
    }

    /// Changes one clause.
    fn change(&mut self, rng: &mut Rng) {
        match rng.below_u64(9) {
            0 => self.when = rng.below_u64(3),
            8 => self.before = rng.below_u64(4),
            1 => self.unless = rng.below_u64(3),
            2 => self.until = rng.below_u64(3),
            3 => self.every = rng.below_u64(5),
            4 => self.cooldown = rng.below_u64(5),
            5 => self.limit = rng.below_u64(4),
            _ => {
                let all = [Once::No, Once::Run, Once::PerFailures, Once::PerResults, Once::Until(1), Once::Until(2)];
                self.once = rng.choose(&all);
            }
        }
    }

    fn text(&self, order: bool) -> String {
        let mut clauses = Vec::new();
        let mut clause = |number: u64, text: String| clauses.extend((number > 0).then_some(text));
        clause(u64::from(self.repeated), "on compaction_miss".to_owned());
        let before = if self.before > 0 { format!(" and iteration < {}", self.before) } else { String::new() };
        clause(self.when.max(self.before), format!("when failures >= {}{before}", self.when));
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
        // `until` right after `once` would be parsed as `once until`.
        clauses.join("\n").replace("once\nlimit", "limit").replace("once\nuntil", "until") + &self.moved_once(order)
    }

    /// `once`, if it has been removed above.
    fn moved_once(&self, order: bool) -> String {
        let is_removed =
            order && self.once == Once::Run && (self.limit > 0 || self.cooldown + self.every == 0 && self.until > 0);
        if is_removed { "\nonce".to_owned() } else { String::new() }
    }

    fn plan(&self, order: bool) -> Plan {
        let text = format!("edition 2026\npolicy p {{ rule a {{\n{}\n}} }}\n", self.text(order));
        let compiled = pipeline::compile("p.trim", &text);
        let checked = compiled.checked.unwrap_or_else(|| panic!("{text}\n{:#?}", compiled.diagnostics));
        lower(&checked, None).unwrap()
    }

    /// How often it is tried in an iteration.
    fn tries(&self) -> usize {
        if self.repeated { 2 } else { 1 }
    }

    /// The attempts at which it fires, and those at which it fires or fails.
    fn run(&self, history: &[Moment]) -> [Vec<bool>; 2] {
        let (mut is_kept_triggered, mut is_silenced, mut fired, mut tries) = (false, false, 0, 0);
        let (mut value, mut last): (Option<u64>, Option<u64>) = (None, None);
        let mut out = [Vec::new(), Vec::new()];
        for (at, now) in history.iter().enumerate() {
            let iteration = (at / self.tries()) as u64;
            if self.until > 0 && now.repeats >= self.until {
                is_kept_triggered = false;
            }
            if matches!(self.once, Once::Until(end) if now.interactions >= end) {
                is_silenced = false;
            }
            let is_excluded = self.unless > 0 && now.results >= self.unless;
            let is_early = self.before == 0 || iteration < self.before;
            let holds = now.failures >= self.when && is_early;
            is_kept_triggered |= self.until > 0 && holds;
            value = value.filter(|_| holds);
            let read = if self.once == Once::PerFailures { now.failures } else { now.results };
            let is_open = match self.once {
                Once::No => true,
                Once::Run => fired == 0,
                Once::PerFailures | Once::PerResults => value.is_none_or(|value| read > value),
                Once::Until(_) => !is_silenced,
            };
            let is_cooled_down = last.is_none_or(|last: u64| iteration >= last + self.cooldown);
            let due = (holds || is_kept_triggered)
                && !is_excluded
                && is_open
                && (self.every == 0 || iteration > 0 && iteration.is_multiple_of(self.every))
                && is_cooled_down
                && (self.limit == 0 || tries < self.limit);
            let outcome = if self.fails { now.outcome } else { Outcome::Done };
            let (fires, attempts) = (due && outcome == Outcome::Done, due && outcome != Outcome::Idle);
            if attempts {
                (tries, last) = (tries + 1, Some(iteration));
            }
            if fires {
                (fired, is_silenced, value) = (fired + 1, true, Some(read));
            }
            out[0].push(fires);
            out[1].push(attempts);
        }
        out
    }
}

/// A history; with `stays`, facts often keep their values.
fn history(rng: &mut Rng, length: usize, stays: bool) -> Vec<Moment> {
    let outcomes = [Outcome::Done, Outcome::Done, Outcome::Failed, Outcome::Idle];
    let mut moments: Vec<Moment> = Vec::with_capacity(length);
    for _ in 0..length {
        let last = moments.last().copied();
        let mut next = |end: u64, of: fn(&Moment) -> u64| match last {
            Some(last) if stays && rng.below_u64(4) > 0 => of(&last),
            _ => rng.below_u64(end),
        };
        let (failures, results) = (next(4, |now| now.failures), next(4, |now| now.results));
        let (repeats, interactions) = (next(3, |now| now.repeats), next(3, |now| now.interactions));
        moments.push(Moment { failures, results, repeats, interactions, outcome: rng.choose(&outcomes) });
    }
    moments
}

/// The number of `true` values up to each attempt.
fn counts(tries: &[bool]) -> Vec<usize> {
    tries
        .iter()
        .scan(0, |sum, happened| {
            *sum += usize::from(*happened);
            Some(*sum)
        })
        .collect()
}

/// Whether the second rule does more than the first in some history, and whether it does less.
#[derive(Debug, Default)]
struct Direction {
    more: bool,
    less: bool,
}

/// How two rules differ over all histories.
#[derive(Debug, Default)]
struct Differences {
    /// Whether firings and attempts are equal in each history.
    same: bool,
    /// Firings or attempts, counted up to some attempt.
    tries: Direction,
    /// Firings counted up to some attempt, if no summary fails.
    firings: Direction,
    /// Firings at one attempt.
    at: Direction,
    /// The most firings of either rule in a history.
    most: usize,
}

impl Direction {
    /// Compares two lists element by element.
    fn compare<T: PartialOrd>(&mut self, before: &[T], after: &[T]) {
        self.more |= before.iter().zip(after).any(|(before, after)| after > before);
        self.less |= before.iter().zip(after).any(|(before, after)| after < before);
    }
}

fn differences(old: &Rule, new: &Rule, histories: &[Vec<Moment>]) -> Differences {
    let mut differences = Differences { same: true, ..Differences::default() };
    for history in histories {
        let (before, after) = (old.run(history), new.run(history));
        differences.same &= before == after;
        for (before, after) in before.iter().zip(&after) {
            differences.tries.compare(&counts(before), &counts(after));
        }
        differences.at.compare(&before[0], &after[0]);
        for firings in [&before[0], &after[0]] {
            differences.most = differences.most.max(firings.iter().filter(|fired| **fired).count());
        }
        let without_failure = |now: &Moment| Moment {
            outcome: if now.outcome == Outcome::Failed { Outcome::Done } else { now.outcome },
            ..*now
        };
        let sound: Vec<Moment> = history.iter().map(without_failure).collect();
        differences.firings.compare(&counts(&old.run(&sound)[0]), &counts(&new.run(&sound)[0]));
    }
    differences
}

fn diff(old: &Plan, new: &Plan) -> Fires {
    let difference = compare(old, new);
    match &difference.rules[0].change {
        Change::Kept { fires, .. } => fires.clone(),
        other => panic!("{other:?}"),
    }
}

/// Why the answer of `diff` is wrong; `None` if it is right.
fn contradiction(fires: &Fires, differences: &Differences) -> Option<&'static str> {
    match fires {
        Fires::Same if !differences.same => Some("they differ"),
        Fires::Same => None,
        _ if differences.same => Some("they are the same"),
        Fires::More(_) | Fires::Earlier(..) if differences.firings.less => Some("the new one fires less at times"),
        Fires::More(_) | Fires::Earlier(..) if !differences.tries.more => Some("the new one never fires more"),
        Fires::Less(_) | Fires::Later(..) if differences.firings.more => Some("the new one fires more at times"),
        Fires::Less(_) | Fires::Later(..) if !differences.tries.less => Some("the new one never fires less"),
        Fires::Earlier(_, most) | Fires::Later(_, most) if differences.most as u64 > most.times => {
            Some("there is no such limit")
        }
        Fires::Incomparable(..) if !(differences.at.more && differences.at.less) => {
            Some("one never fires where the other does not")
        }
        _ => None,
    }
}

/// The number of iterations between a firing and the attempt that an example describes.
fn pause(example: &str) -> Option<usize> {
    match example.strip_prefix("it fired ").or(example.strip_prefix("it has fired "))? {
        "at this iteration before" => Some(0),
        "one iteration before" => Some(1),
        iterations => iterations.strip_suffix(" iterations before")?.parse().ok(),
    }
}

/// Whether one of two rules fires somewhere this number of iterations after a firing, where the other does not.
fn happens(pause: usize, [old, new]: [&Rule; 2], histories: &[Vec<Moment>]) -> bool {
    histories.iter().any(|history| {
        let [before, after] = [old.run(history), new.run(history)].map(|[fired, _]| fired);
        (0..history.len()).filter(|at| before[*at] != after[*at]).any(|at| {
            let fired = |earlier: &usize| at / old.tries() == earlier / old.tries() + pause;
            (0..at).filter(fired).any(|earlier| before[earlier] || after[earlier])
        })
    })
}

/// How many pairs of rules are compared.
const PAIRS: usize = 1000;

#[test]
fn diff_agrees_with_generated_histories_of_both_rules() {
    let mut rng = Rng::new(1);
    let histories: Vec<Vec<Moment>> = (0..300).map(|at| history(&mut rng, 18, at % 2 == 1)).collect();
    let (mut problems, mut words) = (String::new(), std::collections::BTreeMap::new());
    for _ in 0..PAIRS {
        let old = Rule::random(&mut rng);
        let mut new = old.clone();
        for _ in 0..=rng.below_u64(3) {
            new.change(&mut rng);
        }
        let (old, new) = if rng.below_u64(2) == 0 { (old, new) } else { (new, old) };
        let fires = diff(&old.plan(false), &new.plan(rng.below_u64(2) == 0));
        *words.entry(fires.word()).or_insert(0) += 1;
        // A condition may fix the value that `once per` compares, which `diff` ignores.
        let is_per = |rule: &&Rule| matches!(rule.once, Once::PerFailures | Once::PerResults);
        let both = [&old, &new];
        let is_pinned = both.iter().all(is_per) && matches!(fires, Fires::Incomparable(..));
        if is_pinned {
            continue;
        }
        // So may `unless`, which leaves only some of the values; the number of firings is limited by theirs.
        let differences = differences(&old, &new, &histories);
        if differences.same && both.iter().all(|rule| is_per(rule) && rule.unless > 0) {
            continue;
        }
        if let Some(why) = contradiction(&fires, &differences) {
            let (old, new) = (old.text(false).replace('\n', " "), new.text(false).replace('\n', " "));
            writeln!(problems, "{fires:?}: {why}\n  {old}\n  {new}").unwrap();
        }
    }
    assert!(problems.is_empty(), "{}\n{problems}", problems.lines().count() / 3);
    assert!(words.len() == 6 && words.values().all(|count| *count > 10), "{words:?}");
}

#[test]
fn the_pause_of_an_example_happens() {
    let mut rng = Rng::new(2);
    let histories: Vec<Vec<Moment>> = (0..60).map(|at| history(&mut rng, 40, at % 2 == 1)).collect();
    let mut pauses = std::collections::BTreeMap::new();
    for at in 0..600 {
        let (every, cooldown) = (rng.below_u64(5), rng.below_u64(6));
        let mut old = Rule { when: rng.below_u64(3), every, cooldown, repeated: at % 2 == 0, ..Rule::default() };
        let mut new = Rule { cooldown: rng.below_u64(6), ..old.clone() };
        if rng.below_u64(4) == 0 {
            new.every = rng.below_u64(5);
        }
        if rng.below_u64(2) == 0 {
            std::mem::swap(&mut old, &mut new);
        }
        let fires = diff(&old.plan(false), &new.plan(false));
        let examples = match &fires {
            Fires::More(here) | Fires::Less(here) | Fires::Earlier(here, _) | Fires::Later(here, _) => vec![here],
            Fires::Incomparable(here, there) => vec![here, there],
            Fires::Same | Fires::Undecided(_) => vec![],
        };
        for (example, pause) in examples.into_iter().filter_map(|example| Some((example, pause(example)?))) {
            assert!(happens(pause, [&old, &new], &histories), "{example}\n{}\n{}", old.text(false), new.text(false));
            *pauses.entry((old.repeated, pause)).or_insert(0) += 1;
        }
    }
    assert!([(true, 0), (true, 2), (false, 1), (false, 2)].iter().all(|one| pauses.contains_key(one)), "{pauses:?}");
}
