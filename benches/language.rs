//! Twenty thousand rules: pest alone, the parser, parser and checker, the formatter with and without its check, the
//! lints, and the analysis of every condition.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trimtab::condition::{Assumptions, decide, due};
use trimtab::lint::{self, Settings, Subject};
use trimtab::source::{Source, SourceId};
use trimtab::{check, format, syntax};

const RULES: usize = 20_000;

/// The bodies of the rules, one after another; `#` becomes the number of the rule.
const BODIES: &[&str] = &[
    "when context.ratio >= # and iteration > 2\n    do mask results keep 10 messages preview 80 chars down_to 50%\n    cooldown 3 iterations",
    "on reply\n    when context.tokens > 120k tokens # late\n    do trim results to 500 chars keep 4 results except [write_note]",
    "when repeats(within: 10 calls) >= 3 and not (failures > 4 or iteration < 2)\n    do inject \"{repeats} identical calls in a row. Try something else.\" as user\n    once per repeats",
    "when context.ratio >= busy or reported.tokens ?? 0 tokens > 90k tokens\n    do summarise older keep 8 messages using handover at_most 3k tokens pin first_user\n    on_failure retry 1 keep",
];

/// A policy with this many rules.
fn policy(rules: usize) -> String {
    let mut text = "edition 2026\nlet busy = 60%\nprompt handover \"\"\"\nSay what is done and what is open.\n\"\"\"\n\
        policy p \"Very many rules.\" {\n"
        .to_owned();
    for number in 0..rules {
        let body = BODIES[number % BODIES.len()].replace(">= #", &format!(">= {}%", 10 + number % 90));
        write!(text, "  rule rule_{number} {{\n    {body}\n  }}\n").expect("writing to a string succeeds");
    }
    text + "}\n"
}

fn language(criterion: &mut Criterion) {
    let source = Source::new(SourceId::default(), "bench.trim", policy(RULES));
    let (file, found) = syntax::parse(&source);
    assert!(found.is_empty() && check::check(&file).1.is_empty(), "the policy has no errors");
    let mut group = criterion.benchmark_group("language");
    group.throughput(Throughput::Bytes(source.text().len() as u64));
    group.bench_function("pest", |bencher| bencher.iter(|| syntax::accepts(black_box(source.text()))));
    group.bench_function("parse", |bencher| bencher.iter(|| syntax::parse(black_box(&source))));
    group.bench_function("parse_and_check", |bencher| {
        bencher.iter(|| {
            let (file, _) = syntax::parse(black_box(&source));
            check::check(&file)
        });
    });
    let comments = syntax::comments(&source);
    group.bench_function("format_unchecked", |bencher| {
        bencher.iter(|| format::format_unchecked(&source, black_box(&file), &comments));
    });
    group.bench_function("format", |bencher| bencher.iter(|| format::format_source(black_box(&source))));
    let checked = check::check(&file).0.expect("the policy has no errors");
    for (name, all) in [("lint", false), ("lint_all", true)] {
        let mut settings = Settings::default();
        if all {
            settings.extend("all").expect("all lints");
        }
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let comments = syntax::comments(&source);
                let subject = Subject::new(black_box(&source), &file, &comments, &checked, settings.options());
                lint::run_lints(&subject, &settings, None, None)
            });
        });
    }
    let conditions: Vec<_> = checked.policies[0].rules.iter().map(due).collect();
    for (name, window) in [("decide", Some(200_000)), ("decide_unknown_window", None)] {
        let assumptions = Assumptions { window, ..Assumptions::default() };
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                conditions.iter().map(|condition| decide(black_box(condition), &assumptions)).collect::<Vec<_>>()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(std::time::Duration::from_secs(1))
        .measurement_time(std::time::Duration::from_secs(8));
    targets = language
}
criterion_main!(benches);
