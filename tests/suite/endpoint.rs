//! `EndpointSummariser`: requests and answers of both interfaces, and servers that misbehave.

mod answers;
mod faults;
mod policy;
mod requests;
mod retries;
pub(crate) mod server;
mod simulate;

use std::time::Duration;

use trimtab::{
    ApiKey, EndpointDialect, EndpointOptions, EndpointSummariser, Summarise, SummaryAnswer, SummaryError,
    SummaryRequest,
};

use self::server::Server;

pub(crate) const KEY: &str = "sk-secret-abcdefgh12345678";

/// A request for a summary.
pub(crate) fn request() -> SummaryRequest {
    SummaryRequest {
        instructions: "Summarise it.".to_owned(),
        previous: Some("So far, so good.".to_owned()),
        transcript: "[user] Mend the parser.\n[assistant] Done.\n".to_owned(),
        at_most: Some(400),
        ..SummaryRequest::default()
    }
}

/// Options for tests: patient attempts, and hardly any pause between them.
fn options() -> EndpointOptions {
    EndpointOptions {
        retries: 2,
        first_pause: Duration::from_millis(1),
        max_pause: Duration::from_millis(2),
        seed: Some(1),
        ..EndpointOptions::default()
    }
}

fn summariser(url: &str, dialect: EndpointDialect, options: EndpointOptions) -> EndpointSummariser {
    EndpointSummariser::new(dialect, url, "small-1", ApiKey::new(KEY).ok(), options).unwrap()
}

/// Asks a server with the interface of OpenAI for a summary. An error never shows the key.
async fn ask(server: &Server, options: EndpointOptions) -> Result<SummaryAnswer, SummaryError> {
    ask_as(EndpointDialect::OpenAi, &server.url, options).await
}

async fn ask_as(dialect: EndpointDialect, url: &str, options: EndpointOptions) -> Result<SummaryAnswer, SummaryError> {
    let summariser = summariser(url, dialect, options);
    assert_hidden(&format!("{summariser:?}"));
    let answer = summariser.summarise(&request(), 1).await;
    if let Err(error) = &answer {
        assert_hidden(&format!("{error} {error:?}"));
    }
    answer
}

fn assert_hidden(text: &str) {
    assert!(!text.contains(&KEY[..8]) && !text.contains(&KEY[KEY.len() - 4..]), "{text}");
}

#[test]
fn the_future_can_move_between_threads() {
    fn check<T: Send>(_: &T) {}
    let summariser = summariser("http://127.0.0.1:1", EndpointDialect::Anthropic, options());
    let summariser: &dyn Summarise = &summariser;
    check(&summariser.summarise(&request(), 1));
}

#[tokio::test]
async fn summarisers_without_a_model_can_be_awaited() {
    use trimtab::{ConstantSummariser, Extract, FailingSummariser};
    let all: [(&dyn Summarise, Result<&str, &str>); 3] = [
        (&ConstantSummariser("number {n}".to_owned()), Ok("number 4")),
        (&FailingSummariser, Err("the summariser is set to fail")),
        (
            &Extract,
            Ok("So far, so good.\nGoal: none\nCompleted work: none\nFiles touched: none\nKey decisions: none\n\
                Errors and blockers: none\nCurrent state:\n- [user] Mend the parser.\n  [assistant] Done.\nNext steps: none"),
        ),
    ];
    for (summariser, expected) in all {
        let answer = summariser.summarise(&request(), 4).await;
        let text = answer.map(|answer| answer.text).map_err(|error| error.to_string());
        assert_eq!(text, expected.map(str::to_owned).map_err(str::to_owned));
    }
}
