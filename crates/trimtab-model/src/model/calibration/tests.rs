use proptest::prelude::*;

use super::*;

/// Points on the line `recorded = 20,000 + 1.2 × counted`.
fn line(points: u64) -> Vec<(u64, u64)> {
    (1..=points).map(|at| (at * 1_000, 20_000 + at * 1_200)).collect()
}

fn fit(points: &[(u64, u64)]) -> Calibration {
    let mut calibration = Calibration::new(Decimal::ONE);
    for &(counted, recorded) in points {
        calibration.add(counted, recorded);
    }
    calibration
}

#[test]
fn a_line_fits_exactly_after_shortening() {
    let calibration = fit(&line(20));
    assert_eq!(
        (calibration.factor(), calibration.predict(5_000), calibration.points()),
        (Decimal::new(12, 1), Some(26_000), 20)
    );
}

#[test]
fn outliers_change_neither_factor_nor_overhead() {
    let mut points = line(20);
    points[3].1 = 2;
    points[9].1 = 900_000;
    points[18].1 = 13;
    let calibration = fit(&points);
    assert_eq!((calibration.factor(), calibration.predict(5_000)), (Decimal::new(12, 1), Some(26_000)));
    let error = calibration.error().expect("enough points");
    assert!(error > Decimal::ZERO && error < Decimal::new(2, 1), "{error}");
}

#[test]
fn unrecorded_content_changes_only_the_overhead() {
    let mut points = line(20);
    points.iter_mut().skip(10).for_each(|point| point.1 += 50_000);
    let calibration = fit(&points);
    assert_eq!((calibration.factor(), calibration.predict(5_000)), (Decimal::new(12, 1), Some(76_000)));
}

#[test]
fn known_tokens_need_no_factor() {
    let mut calibration = Calibration::new(Decimal::ONE);
    for at in 1..=20 {
        calibration.add(ContextSize { counted: at * 1_000, known: at * 300 }, 20_000 + at * 1_500);
    }
    let size = ContextSize { counted: 5_000, known: 7 };
    assert_eq!((calibration.factor(), calibration.predict(size)), (Decimal::new(12, 1), Some(26_007)));
    assert_eq!(calibration.growth(size, ContextSize { counted: 6_000, known: 0 }), 1_193);
}

#[test]
fn the_initial_factor_outweighs_a_few_tokens() {
    let mut calibration = Calibration::new(Decimal::new(12, 1));
    calibration.add(100, 10_000);
    calibration.add(200, 10_050);
    assert_eq!(calibration.factor(), Decimal::new(12, 1));
}

#[test]
fn an_overhead_is_never_negative() {
    let points: Vec<_> = (1..=10).map(|at| (at * 1_000, at * 800)).collect();
    assert_eq!((fit(&points).factor(), fit(&points).predict(0)), (Decimal::new(8, 1), Some(0)));
}

#[test]
fn the_factor_is_between_one_half_and_two() {
    let slope = |slope: u64| (1..=20).map(|at| (at * 1_000, 5_000 + at * slope)).collect::<Vec<_>>();
    assert_eq!(fit(&slope(9_000)).factor(), Decimal::TWO);
    assert_eq!(fit(&slope(100)).factor(), Decimal::new(5, 1));
}

#[test]
fn a_falling_count_does_not_change_the_factor() {
    let falling: Vec<_> = (1..=20).map(|at| (at * 1_000, 50_000 - at * 1_000)).collect();
    assert_eq!(fit(&falling).factor(), Decimal::ONE);
}

#[test]
fn an_error_is_reported_from_ten_calls() {
    assert_eq!((fit(&line(9)).error(), fit(&[]).error()), (None, None));
    assert!(fit(&line(10)).error().is_some());
}

/// The calls of each segment of the harness's context.
type Segments = Vec<Vec<(u64, u64)>>;

/// The prediction for each call but the first, computed from scratch with all previous calls.
fn naive(segments: &Segments, factor: u64) -> Vec<u64> {
    let flat: Vec<(usize, (u64, u64))> =
        segments.iter().enumerate().flat_map(|(at, points)| points.iter().map(move |point| (at, *point))).collect();
    (1..flat.len()).map(|at| predicted(&flat[..at], flat[at].1.0, factor)).collect()
}

fn predicted(before: &[(usize, (u64, u64))], counted: u64, factor: u64) -> u64 {
    let mut votes = vec![(factor, u128::from(PRIOR_WEIGHT))];
    for pair in before.windows(2) {
        let ((first, (x0, y0)), (second, (x1, y1))) = (pair[0], pair[1]);
        if first == second && x1 > x0 && y1 > y0 {
            let milli = (u128::from(y1 - y0) * 1000 / u128::from(x1 - x0)).clamp(500, 2000);
            votes.push((u64::try_from(milli).expect("clamped"), u128::from(x1 - x0)));
        }
    }
    votes.sort_unstable();
    let total: u128 = votes.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0;
    let reached = |(_, weight): &&(u64, u128)| {
        sum += weight;
        sum * 2 >= total
    };
    let milli = votes.iter().find(reached).expect("a vote").0;
    let segment = before.last().expect("a call before").0;
    let newest = before.iter().rev().take_while(|(at, _)| *at == segment).take(3);
    let rest: Vec<(i128, u64)> = newest
        .map(|(_, (counted, recorded))| (i128::from(*recorded) - i128::from(counted * milli / 1000), *recorded))
        .collect();
    let mut sorted: Vec<i128> = rest.iter().map(|(rest, _)| *rest).collect();
    sorted.sort_unstable();
    let (newest, recorded) = rest[0];
    let is_wrong = rest.len() == 3 && newest.abs_diff(sorted[1]) > u128::from(recorded / 10);
    let overhead = if is_wrong { sorted[1] } else { newest };
    u64::try_from((overhead + i128::from(counted * milli / 1000)).max(0)).expect("small")
}

fn segments() -> impl Strategy<Value = Segments> {
    let point = (0u64..5_000, 1u64..9_000);
    let any = prop::collection::vec((0u64..200_000, 1u64..200_000), 0..15);
    let growing = prop::collection::vec(point, 0..40).prop_map(|steps| {
        let grow = |sum: &mut (u64, u64), step: (u64, u64)| {
            *sum = (sum.0 + step.0, sum.1 + step.1);
            Some(*sum)
        };
        steps.into_iter().scan((0, 20_000), grow).collect()
    });
    prop::collection::vec(prop_oneof![3 => growing, 1 => any], 0..4)
}

proptest! {
    #[test]
    fn predictions_equal_those_of_a_fit_from_scratch(segments in segments(), factor in 500u64..=2000) {
        let mut calibration = Calibration::new(Decimal::from(factor) / Decimal::from(1000));
        let mut predictions = Vec::new();
        for points in &segments {
            calibration.begin_segment();
            predictions.extend(points.iter().filter_map(|(counted, recorded)| calibration.add(*counted, *recorded)));
        }
        let expected = naive(&segments, factor);
        prop_assert_eq!(&predictions, &expected);
        let flat: Vec<(u64, u64)> = segments.concat();
        let errors = expected.iter().zip(flat.iter().skip(1)).map(|(predicted, (_, recorded))| {
            let error = Decimal::from(predicted.abs_diff(*recorded)) / Decimal::from(*recorded);
            error.min(Decimal::ONE)
        });
        let mean = errors.sum::<Decimal>() / Decimal::from(expected.len().max(1));
        prop_assert_eq!(calibration.error().is_some(), flat.len() >= 10);
        if let Some(error) = calibration.error() {
            prop_assert!((error - mean).abs() <= Decimal::new(1, 4), "{} for {}", error, mean);
        }
    }

    #[test]
    fn any_points_give_a_factor_and_an_error_in_range(points in prop::collection::vec(any::<(u64, u64)>(), 0..40)) {
        let calibration = fit(&points);
        prop_assert!((Decimal::new(5, 1)..=Decimal::TWO).contains(&calibration.factor()));
        prop_assert!(calibration.error().is_none_or(|error| (Decimal::ZERO..=Decimal::ONE).contains(&error)));
        prop_assert_eq!(calibration.predict(0).is_some(), !points.is_empty());
        prop_assert!(calibration.predict(0) <= calibration.predict(u64::MAX));
    }

    #[test]
    fn any_line_fits_after_shortening(
        overhead in 0u64..100_000,
        milli in 500u64..=2_000,
        counts in prop::collection::btree_set(1u64..1_000, 12..60),
    ) {
        let points: Vec<_> = counts.iter().map(|at| (at * 1_000, overhead + at * milli)).collect();
        let calibration = fit(&points);
        prop_assert_eq!(calibration.factor(), Decimal::from(milli) / Decimal::from(1_000));
        prop_assert_eq!(calibration.predict(0), Some(overhead));
    }
}
