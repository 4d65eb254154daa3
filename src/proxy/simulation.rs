//! Simulations of what a proxy has recorded: for the receipt at its end, and as a page while it runs.

use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::{self, Transcript};
use trimtab_report::report::{self, Overview, PageHead, ReplayResult, SessionDetail, SessionOutcome};
use trimtab_simulate::simulate::{Extract, Options, replay};

use super::Proxy;

/// How many transcripts a page shows call by call.
const DETAILS: usize = 20;

/// What a proxy has recorded, and the policy that is simulated on it.
pub struct Recorded {
    policy: String,
    /// The policy that was given, or one without rules.
    pub plan: Plan,
    transcripts: Vec<(String, Transcript)>,
}

impl Recorded {
    /// What a proxy has recorded so far.
    pub fn of(proxy: &Proxy) -> Self {
        let read = |(name, text): &(String, String)| {
            let transcripts = transcript::read(text.as_bytes(), None).ok()?.transcripts;
            Some(transcripts.into_iter().map(|transcript| (name.clone(), transcript)).collect::<Vec<_>>())
        };
        let all: Vec<(String, Transcript)> = proxy.recordings().iter().filter_map(read).flatten().collect();
        let is_whole = |at: &usize| !(0..all.len()).any(|other| is_continued_by(&all, *at, other));
        let whole: Vec<usize> = (0..all.len()).filter(is_whole).collect();
        let transcripts = whole.into_iter().map(|at| all[at].clone()).collect();
        let plan = proxy.policy.as_ref().unwrap_or(&proxy.plan).inner().clone();
        Self { policy: plan.policy.to_string(), plan, transcripts }
    }

    /// Each recording under the policy.
    pub fn replays(&self) -> Vec<ReplayResult> {
        let options = Options::default();
        self.transcripts.iter().map(|one| replayed(&self.plan, one, &options)).collect()
    }

    /// The report page, without text from the recordings.
    pub fn page(self) -> String {
        let mut overview = Overview::new(1);
        let mut shown = Vec::new();
        for (at, result) in self.replays().into_iter().enumerate() {
            let id = result.id.clone();
            if let Some(outcome) = SessionOutcome::of(&[result]) {
                overview.add(id, outcome);
                shown.push(at);
            }
        }
        let details: Vec<SessionDetail> =
            overview.notable(DETAILS).iter().map(|session| self.detail(*session, shown[*session])).collect();
        let head = PageHead {
            version: env!("CARGO_PKG_VERSION"),
            policies: &[(self.policy, self.plan)],
            has_texts: false,
            sample: None,
        };
        report::page(&head, &overview, &details, &[]).into_string()
    }

    fn detail(&self, session: usize, at: usize) -> SessionDetail {
        let options = Options { timeline: Some(0), per_call: true, ..Options::default() };
        let without_rules = Plan { agent: self.plan.agent.clone(), ..Plan::without_rules() };
        let recorded = replayed(&without_rules, &self.transcripts[at], &options);
        let result = replayed(&self.plan, &self.transcripts[at], &options);
        SessionDetail::of(session, &recorded, [(&self.plan, &result)])
    }
}

fn replayed(plan: &Plan, (name, transcript): &(String, Transcript), options: &Options) -> ReplayResult {
    let trace = replay(plan, transcript, options, &mut Extract, &mut |_| {});
    ReplayResult { file: String::new(), id: name.clone(), trace, assertions: Vec::new() }
}

/// Whether another recording begins with the replies of this one and continues: the client has discarded what followed
/// them, for example a truncated reply. Of recordings with equal replies, the last one counts as the continuation.
fn is_continued_by(all: &[(String, Transcript)], at: usize, other: usize) -> bool {
    let replies = |at: usize| all[at].1.messages.iter().filter(|message| message.is_reply());
    let begins_alike = || replies(at).zip(replies(other)).all(|(a, b)| a.parts == b.parts);
    let (length, longer) = (replies(at).count(), replies(other).count());
    let is_longer = length < longer || length == longer && at < other;
    // A conversation that has no reply yet is the beginning of any other.
    at != other && length > 0 && is_longer && begins_alike()
}
