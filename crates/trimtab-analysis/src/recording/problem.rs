//! What is wrong with a transcript: a missing beginning, calls and results that do not pair, missing or impossible usage,
//! times that go backwards.

use std::collections::HashMap;

use jiff::Timestamp;
use trimtab_base::conversation::Usage;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Transcript;
use trimtab_simulate::simulate::{self, Call, FailingSummariser};

use super::pairing::Pairing;

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Records of the file that cannot be read.
    BrokenRecord,
    /// First messages before which the session had others.
    MissingBeginning,
    /// Tool results that answer no call.
    OrphanResult,
    /// Tool calls without a result.
    UnansweredCall,
    /// Tool calls that have the id of an earlier one.
    DuplicateId,
    /// Replies without usage, although others have it.
    MissingUsage,
    /// Replies whose usage has no input.
    EmptyUsage,
    /// Calls whose recorded input is smaller than before, and nothing in the recording explains it.
    UnexplainedDrop,
    /// Messages with an earlier time than the message before.
    TimeBackwards,
    /// Calls whose recorded context is larger than the context window.
    AboveWindow,
}

impl ProblemKind {
    /// All kinds, in the order of output.
    pub const ALL: [Self; 10] = [
        Self::BrokenRecord,
        Self::MissingBeginning,
        Self::OrphanResult,
        Self::UnansweredCall,
        Self::DuplicateId,
        Self::MissingUsage,
        Self::EmptyUsage,
        Self::UnexplainedDrop,
        Self::TimeBackwards,
        Self::AboveWindow,
    ];

    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BrokenRecord => "broken-record",
            Self::MissingBeginning => "missing-beginning",
            Self::OrphanResult => "orphan-result",
            Self::UnansweredCall => "unanswered-call",
            Self::DuplicateId => "duplicate-id",
            Self::MissingUsage => "missing-usage",
            Self::EmptyUsage => "empty-usage",
            Self::UnexplainedDrop => "unexplained-drop",
            Self::TimeBackwards => "time-backwards",
            Self::AboveWindow => "above-window",
        }
    }

    /// What it means, in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::BrokenRecord => "lines or members of the file are broken; it may be truncated",
            Self::MissingBeginning => "the recording begins in the middle of the session",
            Self::OrphanResult => "a tool result answers no call before it",
            Self::UnansweredCall => "a tool call has no result",
            Self::DuplicateId => "a tool call has the id of an earlier one",
            Self::MissingUsage => "a reply has no usage, although others have it",
            Self::EmptyUsage => "the usage of a reply has no input",
            Self::UnexplainedDrop => "the recorded input shrinks, and nothing recorded explains it",
            Self::TimeBackwards => "a message is older than the one before it",
            Self::AboveWindow => "a recorded context is larger than the context window",
        }
    }
}

/// All problems of one kind in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// The indices of the messages, from 0; not empty. A message is listed once for each time it has the problem.
    pub messages: Vec<usize>,
}

/// The problems of a transcript, by kind. The window overrides all other sources.
pub fn problems(transcript: &Transcript, window: Option<u64>) -> Vec<Problem> {
    let pairing = Pairing::of(transcript);
    let (drops, above) = replayed(transcript, window);
    let all = [
        (ProblemKind::BrokenRecord, broken(transcript)),
        (ProblemKind::MissingBeginning, missing_beginning(transcript)),
        (ProblemKind::OrphanResult, pairing.orphans.iter().map(|(message, _)| *message).collect()),
        (ProblemKind::UnansweredCall, unanswered(&pairing)),
        (ProblemKind::DuplicateId, duplicates(&pairing)),
        (ProblemKind::MissingUsage, without_usage(transcript)),
        (ProblemKind::EmptyUsage, with_usage(transcript, |usage| usage.context() == 0)),
        (ProblemKind::UnexplainedDrop, drops),
        (ProblemKind::TimeBackwards, backwards(transcript)),
        (ProblemKind::AboveWindow, above),
    ];
    let problems = all.into_iter().map(|(kind, messages)| Problem { kind, messages });
    problems.filter(|problem| !problem.messages.is_empty()).collect()
}

/// The last message, if records of the file are broken.
fn broken(transcript: &Transcript) -> Vec<usize> {
    let last = transcript.messages.len().checked_sub(1);
    last.filter(|_| transcript.has_broken_records()).into_iter().collect()
}

/// The first message, if the session had others before it.
fn missing_beginning(transcript: &Transcript) -> Vec<usize> {
    let first = (0..transcript.messages.len()).take(1);
    first.filter(|_| transcript.missing_history).collect()
}

/// The messages with calls that have no result.
fn unanswered(pairing: &Pairing) -> Vec<usize> {
    pairing.calls.iter().filter(|call| call.result.is_none()).map(|call| call.message).collect()
}

/// The messages with calls that have the id of an earlier call.
fn duplicates(pairing: &Pairing) -> Vec<usize> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let calls = pairing.calls.iter().filter(|call| !call.id.is_empty());
    calls.filter(|call| seen.insert(&call.id, call.message).is_some()).map(|call| call.message).collect()
}

/// The replies without usage, if others have it.
fn without_usage(transcript: &Transcript) -> Vec<usize> {
    let replies = || transcript.messages.iter().enumerate().filter(|(_, message)| message.is_reply());
    if replies().all(|(_, reply)| reply.usage.is_none()) {
        return Vec::new();
    }
    replies().filter(|(_, reply)| reply.usage.is_none()).map(|(at, _)| at).collect()
}

/// The messages whose usage has a property.
fn with_usage(transcript: &Transcript, has: impl Fn(Usage) -> bool) -> Vec<usize> {
    let messages = transcript.messages.iter().enumerate();
    messages.filter(|(_, message)| message.usage.is_some_and(&has)).map(|(at, _)| at).collect()
}

/// The messages that are older than the newest one before them. Times that cannot be parsed are ignored.
fn backwards(transcript: &Transcript) -> Vec<usize> {
    let mut newest: Option<Timestamp> = None;
    let mut found = Vec::new();
    for (at, message) in transcript.messages.iter().enumerate() {
        let time = message.at.as_ref().and_then(|time| time.parse::<Timestamp>().ok());
        if time.is_some() && time < newest {
            found.push(at);
        }
        newest = newest.max(time);
    }
    found
}

/// The replies at which a replay of the recording finds an unexplained drop, and those whose context is larger than the
/// window of their model.
fn replayed(transcript: &Transcript, window: Option<u64>) -> (Vec<usize>, Vec<usize>) {
    let options = simulate::Options { window, ..simulate::Options::default() };
    let trace = simulate::replay(&Plan::without_rules(), transcript, &options, &mut FailingSummariser, &mut |_| {});
    let messages = transcript.messages.iter().enumerate();
    let replies: Vec<usize> = messages.filter(|(_, message)| message.is_reply()).map(|(at, _)| at).collect();
    let drops = trace.drops.iter().filter_map(|call| replies.get(*call).copied()).collect();
    let exceeds = |reply: usize, call: &Call| {
        let recorded = transcript.messages[reply].usage.map(Usage::context);
        recorded.zip(call.window).is_some_and(|(context, window)| context > window)
    };
    let calls = replies.iter().zip(&trace.calls);
    (drops, calls.filter(|(reply, call)| exceeds(**reply, call)).map(|(reply, _)| *reply).collect())
}

#[cfg(test)]
mod tests {
    use trimtab_recordings::transcript;

    use super::*;

    /// The kinds of the problems with the indices of their messages.
    fn found(lines: &[&str]) -> Vec<(&'static str, Vec<usize>)> {
        let text = format!("{{\"trimtab\":1,\"window\":1000}}\n{}\n", lines.join("\n"));
        let read = transcript::read(text.as_bytes(), None).expect("a recording");
        problems(&read.transcripts[0], None).into_iter().map(|one| (one.kind.word(), one.messages)).collect()
    }

    const ASK: &str = r#"{"role":"user","content":"go"}"#;
    const CALL: &str = r#"{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"a","arguments":{}}]}"#;
    const RESULT: &str = r#"{"role":"tool","content":[{"type":"tool_result","id":"1","content":"x"}]}"#;

    #[test]
    fn a_sound_transcript_has_no_problems() {
        assert_eq!(found(&[ASK, CALL, RESULT]), []);
        let timed = |time: &str| format!(r#"{{"role":"user","content":"go","at":"{time}"}}"#);
        assert_eq!(found(&[&timed("2026-01-01T00:00:00Z"), &timed("nonsense"), &timed("2026-01-01T00:00:01Z")]), []);
    }

    #[test]
    fn a_truncated_file_is_found() {
        assert_eq!(found(&[ASK, CALL, RESULT, r#"{"role":"assist"#]), [("broken-record", vec![2])]);
    }

    #[test]
    fn calls_and_results_that_do_not_pair_are_found() {
        assert_eq!(found(&[ASK, RESULT, CALL]), [("orphan-result", vec![1]), ("unanswered-call", vec![2])]);
        assert_eq!(found(&[ASK, CALL, RESULT, CALL, RESULT]), [("duplicate-id", vec![3])]);
    }

    #[test]
    fn a_recording_that_begins_in_the_middle_of_its_session_is_found() {
        let text = format!("{{\"trimtab\":1,\"missing_history\":true}}\n{ASK}\n{CALL}\n{RESULT}\n");
        let read = transcript::read(text.as_bytes(), None).expect("a recording");
        let expected = Problem { kind: ProblemKind::MissingBeginning, messages: vec![0] };
        assert_eq!(problems(&read.transcripts[0], None), [expected]);
    }

    #[test]
    fn missing_and_impossible_usage_is_found() {
        let reply =
            |input: u64| format!(r#"{{"role":"assistant","content":"x","usage":{{"input":{input},"output":1}}}}"#);
        let plain = r#"{"role":"assistant","content":"x"}"#;
        let expected = [("missing-usage", vec![1]), ("empty-usage", vec![3]), ("above-window", vec![5])];
        assert_eq!(found(&[ASK, plain, ASK, &reply(0), ASK, &reply(2000)]), expected);
    }

    #[test]
    fn times_that_go_backwards_are_found() {
        let at = |second: u8| format!(r#"{{"role":"user","content":"go","at":"2026-01-01T00:00:0{second}Z"}}"#);
        assert_eq!(found(&[&at(3), &at(1), &at(2), &at(3)]), [("time-backwards", vec![1, 2])]);
    }
}
