//! The summariser that `--summariser` names.

use crate::host::Command;
use crate::simulate::{Extract, Fails, Fixed, Summariser};

/// A choice of summariser; each transcript gets its own.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    Extract,
    Fail,
    Fixed(String),
    Command(String),
}

impl Chosen {
    pub(super) fn make(&self) -> Box<dyn Summariser> {
        match self {
            Self::Extract => Box::new(Extract),
            Self::Fail => Box::new(Fails),
            Self::Fixed(text) => Box::new(Fixed(text.clone())),
            Self::Command(line) => Box::new(Command::new(line)),
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Chosen, String> {
    match text.split_once(':') {
        None if text == "extract" => Ok(Chosen::Extract),
        None if text == "fail" => Ok(Chosen::Fail),
        Some(("fixed", text)) => Ok(Chosen::Fixed(text.to_owned())),
        Some(("command", line)) if !line.trim().is_empty() => Ok(Chosen::Command(line.to_owned())),
        _ => Err("one of extract, fixed:TEXT, fail, command:CMD".to_owned()),
    }
}
