//! What a proxy has done, for the person who has run it.

use std::collections::BTreeMap;

use trimtab_report::report::{PolicyReplays, REPLAY_FORMATS, ReplayHead, Replays, TerminalStyle, plural, whole};

use crate::proxy::{Account, Mode, Proxy, Recorded};

/// What has happened, in lines: the requests, what the provider has reported, and what the policy in this file does, by a
/// simulation of the recordings.
pub(in super::super) fn receipt(proxy: &Proxy, mode: Mode, policy: Option<&str>, style: TerminalStyle) -> String {
    let (counters, accounts) = (proxy.counters(), proxy.accounts());
    let sum = |of: fn(&Account) -> u64| accounts.values().map(of).sum::<u64>();
    let tokens = |of: fn(&Account) -> u64| whole(count(sum(of)));
    let requests = sum(|account| account.requests);
    let mut text = format!(
        "{} in {}; {} more passed as they were\n",
        plural(count(requests), "request"),
        plural(accounts.len(), "conversation"),
        counters.passed.values().sum::<u64>(),
    );
    let replies = sum(|account| account.replies);
    if replies > 0 {
        text += &format!(
            "reported by the provider for {}: {} input tokens ({} read from its cache, {} written to it), {} output tokens\n",
            plural(count(replies), "reply"),
            tokens(|account| account.input_tokens),
            tokens(|account| account.cache_read_tokens),
            tokens(|account| account.cache_write_tokens),
            tokens(|account| account.output_tokens),
        );
    }
    if mode == Mode::Enforce {
        text += &format!("{} sent with edits\n", plural(count(counters.edited), "request"));
    }
    let mut stopped: BTreeMap<&str, u64> = BTreeMap::new();
    for (rule, requests) in accounts.values().flat_map(|account| &account.stopped) {
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
    accounts.values().filter_map(|account| account.arm.as_deref()).for_each(|arm| *arms.entry(arm).or_default() += 1);
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
