use std::sync::Arc;

use proptest::prelude::*;
use trimtab_base::conversation::{Arguments, Message, Part, Role};
use trimtab_base::quantity::{Decimal, Value};

use super::*;
use crate::fact::argument::Tools;
use crate::fact::tail::calls_of_tools::CallsOfTools;
use crate::fact::tools_argument;

/// What happens in a session.
#[derive(Clone, Debug)]
enum Event {
    /// A reply with calls, each of a tool about files, so many seconds later.
    Reply(Vec<(usize, Vec<usize>)>, u8),
    Run,
}

const TOOLS: [&str; 3] = ["edit_file", "write_file", "read_file"];
const PATHS: [&str; 4] = ["a.rs", "./a.rs", "src/b.rs", "c"];

fn event() -> impl Strategy<Value = Event> {
    let call = (0usize..3, prop::collection::vec(0usize..4, 0..3));
    prop_oneof![
        6 => (prop::collection::vec(call, 0..3), 0u8..30).prop_map(|(calls, seconds)| Event::Reply(calls, seconds)),
        1 => Just(Event::Run),
    ]
}

/// A call as it is looked at again for each question.
#[derive(Clone)]
struct Call {
    run: u64,
    reply: usize,
    at: Option<Decimal>,
    tool: &'static str,
    files: Vec<SmolStr>,
}

fn json(paths: &[usize]) -> serde_json::Value {
    serde_json::json!({ "paths": paths.iter().map(|path| PATHS[*path]).collect::<Vec<_>>() })
}

fn newest(calls: &[Call], recent: Option<Recent>, replies: usize, now: Option<Decimal>) -> Vec<Call> {
    let first = match recent {
        Some(Recent::Calls(most)) => calls.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX)),
        _ => 0,
    };
    let is_recent = |call: &&Call| match recent {
        Some(Recent::Iterations(most)) => (replies - call.reply) as u64 <= most,
        Some(Recent::Time(seconds)) => call.at.zip(now).is_some_and(|(at, now)| now - at < seconds),
        _ => true,
    };
    calls[first..].iter().filter(is_recent).cloned().collect()
}

/// The file that most calls change, with their number.
fn most_edited(calls: &[Call]) -> Option<(usize, SmolStr)> {
    let mut files: Vec<(usize, usize, SmolStr)> = Vec::new();
    for (place, file) in calls.iter().flat_map(|call| call.files.iter()).enumerate() {
        match files.iter_mut().find(|(_, _, known)| known == file) {
            Some(known) => (known.0, known.1) = (known.0 + 1, place),
            None => files.push((1, place, file.clone())),
        }
    }
    files.into_iter().max_by_key(|(count, place, _)| (*count, *place)).map(|(count, _, file)| (count, file))
}

/// The files, the newest change first.
fn changed(calls: &[Call]) -> Vec<SmolStr> {
    let mut files: Vec<SmolStr> = Vec::new();
    for file in calls.iter().flat_map(|call| call.files.iter()) {
        files.retain(|known| known != file);
        files.insert(0, file.clone());
    }
    files
}

proptest! {
    #[test]
    fn what_is_followed_equals_what_the_whole_session_says(events in prop::collection::vec(event(), 0..40), timed in any::<bool>()) {
        let (mut log, mut tools, mut files) = (SessionLog::default(), CallsOfTools::default(), Files::default());
        let (mut all, mut run, mut replies, mut now) = (Vec::<Call>::new(), 0, 0, None);
        for event in &events {
            match event {
                Event::Run => {
                    run += 1;
                    log.begin_run();
                }
                Event::Reply(calls, seconds) => {
                    let later = Decimal::from(*seconds);
                    now = (timed && (replies > 1 || now.is_some())).then(|| now.unwrap_or_default() + later);
                    let part = |(tool, paths): &(usize, Vec<usize>)| Part::call("c", TOOLS[*tool], Arguments::from(json(paths)));
                    let reply = Arc::new(Message::new(Role::Assistant, calls.iter().map(part).collect()));
                    log.record_reply(&reply, now);
                    for (tool, paths) in calls {
                        let (arguments, tool) = (json(paths), TOOLS[*tool]);
                        let found = classify(tool, &arguments).changed_files();
                        let files = found.into_iter().map(SmolStr::from).collect();
                        all.push(Call { run, reply: replies, at: now, tool, files });
                    }
                    replies += 1;
                }
            }
            for scope in Scope::ALL {
                let own: Vec<Call> = all.iter().filter(|call| scope == Scope::Session || call.run == run).cloned().collect();
                for recent in [None, Some(Recent::Calls(3)), Some(Recent::Iterations(2)), Some(Recent::Time(Decimal::from(25)))] {
                    for some in [&[][..], &["edit_file"], &["edit*", "read_file"]] {
                        let argument = tools_argument(some.iter().copied());
                        let Value::Text(key) = &argument else { unreachable!("a text") };
                        let of = Tools::new(key);
                        let counted = newest(&own, recent, replies, now);
                        let counted = counted.iter().filter(|call| of.includes(Some(call.tool))).count();
                        prop_assert_eq!(tools.count(&log, of, (recent, scope), now), counted, "{:?} {:?}", recent, scope);
                    }
                }
                for (calls, after) in [(1, ""), (3, ""), (10, ""), (3, "read_file"), (10, "read_file"), (10, "edit*,read_file")] {
                    let of = Tools::new(after);
                    let first = if after.is_empty() { 0 } else { tools.after_newest(&log, of) };
                    let edits = files.edits(&log, (calls, scope), (after, first)).map(|edits| (edits.calls, edits.path));
                    let counted = newest(&own, Some(Recent::Calls(calls)), replies, now);
                    let is_end = |call: &Call| !after.is_empty() && of.includes(Some(call.tool));
                    let start = counted.iter().rposition(is_end).map_or(0, |at| at + 1);
                    prop_assert_eq!(edits, most_edited(&counted[start..]), "{} after {}", calls, after);
                }
                let paths = changed(&own);
                prop_assert_eq!(files.changed(&log, scope), paths.len());
                prop_assert_eq!(files.newest(&log, scope, 2), &paths[..paths.len().min(2)]);
            }
        }
    }
}
