//! The tests in policy files.

use trimtab_analysis::test::{self, Recordings};
use trimtab_language::check::TestCase;
use trimtab_recordings::transcript;
use trimtab_report::report::result::TestsResult;
use trimtab_report::report::{TestReport, TestedFile};

use super::lint::STYLE;
use super::policy::{PlanError, PolicyFile};

/// Recordings that the caller reads.
struct CallerRecordings<'a>(&'a dyn Fn(&str) -> Result<Vec<u8>, String>);

impl Recordings for CallerRecordings<'_> {
    fn find(&self, path: &str) -> Result<Vec<transcript::Transcript>, String> {
        let bytes = (self.0)(path)?;
        let reading = transcript::read(&bytes, None).map_err(|error| format!("{path}: {}", error.message))?;
        Ok(reading.transcripts)
    }
}

impl PolicyFile {
    /// Runs the tests of the file, and measures their coverage of each policy. `recording` gives the bytes of a recording that a test
    /// names, or the reason why it cannot be read.
    ///
    /// # Errors
    /// [`PlanError::InvalidFile`]: the file has errors.
    pub fn test(&self, recording: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<TestsResult, PlanError> {
        let checked = self.file.checked.as_ref().ok_or(PlanError::InvalidFile)?;
        let cases: Vec<&TestCase> = checked.tests.iter().collect();
        let outcomes = test::run(checked, &cases, &CallerRecordings(recording));
        let coverage = test::coverage(checked, &outcomes);
        let name = self.sources().get(self.id()).map_or("", |source| source.name());
        let file = TestedFile { file: name, sources: self.sources(), outcomes, coverage };
        let report =
            TestReport { files: vec![file], shows_coverage: true, least: None, seed: None, style: STYLE, quiet: false };
        Ok((&report).into())
    }
}
