//! The problems of transcripts.

use trimtab_analysis::recording::Problem;

use super::figure;
use super::listing::{Column, Listing, Section};
use super::number::{list, plural, whole};
use super::replay_result::ReplayError;
use super::result::{ProblemResult, ProblemSummary, ProblemsResult, SCHEMA_VERSION};

/// Most messages that are named.
const MAX_NAMED: usize = 5;

/// The problems of a transcript.
#[derive(Clone, Debug)]
pub struct TranscriptProblems {
    /// The name of the transcript: the file, with the id inside it if the file contains several.
    pub id: String,
    /// The problems, by kind.
    pub problems: Vec<Problem>,
}

/// A row for each kind of problem in each transcript, and the errors of files that could not be read.
pub fn transcript_problems(all: &[TranscriptProblems], errors: &[ReplayError]) -> Listing {
    let found = || all.iter().flat_map(|one| one.problems.iter().map(move |problem| (one, problem)));
    let rows = found().map(|(one, problem)| {
        let messages = list(problem.messages.iter(), MAX_NAMED);
        let noun = if problem.messages.len() == 1 { "message" } else { "messages" };
        let text = format!("{}: {} ({noun} {messages})", problem.kind.word(), problem.kind.meaning());
        vec![one.id.clone(), whole(problem.messages.len()), text]
    });
    let columns = vec![Column::file("transcript"), Column::number("times"), Column::text("problem")];
    let checked = format!("{} checked", plural(all.len(), "transcript"));
    let times: usize = found().map(|(_, problem)| problem.messages.len()).sum();
    let with = all.iter().filter(|one| !one.problems.is_empty()).count();
    let summary = if times == 0 {
        format!("{checked}, no problems found")
    } else {
        format!("{checked}: {} in {with}", plural(times, "problem"))
    };
    let section = Section { columns, rows: rows.collect(), notes: vec![summary], ..Section::default() };
    let problems: Vec<ProblemResult> = found().map(|(one, problem)| ProblemResult::of(&one.id, problem)).collect();
    let summary = ProblemSummary { transcripts: figure::number(all.len()), problems: figure::number(problems.len()) };
    let result = ProblemsResult { schema_version: SCHEMA_VERSION, problems, summary, errors: errors.to_vec() };
    Listing::new(vec![section], &result, &result.problems)
}
