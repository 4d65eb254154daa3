//! One event of a client: from JSON on standard input to the answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value as Json;
use trimtab_language::plan::Plan;
use trimtab_live::hook_client::{
    Arrival, ChangedResult, HookClient, SessionSource, change_result, hook_plan, may_change,
};
use trimtab_recordings::transcript::{self, Transcript};
use trimtab_report::report::{Encoding, Rendered};

use crate::cli::console::{Console, Failure};
use crate::cli::isolated::isolated;
use crate::cli::project::ProjectArguments;
use crate::cli::{input, load};
use crate::host::{HookState, repository_root};

/// The answer to the event on standard input. After any failure it is one that changes nothing, and the failure is kept for
/// `--status`.
pub(super) fn answer(
    client: &'static HookClient,
    policy: (Option<&Path>, Option<&str>),
    console: &Console,
) -> Rendered {
    let answered = isolated(|| changed(client, policy, console)).and_then(|answer| answer);
    let text = answered.unwrap_or_else(|reason| {
        console.error(&format!("error: the result stays as it is: {reason}"));
        let entry = format!("{} {reason}\n", Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ"));
        if let Err(error) =
            HookState::of(client.name).and_then(|state| state.keep_error(&entry).map_err(|e| e.to_string()))
        {
            console.error(&format!("error: this error cannot be kept: {error}"));
        }
        None
    });
    match text {
        Some(answer) => Encoding::Json.finish(format!("{answer}\n")),
        None if client.unchanged.is_empty() => Rendered::default(),
        None => Encoding::Json.finish(format!("{}\n", client.unchanged)),
    }
}

/// Returns the answer that changes the result, or `None` if no rule does.
fn changed(
    client: &HookClient,
    (policy, chosen): (Option<&Path>, Option<&str>),
    console: &Console,
) -> Result<Option<Json>, String> {
    let text = input::read_text(Path::new("-"))?;
    let event: Json = serde_json::from_str(&text).map_err(|error| format!("the event is not JSON: {error}"))?;
    let Some(arrival) = (client.read)(&event).map_err(|error| error.to_string())? else { return Ok(None) };
    let policy = policy.ok_or("the command of the hook names no policy")?;
    let plan = Arc::new(hook_plan(&plan(&policy_path(policy, &event), chosen, console)?));
    // Most results are short, and then the session need not be read.
    if !may_change(&plan, &arrival.text) {
        return Ok(None);
    }
    let transcript = recorded(client, &arrival)?;
    let state = HookState::of(client.name)?;
    let session =
        arrival.agent.as_ref().map_or_else(|| arrival.session.clone(), |agent| format!("{}/{agent}", arrival.session));
    let earlier: Vec<ChangedResult> = state.session(&session).map_err(|error| cannot("read", &state, &error))?;
    let now = Timestamp::now().to_string();
    let text = change_result(&plan, &transcript, &arrival, &earlier, Some(&now));
    // The process ends soon, and freeing a long session takes time.
    std::mem::forget(transcript);
    let Some(text) = text else { return Ok(None) };
    let answer = (client.answer)(&event, &text);
    let Arrival { call, text: original, is_error, .. } = arrival;
    let changed = ChangedResult { plan: plan.hash.clone(), call, original, changed: text, is_error };
    state.add(&session, &changed).map_err(|error| cannot("write", &state, &error))?;
    Ok(Some(answer))
}

fn cannot(verb: &str, state: &HookState, error: &std::io::Error) -> String {
    format!("cannot {verb} the state in {}: {error}", state.folder().display())
}

/// The plan of the policy.
fn plan(policy: &Path, chosen: Option<&str>, console: &Console) -> Result<Plan, String> {
    let name = policy.display().to_string();
    let compiled = || {
        let project = ProjectArguments::default().open(&[policy.to_path_buf()], console)?;
        load::plan(policy, &name, chosen, &project, console)
    };
    compiled().map_err(Failure::reason)?.ok_or_else(|| format!("{name} has errors"))
}

/// The file that a relative path in the settings of a project means: below the root of the repository of the session, or else
/// below a folder on the way to that of the session. A folder inside a repository cannot put its own policy in place of the
/// one at the root.
fn policy_path(policy: &Path, event: &Json) -> PathBuf {
    let Some(folder) = event.get("cwd").and_then(Json::as_str).map(Path::new).filter(|_| policy.is_relative()) else {
        return policy.to_path_buf();
    };
    let root = repository_root(folder).unwrap_or(folder);
    let inside = folder.ancestors().take_while(|above| above.starts_with(root)).map(|above| above.join(policy));
    inside.filter(|path| path.is_file()).last().unwrap_or_else(|| policy.to_path_buf())
}

/// The session so far.
fn recorded(client: &HookClient, arrival: &Arrival) -> Result<Transcript, String> {
    let (name, bytes) = match &arrival.source {
        SessionSource::File(path) => (path.as_str(), input::read(Path::new(path))),
        SessionSource::Event(text) => ("the session in the event", Ok(text.clone().into_bytes())),
    };
    let bytes = bytes.map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let file = transcript::read(complete_lines(&bytes), Some(client.format));
    let mut transcripts = file.map_err(|error| format!("cannot read {name}: {error}"))?.transcripts;
    let own = transcripts.iter().position(|one| one.agent == arrival.agent);
    own.map(|at| transcripts.swap_remove(at)).ok_or_else(|| format!("{name} has no conversation"))
}

/// The bytes of a file without a last line that the client has not written to its end.
fn complete_lines(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (lines, rest) = bytes.split_at(last);
    let is_complete = lines.is_empty() || serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok();
    if is_complete { bytes } else { lines }
}
