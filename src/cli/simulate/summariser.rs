//! The summariser that `--summariser` names.

use crate::host::Command;
use crate::simulate::{ConstantSummariser, Extract, FailingSummariser, Summariser};

/// The chosen summariser; each transcript gets a new one.
#[derive(Clone, Debug)]
pub(super) enum SummariserChoice {
    Extract,
    Fail,
    ConstantSummariser(String),
    Command(String),
    #[cfg(test)]
    Panics,
}

impl SummariserChoice {
    pub(super) fn make(&self) -> Box<dyn Summariser> {
        match self {
            Self::Extract => Box::new(Extract),
            Self::Fail => Box::new(FailingSummariser),
            Self::ConstantSummariser(text) => Box::new(ConstantSummariser(text.clone())),
            Self::Command(line) => Box::new(Command::new(line)),
            #[cfg(test)]
            Self::Panics => Box::new(Panics),
        }
    }
}

pub(super) fn parse(text: &str) -> Result<SummariserChoice, String> {
    match text.split_once(':') {
        None if text == "extract" => Ok(SummariserChoice::Extract),
        None if text == "fail" => Ok(SummariserChoice::Fail),
        Some(("fixed", text)) => Ok(SummariserChoice::ConstantSummariser(text.to_owned())),
        Some(("command", line)) if !line.trim().is_empty() => Ok(SummariserChoice::Command(line.to_owned())),
        #[cfg(test)]
        None if text == "panics" => Ok(SummariserChoice::Panics),
        _ => Err("expected extract, fixed:TEXT, fail or command:CMD".to_owned()),
    }
}

/// A summariser with a bug: it panics if the conversation has characters beyond ASCII.
#[cfg(test)]
struct Panics;

#[cfg(test)]
impl Summariser for Panics {
    fn summarise(&mut self, request: &crate::effect::SummaryRequest, _: u64) -> Result<String, String> {
        assert!(request.transcript.is_ascii(), "a word beyond ASCII");
        Ok("short".to_owned())
    }
}
