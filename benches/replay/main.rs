//! Reading and replaying long sessions: throughput in megabytes per second, and the time for twice the calls.

mod session;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use trimtab::plan::{Plan, lower};
use trimtab::simulate::{Extract, Options, Tokens, Trace, replay};
use trimtab::transcript::{Transcript, read};

/// Model calls of a session of about ten megabytes.
const CALLS: usize = 4_400;

/// The policies of the project, and one that searches all results at every call without a limit of the context.
const POLICIES: &[(&str, &str)] = &[
    ("coding_agent", include_str!("../../policies/coding_agent.trim")),
    ("research_assistant", include_str!("../../policies/research_assistant.trim")),
    ("stuck_agent", include_str!("../../policies/stuck_agent.trim")),
    ("support_desk", include_str!("../../policies/support_desk.trim")),
    (
        "mask_always",
        "edition 2026\npolicy p { rule m { do mask results keep 10 messages } rule t { do trim results to 100 chars } }",
    ),
];

fn plan(text: &str) -> Plan {
    let checked = trimtab::pipeline::compile("bench.trim", text).checked.expect("the policy has no errors");
    lower(&checked, None).expect("one policy")
}

fn transcript(text: &str) -> Transcript {
    read(text.as_bytes(), None).expect("a recording").transcripts.remove(0)
}

fn estimated(plan: &Plan, transcript: &Transcript) -> Trace {
    let options = Options { tokens: Tokens::Estimate, ..Options::default() };
    replay(plan, transcript, &options, &mut Extract, &mut |sent| {
        black_box(sent.tokens);
    })
}

fn bytes(text: &str) -> Throughput {
    Throughput::Bytes(text.len() as u64)
}

fn reading(criterion: &mut Criterion) {
    let plan = plan(POLICIES[0].1);
    let mut group = criterion.benchmark_group("read");
    for (form, text) in [("trimtab", session::own(CALLS)), ("claude_code", session::claude_code(CALLS))] {
        group.throughput(bytes(&text));
        group.bench_function(form, |bencher| bencher.iter(|| transcript(black_box(&text))));
        group.bench_function(format!("{form}_and_replay"), |bencher| {
            bencher.iter(|| estimated(&plan, &transcript(black_box(&text))));
        });
    }
    group.finish();
}

fn replaying(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("replay");
    for calls in [CALLS, 2 * CALLS] {
        let text = session::own(calls);
        let transcript = transcript(&text);
        group.throughput(bytes(&text));
        for (name, policy) in POLICIES {
            let plan = plan(policy);
            group.bench_with_input(BenchmarkId::new(*name, calls), &transcript, |bencher, transcript| {
                bencher.iter(|| estimated(&plan, black_box(transcript)));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(3));
    targets = reading, replaying
}
criterion_main!(benches);
