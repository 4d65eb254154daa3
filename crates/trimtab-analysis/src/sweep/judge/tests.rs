use super::*;
use crate::sweep::AXES;

/// Observations of transcripts, half of them held out. `value` gives the cost, the peak and whether the constraint holds,
/// of a transcript under a combination.
fn observed(
    transcripts: usize,
    combinations: usize,
    value: impl Fn(usize, usize) -> (i64, i64, bool),
) -> Vec<Observation> {
    let outcome = |transcript, combination| {
        let (cost, peak, holds) = value(transcript, combination);
        let of = |axis: &&Axis| match axis.name {
            "cost" => Some(Decimal::new(cost, 2)),
            "peak" => Some(Decimal::new(peak, 2)),
            _ => None,
        };
        TranscriptOutcome {
            values: AXES.iter().map(of).collect(),
            errors: Vec::new(),
            unmet: if holds { Vec::new() } else { vec![0] },
        }
    };
    let observation = |transcript| Observation {
        half: Half::ALL[transcript % 2],
        outcomes: (0..combinations).map(|combination| outcome(transcript, combination)).collect(),
    };
    (0..transcripts).map(observation).collect()
}

fn axis(name: &str) -> &'static Axis {
    AXES.iter().copied().find(|axis| axis.name == name).expect("an axis")
}

fn judged(observations: &[Observation]) -> Sweep {
    let count = observations.first().map_or(0, |one| one.outcomes.len());
    let combinations = (0..count).map(|at| (vec![at.to_string()], format!("hash{at}"))).collect();
    let axes = ["cost", "peak", "regret"].map(axis).to_vec();
    let objective = Objective { axes, constraints: vec!["peak context.ratio <= 90%".to_owned()], seed: 0 };
    judge(combinations, observations.to_vec(), objective).expect("the cost is known")
}

#[test]
fn the_front_has_what_no_other_combination_is_better_than() {
    let figures = [(50, 50), (40, 60), (40, 70), (60, 40), (60, 60), (40, 60)];
    let sweep = judged(&observed(12, 6, |_, at| (figures[at].0, figures[at].1, true)));
    assert_eq!(sweep.front, [1, 0, 3], "2 and 4 are dominated, 5 equals 1");
    assert_eq!((sweep.winner, sweep.runner_up), (Some(1), Some(2)));
    assert_eq!(sweep.unknown.iter().map(|axis| axis.name).collect::<Vec<_>>(), ["regret"]);
    assert_eq!(sweep.verdict, SweepVerdict::Holds);
    let lead = sweep.leads.first().expect("a lead over the file as written");
    assert_eq!((lead.other, lead.interval.mean), (0, Decimal::new(-10, 2)));
}

#[test]
fn a_lead_that_is_lost_on_the_held_out_half_does_not_hold() {
    let cost = |transcript: usize, at: usize| if at == 0 { 50 } else { 40 + 20 * i64::from(transcript % 2 == 1) };
    let sweep = judged(&observed(20, 2, |transcript, at| (cost(transcript, at), 50, true)));
    assert_eq!((sweep.winner, sweep.verdict), (Some(1), SweepVerdict::DoesNotHold));
}

#[test]
fn a_lead_that_comes_from_few_transcripts_is_within_noise() {
    let cost = |transcript: usize, at: usize| if at == 1 && transcript < 2 { 10 } else { 50 };
    let sweep = judged(&observed(20, 2, |transcript, at| (cost(transcript, at), 50, true)));
    assert_eq!((sweep.winner, sweep.verdict), (Some(1), SweepVerdict::WithinNoise));
}

#[test]
fn a_lead_that_is_smaller_than_the_errors_of_replays_is_none() {
    let mut observations = observed(20, 2, |_, at| (50 - 10 * i64::from(at == 1), 50, true));
    // What both take has the same error; only what the winner takes beyond that counts.
    let take = |observations: &mut [Observation], taken: [i64; 2]| {
        for (outcome, taken) in observations.iter_mut().flat_map(|one| one.outcomes.iter_mut().zip(taken)) {
            let amounts = ErrorAmounts { taken: Decimal::new(taken, 2), ..ErrorAmounts::default() };
            outcome.errors = AXES.iter().map(|_| amounts).collect();
        }
    };
    for (taken, verdict) in
        [([900, 910], SweepVerdict::Holds), ([0, 58], SweepVerdict::Holds), ([0, 59], SweepVerdict::WithinError)]
    {
        take(&mut observations, taken);
        assert_eq!(judged(&observations).verdict, verdict, "{taken:?}");
    }
}

#[test]
fn few_transcripts_permit_no_conclusion() {
    let sweep = judged(&observed(11, 2, |_, at| (50 - 10 * i64::from(at == 1), 50, true)));
    assert_eq!((sweep.transcripts, sweep.verdict), ([6, 5], SweepVerdict::TooFewTranscripts));
    let nothing = judged(&observed(0, 2, |_, _| (0, 0, true)));
    assert_eq!((nothing.winner, nothing.verdict), (None, SweepVerdict::NoneFeasible));
}

#[test]
fn a_constraint_decides_before_the_objective() {
    let sweep =
        judged(&observed(12, 3, |transcript, at| (50 + i64::from(at == 1), 50, at == 1 || transcript % 4 == 1)));
    assert_eq!(
        (sweep.winner, sweep.verdict),
        (Some(1), SweepVerdict::MeetsConstraints),
        "it costs more and is feasible"
    );
    assert_eq!(sweep.candidates[0].on(Half::Tuning).unmet, [6]);
    let none = judged(&observed(12, 2, |transcript, _| (50, 50, transcript > 0)));
    assert_eq!((none.winner, none.verdict), (None, SweepVerdict::NoneFeasible));
    let breaks = judged(&observed(12, 2, |transcript, at| (50 - i64::from(at == 1), 50, at == 0 || transcript != 3)));
    assert_eq!((breaks.winner, breaks.verdict), (Some(1), SweepVerdict::BreaksConstraint));
}

#[test]
fn the_file_as_written_wins_a_tie() {
    let sweep = judged(&observed(12, 3, |_, _| (50, 50, true)));
    assert_eq!((sweep.winner, sweep.front, sweep.verdict), (Some(0), vec![0], SweepVerdict::AsWritten));
}

#[test]
fn an_unknown_objective_is_an_error() {
    let observations = observed(12, 2, |_, _| (50, 50, true));
    let axes = vec![axis("regret")];
    let objective = Objective { axes, constraints: Vec::new(), seed: 0 };
    let combinations = vec![(Vec::new(), String::new()), (Vec::new(), String::new())];
    assert_eq!(judge(combinations, observations, objective).err(), Some(UnknownObjective(12)));
}

#[test]
fn an_axis_that_is_unknown_in_few_transcripts_is_compared_in_the_others() {
    let drop = |observations: &mut [Observation], transcripts: &[usize]| {
        for at in transcripts {
            // Under one combination only.
            observations[*at].outcomes[1].drop_value(axis("cost"));
        }
    };
    let mut observations = observed(24, 2, |transcript, at| {
        (if transcript == 1 { 5_000 } else { 50 - 10 * i64::from(at == 1) }, 50, true)
    });
    drop(&mut observations, &[0, 1]);
    let sweep = judged(&observations);
    assert_eq!(sweep.partial.iter().map(|(axis, known)| (axis.name, *known)).collect::<Vec<_>>(), [("cost", 22)]);
    assert_eq!((sweep.winner, sweep.verdict), (Some(1), SweepVerdict::Holds));
    assert_eq!(sweep.candidates[0].on(Half::HeldOut).mean(axis("cost")), Some(Decimal::new(50, 2)));
    // With five of twelve in a set nothing can be concluded, and with less than half of the tokens nothing compared.
    drop(&mut observations, &[2, 4, 6, 8, 10]);
    assert_eq!(judged(&observations).verdict, SweepVerdict::Holds);
    drop(&mut observations, &[12]);
    let objective = Objective { axes: vec![axis("cost")], constraints: Vec::new(), seed: 0 };
    let combinations = vec![(Vec::new(), String::new()), (Vec::new(), String::new())];
    assert_eq!(judge(combinations, observations, objective).err(), Some(UnknownObjective(8)));
}

/// The same as [`judged`] with the default axes, where the last value is how many sessions a combination stops.
fn judged_with_stops(value: impl Fn(usize) -> (i64, i64, i64)) -> Sweep {
    let combinations: Vec<_> = (0..3).map(|at| (vec![at.to_string()], format!("hash{at}"))).collect();
    let outcome = |at: usize| {
        let (cost, summaries, stops) = value(at);
        let of = |axis: &&Axis| match axis.name {
            "cost" => Some(Decimal::new(cost, 2)),
            "summaries" => Some(Decimal::from(summaries)),
            "sessions-stopped" => Some(Decimal::from(stops)),
            _ => None,
        };
        TranscriptOutcome { values: AXES.iter().map(of).collect(), errors: Vec::new(), unmet: Vec::new() }
    };
    let observation =
        |transcript: usize| Observation { half: Half::ALL[transcript % 2], outcomes: (0..3).map(outcome).collect() };
    let axes = ["cost", "summaries", "sessions-stopped"].map(axis).to_vec();
    let objective = Objective { axes, constraints: Vec::new(), seed: 0 };
    judge(combinations, (0..12).map(observation).collect(), objective).expect("the cost is known")
}

#[test]
fn a_combination_gains_nothing_on_any_axis_by_stopping_sessions() {
    let sweep = judged_with_stops(|at| [(50, 3, 0), (10, 0, 1), (40, 2, 0)][at]);
    assert_eq!((sweep.winner, sweep.verdict), (Some(2), SweepVerdict::Holds));
    let stops = sweep.candidates[1].on(Half::Tuning);
    assert_eq!(["cost", "summaries"].map(|name| stops.mean(axis(name))), [Some(Decimal::new(50, 2)), Some(3.into())]);
    assert!(!sweep.front.contains(&1), "it is dominated: {:?}", sweep.front);
}

#[test]
fn of_equal_costs_the_combination_that_stops_fewer_sessions_wins() {
    let sweep = judged_with_stops(|at| [(50, 0, 1), (50, 0, 1), (50, 0, 0)][at]);
    assert_eq!((sweep.winner, sweep.verdict), (Some(2), SweepVerdict::Holds));
    assert_eq!(sweep.deciding.map(|axis| axis.name), Some("sessions-stopped"));
    let all = judged_with_stops(|at| [(50, 0, 1), (40, 0, 1), (60, 0, 1)][at]);
    assert_eq!(all.winner, Some(1), "all stop, so their own costs count");
}
