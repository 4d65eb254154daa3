//! What a proxy has done, for the person who has run it.

use std::collections::BTreeMap;

use trimtab_report::report::{PolicyReplays, REPLAY_FORMATS, ReplayHead, Replays, TerminalStyle, plural, whole};

use crate::proxy::{ConversationStatistics, Mode, Proxy, Recorded};

/// What has happened, in lines: the requests, what the provider has reported, and what the policy in this file does, by a
/// simulation of the recordings.
pub(in super::super) fn receipt(proxy: &Proxy, mode: Mode, policy: Option<&str>, style: TerminalStyle) -> String {
    let (counters, statistics) = (proxy.counters(), proxy.statistics());
    let sum = |of: fn(&ConversationStatistics) -> u64| statistics.values().map(of).sum::<u64>();
    let tokens = |of: fn(&ConversationStatistics) -> u64| whole(count(sum(of)));
    let requests = sum(|statistics| statistics.requests);
    let mut text = format!(
        "{} in {}; {} more passed as they were\n",
        plural(count(requests), "request"),
        plural(statistics.len(), "conversation"),
        counters.passed.values().sum::<u64>(),
    );
    let replies = sum(|statistics| statistics.replies);
    if replies > 0 {
        text += &format!(
            "reported by the provider for {}: {} input tokens ({} read from its cache, {} written to it), {} output tokens\n",
            plural(count(replies), "reply"),
            tokens(|statistics| statistics.input_tokens),
            tokens(|statistics| statistics.cache_read_tokens),
            tokens(|statistics| statistics.cache_write_tokens),
            tokens(|statistics| statistics.output_tokens),
        );
    }
    if mode == Mode::Enforce {
        text += &format!("{} sent with edits\n", plural(count(counters.edited), "request"));
    }
    let mut stopped: BTreeMap<&str, u64> = BTreeMap::new();
    for (rule, requests) in statistics.values().flat_map(|statistics| &statistics.stopped) {
        *stopped.entry(rule).or_default() += requests;
    }
    for (rule, requests) in stopped {
        let requests = plural(count(requests), "request");
        text += &format!("{requests} stopped by `{rule}` and not sent\n");
    }
    if counters.retried > 0 {
        text += &format!("{} rejected with edits and sent again without\n", plural(count(counters.retried), "request"));
    }
    let mut arms: BTreeMap<&str, usize> = BTreeMap::new();
    statistics
        .values()
        .filter_map(|statistics| statistics.arm.as_deref())
        .for_each(|arm| *arms.entry(arm).or_default() += 1);
    for (arm, conversations) in arms {
        text += &format!("arm of the experiment: {arm}, {}\n", plural(conversations, "conversation"));
    }
    for failure in proxy.failures() {
        text += &format!("warning: {failure}\n");
    }
    if let Some(file) = policy {
        text += &simulated(file, &Recorded::of(proxy), style);
    }
    text
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The report on a simulation of recordings.
fn simulated(file: &str, recorded: &Recorded, style: TerminalStyle) -> String {
    let replays = recorded.replays();
    if replays.is_empty() {
        return String::new();
    }
    let head = ReplayHead { policies: 1, version: env!("CARGO_PKG_VERSION"), ..ReplayHead::default() };
    let policies = [PolicyReplays { file, plan: &recorded.plan, replays: &replays, summed: &[] }];
    let all = Replays { policies: &policies, head: &head, errors: &[], top: None, is_verbose: false, style };
    REPLAY_FORMATS[0].text(&all)
}
