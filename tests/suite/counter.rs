//! The error of the counter, compared with a new fit before each call.

use proptest::prelude::*;
use trimtab::conversation::{Body, Counter, Message, Role, Usage};
use trimtab::model::{Calibration, ContextSize, Models, TokenCounter};
use trimtab::quantity::Decimal;
use trimtab::simulate::{Extract, Options, OverheadSource, Tokens, replay};
use trimtab::transcript::{self, Transcript};

use crate::generated::irregular;
use crate::laws;

/// For each call with usage: the segment, the size and the recorded tokens.
fn points(transcript: &Transcript, factor: Decimal) -> Vec<(usize, ContextSize, u64)> {
    let counter = transcript
        .model
        .as_deref()
        .map_or_else(TokenCounter::default, |id| TokenCounter::of_model(id, &Models::default()));
    let mut points = Vec::new();
    for (at, message) in transcript.messages.iter().enumerate() {
        let Some(recorded) = message.usage.map(Usage::context).filter(|&context| context > 0) else { continue };
        let before = &transcript.messages[..at];
        let stretch = transcript.messages[..=at].iter().filter(|message| message.resets).count();
        let start = before.iter().rposition(|message| message.resets).unwrap_or(0);
        let prompt = before.iter().take_while(|message| message.role == Role::System).take(start);
        let person = before.iter().rposition(|message| message.role == Role::User && !message.harness);
        let drops = transcript.model.as_deref().is_some_and(|id| Models::default().drops_reasoning(id));
        let dropped_before = person.filter(|_| drops).unwrap_or(0);
        let mut size = ContextSize { counted: prompt.map(|message| counter.message(message)).sum(), known: 0 };
        for (position, message) in before.iter().enumerate().skip(start) {
            let of_message = size_of(message, counter, factor, position < dropped_before);
            size = ContextSize { counted: size.counted + of_message.counted, known: size.known + of_message.known };
        }
        points.push((stretch, size, recorded));
    }
    points
}

/// The size of a message, whose reasoning may have been dropped. That of a reply is known if the provider counted it.
fn size_of(message: &Message, counter: TokenCounter, factor: Decimal, drops_reasoning: bool) -> ContextSize {
    let estimated = counter.message(message);
    if message.role != Role::Assistant {
        return ContextSize::from(estimated);
    }
    if drops_reasoning {
        let reasoning = message.parts.iter().filter(|part| matches!(part.body, Body::Thinking { .. }));
        return ContextSize::from(estimated - reasoning.map(|part| counter.body(&part.body)).sum::<u64>());
    }
    let counted = trimtab::quantity::whole(Decimal::from(estimated) * factor);
    match message.reply_tokens(counted) {
        known if known != counted => ContextSize { counted: 0, known },
        _ => ContextSize::from(estimated),
    }
}

/// The mean error of the prediction for each call by a fit of the earlier calls.
fn error(points: &[(usize, ContextSize, u64)], factor: Decimal) -> Decimal {
    let mut sum = Decimal::ZERO;
    for at in 1..points.len() {
        let (_, counted, recorded) = points[at];
        let mut fit = Calibration::new(factor);
        let mut stretch = points[0].0;
        for &(of, counted, recorded) in &points[..at] {
            if of != std::mem::replace(&mut stretch, of) {
                fit.begin_segment();
            }
            fit.add(counted, recorded);
        }
        let predicted = fit.predict(counted).unwrap();
        sum += (Decimal::from(predicted.abs_diff(recorded)) / Decimal::from(recorded)).min(Decimal::ONE);
    }
    sum / Decimal::from(points.len().max(2) - 1)
}

proptest! {
    #![proptest_config(crate::generated::cases(200))]

    #[test]
    fn the_error_is_the_mean_error_of_predicting_each_call_from_earlier_calls(transcript in irregular::transcript()) {
        let plan = laws::plan("edition 2026\npolicy p { rule n { do notify \"\" } }");
        let options = Options { tokens: Tokens::Estimate, ..Options::default() };
        let trace = replay(&plan, &transcript, &options, &mut Extract, &mut |_| {});
        // An unexplained drop of the input starts a segment that this oracle does not know.
        prop_assume!(trace.drops.is_empty());
        let factor = transcript.model.as_deref().map_or(Decimal::ONE, |id| Models::default().factor(id));
        let points = points(&transcript, factor);
        prop_assert_eq!(trace.counter.usage_points, points.len());
        prop_assert_eq!(trace.counter.error.is_some(), points.len() >= 10);
        prop_assert_eq!(trace.counter.overhead == OverheadSource::Usage, !points.is_empty());
        if let Some(found) = trace.counter.error {
            let expected = error(&points, factor);
            prop_assert!((found - expected).abs() <= Decimal::new(1, 4), "{} for {}", found, expected);
        }
    }
}

#[test]
fn a_drop_that_is_not_in_the_recording_is_not_predicted() {
    let recording = |falls: bool| {
        let mut text = "{\"trimtab\":1}\n".to_owned();
        for at in 0..20u64 {
            let size = 10_000 + at * 2_000 - if falls && at >= 15 { 25_000 } else { 0 };
            let words = "word ".repeat(2_000);
            text += &format!(
                "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_call\",\"id\":\"c{at}\",\"name\":\"bash\",\
                 \"arguments\":\"{{}}\"}}],\"usage\":{{\"input\":{size},\"cache_read\":0,\"cache_write\":0,\"output\":9}}}}\n\
                 {{\"role\":\"tool\",\"content\":[{{\"type\":\"tool_result\",\"id\":\"c{at}\",\"content\":\"{words}\",\
                 \"is_error\":false}}]}}\n"
            );
        }
        transcript::read(text.as_bytes(), None).unwrap().transcripts.remove(0)
    };
    let plan = laws::plan("edition 2026\npolicy p { rule n { do notify \"\" } }");
    let error = |falls: bool| {
        let trace = replay(&plan, &recording(falls), &Options::default(), &mut Extract, &mut |_| {});
        assert_eq!(trace.drops.len(), usize::from(falls));
        trace.counter.error.unwrap()
    };
    // Call 15 has 15,000 tokens instead of the expected 40,000, and call 16 has 17,000: two drops.
    let two_of_nineteen = Decimal::TWO / Decimal::from(19);
    let (fell, flat) = (error(true), error(false));
    assert!(flat < Decimal::new(2, 2), "{flat}");
    assert!((fell - two_of_nineteen).abs() < Decimal::new(2, 2), "{fell}");
}
