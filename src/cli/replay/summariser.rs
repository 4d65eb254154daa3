//! The summariser that `--summariser` names.

#[cfg(feature = "http")]
mod endpoint;
#[cfg(feature = "proxy")]
mod live;

use trimtab_simulate::simulate::{ConstantSummariser, Extract, FailingSummariser, Summariser};

use crate::host::{Command, EndpointDialect};

/// Makes a summariser for each transcript.
pub(in super::super) type Summarisers = Box<dyn Fn() -> Box<dyn Summariser> + Sync>;

/// The chosen summariser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum SummariserChoice {
    Extract,
    Fail,
    ConstantSummariser(String),
    Command(String),
    Server(ServerModel),
    #[cfg(test)]
    Panics,
}

/// A model of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct ServerModel {
    interface: EndpointDialect,
    model: String,
    /// None is the server of the provider that defines the interface.
    base_url: Option<String>,
}

impl SummariserChoice {
    /// Prepares the summariser. `key_variable` names the environment variable with the key of a server.
    ///
    /// # Errors
    /// If the server cannot be used, or if a key is named and there is no server.
    pub(in super::super) fn open(&self, key_variable: Option<&str>) -> Result<Summarisers, String> {
        self.check_key(key_variable)?;
        Ok(match self.clone() {
            Self::Extract => Box::new(|| Box::new(Extract)),
            Self::Fail => Box::new(|| Box::new(FailingSummariser)),
            Self::ConstantSummariser(text) => Box::new(move || Box::new(ConstantSummariser(text.clone()))),
            Self::Command(line) => Box::new(move || Box::new(Command::new(line.clone()))),
            #[cfg(feature = "http")]
            Self::Server(model) => endpoint::open(&model, key_variable)?,
            #[cfg(not(feature = "http"))]
            Self::Server(_) => {
                return Err("this build cannot call model servers; install it with `--features http`".to_owned());
            }
            #[cfg(test)]
            Self::Panics => Box::new(|| Box::new(Panics)),
        })
    }

    fn check_key(&self, key_variable: Option<&str>) -> Result<(), String> {
        if key_variable.is_some() && !matches!(self, Self::Server(_)) {
            return Err("--summariser-key needs a --summariser that is a model of a server".to_owned());
        }
        Ok(())
    }
}

pub(in super::super) fn parse(text: &str) -> Result<SummariserChoice, String> {
    match text.split_once(':') {
        None if text == "extract" => Ok(SummariserChoice::Extract),
        None if text == "fail" => Ok(SummariserChoice::Fail),
        Some(("fixed", text)) => Ok(SummariserChoice::ConstantSummariser(text.to_owned())),
        Some(("command", line)) if !line.trim().is_empty() => Ok(SummariserChoice::Command(line.to_owned())),
        #[cfg(test)]
        None if text == "panics" => Ok(SummariserChoice::Panics),
        Some((name, model)) => server_model(EndpointDialect::named(name).ok_or_else(expected)?, model),
        None => Err(expected()),
    }
}

/// The error for a summariser of an unknown kind.
fn expected() -> String {
    let servers = EndpointDialect::ALL.map(|dialect| format!("{}:MODEL", dialect.name()));
    format!("expected extract, fixed:TEXT, fail, command:CMD, {}", servers.join(" or "))
}

/// Parses a summariser that gives the same answer again and costs nothing.
pub(in super::super) fn parse_repeatable(text: &str) -> Result<SummariserChoice, String> {
    match parse(text) {
        Ok(SummariserChoice::Command(_) | SummariserChoice::Server(_)) => {
            Err("some transcripts are replayed twice, so only extract, fixed:TEXT and fail can be used".to_owned())
        }
        Err(_) => Err("expected extract, fixed:TEXT or fail".to_owned()),
        other => other,
    }
}

/// `MODEL` or `MODEL@URL`; the name of a model may contain `@`.
fn server_model(interface: EndpointDialect, text: &str) -> Result<SummariserChoice, String> {
    let url = ["@https://", "@http://"].into_iter().find_map(|start| text.split_once(start).map(|at| (at, start)));
    let (model, base_url) = match url {
        Some(((model, rest), start)) => (model, Some(format!("{}{rest}", start.trim_start_matches('@')))),
        None => (text, None),
    };
    if model.is_empty() {
        return Err("expected the name of a model after the colon".to_owned());
    }
    Ok(SummariserChoice::Server(ServerModel { interface, model: model.to_owned(), base_url }))
}

/// A summariser with a bug: it panics if the conversation has characters beyond ASCII.
#[cfg(test)]
struct Panics;

#[cfg(test)]
impl Summariser for Panics {
    fn summarise(&mut self, request: &trimtab_language::effect::SummaryRequest, _: u64) -> Result<String, String> {
        assert!(request.transcript.is_ascii(), "a word beyond ASCII");
        Ok("short".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_a_server_may_have_a_url() {
        let server = |interface, model: &str, base_url: Option<&str>| {
            let (model, base_url) = (model.to_owned(), base_url.map(str::to_owned));
            Ok(SummariserChoice::Server(ServerModel { interface, model, base_url }))
        };
        assert_eq!(parse("openai:a:b@1"), server(EndpointDialect::OpenAi, "a:b@1", None));
        let url = "https://u.example:8/v1";
        assert_eq!(parse("anthropic:a@1@https://u.example:8/v1"), server(EndpointDialect::Anthropic, "a@1", Some(url)));
        assert_eq!(parse("openai:a@http://[::1]"), server(EndpointDialect::OpenAi, "a", Some("http://[::1]")));
        assert!(parse("openai:").is_err() && parse("openai:@http://x").is_err() && parse("openai").is_err());
    }

    #[test]
    fn the_error_of_an_unknown_summariser_lists_the_known_ones() {
        let expected = "expected extract, fixed:TEXT, fail, command:CMD, openai:MODEL or anthropic:MODEL";
        for text in ["oracle", "gemini:m", "openai", "command: "] {
            assert_eq!(parse(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_key_without_a_server_is_an_error() {
        assert!(SummariserChoice::Extract.open(Some("KEY")).is_err());
        assert!(SummariserChoice::Extract.open(None).is_ok());
    }
}
