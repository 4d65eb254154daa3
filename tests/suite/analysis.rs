//! The analysis of conditions compared with brute force: random conditions, a grid of states with every boundary and
//! its neighbours, and the evaluator at every point. The grid uses no code of the analysis.

mod generated;
mod grid;

use std::time::Instant;

use trimtab::check::Condition;
use trimtab::condition::{
    Assumptions, Decision, Implication, SearchResult, Witness, decide, find, holds, implies, overlap,
};

use crate::rng::Rng;
use grid::Grid;
pub(crate) use grid::{
    AT_MOST, DISJOINT, GROWS_WITH_ARGUMENTS, KNOWN_TOGETHER, NOTHING_WHILE_ZERO, SAME_OR_ONE_MORE, SAME_OVER_SESSION,
    TRUE_WHILE_ZERO, ZERO_WHILE_UNKNOWN,
};

/// The results of the comparison.
#[derive(Debug, Default)]
struct Count {
    conditions: usize,
    never: usize,
    always: usize,
    sometimes: usize,
    too_large: usize,
    /// Implications and overlaps that were compared, and how many of them were proved.
    pairs: usize,
    proved: usize,
    /// Witnesses that lie between the points of the grid; the evaluator confirms them.
    beyond: usize,
    points: u64,
    wrong: Vec<String>,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.conditions += other.conditions;
        self.never += other.never;
        self.always += other.always;
        self.sometimes += other.sometimes;
        self.too_large += other.too_large;
        self.pairs += other.pairs;
        self.proved += other.proved;
        self.beyond += other.beyond;
        self.points += other.points;
        self.wrong.extend(other.wrong);
    }

    /// Compares a search with the grid: an impossible state is at no point of the grid, and a witness is such a state.
    fn search(&mut self, found: &SearchResult, on_grid: bool, is_one: impl Fn(&Witness) -> bool) -> bool {
        match found {
            SearchResult::Impossible => !on_grid,
            SearchResult::Witness(witness) => {
                self.beyond += usize::from(!on_grid);
                is_one(witness)
            }
            SearchResult::TooLarge(_) => true,
        }
    }

    fn condition(&mut self, condition: &Condition, assumptions: &Assumptions, grid: &Grid) {
        self.conditions += 1;
        let (mut seen, mut points) = ([false; 2], 0);
        grid.each(&mut |state| {
            points += 1;
            match holds(condition, state) {
                Some(true) => seen[0] = true,
                Some(false) => seen[1] = true,
                None => {}
            }
            seen != [true; 2]
        });
        self.points += points;
        let [yes, no] = seen;
        let is = |truth: bool| {
            move |witness: &Witness| holds(condition, witness) == Some(truth) && grid::is_possible(witness, assumptions)
        };
        let found = find(condition, assumptions);
        let right = match decide(condition, assumptions) {
            Decision::Never => {
                self.never += 1;
                !yes && found == SearchResult::Impossible
            }
            Decision::Always => {
                self.always += 1;
                !no && matches!(&found, SearchResult::Witness(one) if is(true)(one))
            }
            Decision::Sometimes { holds, fails } => {
                self.sometimes += 1;
                let (holds, fails) = (SearchResult::Witness(holds), SearchResult::Witness(fails));
                // Without short-circuit evaluation, so that all are counted.
                let sought = [self.search(&holds, yes, is(true)), self.search(&fails, no, is(false)), holds == found];
                sought.iter().all(|right| *right)
            }
            Decision::TooLarge(_) => {
                self.too_large += 1;
                true
            }
        };
        if !right {
            self.wrong
                .push(format!("{yes} {no} {:?}\n{assumptions:?}\n{condition:#?}", decide(condition, assumptions)));
        }
    }

    fn pair(&mut self, a: &Condition, b: &Condition, assumptions: &Assumptions, grid: &Grid) {
        self.pairs += 1;
        let (mut both, mut one) = (false, false);
        grid.each(&mut |state| {
            if holds(a, state) == Some(true) {
                if holds(b, state) == Some(true) { both = true } else { one = true }
            }
            !both || !one
        });
        let met = overlap(a, b, assumptions);
        let is_met = |state: &Witness| {
            [a, b].iter().all(|one| holds(one, state) == Some(true)) && grid::is_possible(state, assumptions)
        };
        let first = self.search(&met, both, is_met);
        let answer = match implies(a, b, assumptions) {
            Implication::Proved => SearchResult::Impossible,
            Implication::Refuted(witness) => SearchResult::Witness(witness),
            Implication::TooLarge(why) => SearchResult::TooLarge(why),
        };
        self.proved += usize::from(answer == SearchResult::Impossible) + usize::from(met == SearchResult::Impossible);
        let is_apart = |state: &Witness| {
            holds(a, state) == Some(true) && holds(b, state) != Some(true) && grid::is_possible(state, assumptions)
        };
        let second = self.search(&answer, one, is_apart);
        if !first || !second {
            self.wrong.push(format!("{both} {met:?}\n{one} {answer:?}\n{assumptions:?}\n{a:#?}\n{b:#?}"));
        }
    }
}

/// Compares this many conditions, every fourth also with another condition.
fn compare(conditions: usize, seed: u64) -> Count {
    let (mut count, mut rng) = (Count::default(), Rng::new(seed));
    while count.conditions < conditions && count.wrong.len() < 3 {
        let generated = generated::case(&mut rng);
        let grid = Grid::of(&[&generated.condition, &generated.other], &generated.assumptions);
        count.condition(&generated.condition, &generated.assumptions, &grid);
        if count.conditions.is_multiple_of(4) {
            count.pair(&generated.condition, &generated.other, &generated.assumptions, &grid);
        }
    }
    count
}

fn check(count: &Count) {
    assert!(count.wrong.is_empty(), "{}", count.wrong[0]);
    assert!(count.never * 5 >= count.conditions && count.always * 5 >= count.conditions, "{count:?}");
    assert!(count.too_large * 1000 <= count.conditions, "{count:?}");
}

#[test]
fn the_analysis_of_random_conditions_agrees_with_brute_force_over_a_grid() {
    // Without optimisation the grid takes a hundred times as long.
    check(&compare(if cfg!(debug_assertions) { 2000 } else { 20_000 }, 1));
}

#[test]
#[ignore = "takes minutes; run it with --release and --nocapture"]
fn analysis_million() {
    let conditions = std::env::var("TRIMTAB_CONDITIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let began = Instant::now();
    let mut count = Count::default();
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..2).map(|part| scope.spawn(move || compare(conditions / 2, 100 + part))).collect();
        for part in parts {
            count.add(part.join().unwrap());
        }
    });
    let Count { conditions, never, always, sometimes, too_large, pairs, proved, beyond, points, ref wrong } = count;
    println!("{conditions} conditions: {never} never, {always} always, {sometimes} sometimes, {too_large} too large");
    println!("{pairs} pairs, {proved} implications and separations proved; {points} points of grids");
    println!("{beyond} witnesses beyond the grid; {} disagreements; {:.0?}", wrong.len(), began.elapsed());
    check(&count);
}
