//! Recordings from the folder in `TRIMTAB_SAMPLES`: replays compared with only parsing the files, and with parsing them and
//! counting each text once; sessions of twice the length; peak memory.
//!
//! All measurements of a table alternate, and each figure is the least of several rounds, so that load from outside changes
//! the ratios little.

#![expect(clippy::disallowed_methods, reason = "the bench reads recordings, measures time and starts processes")]
#![expect(clippy::print_stdout, reason = "the bench prints tables")]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use trimtab::conversation::{Counter, ImageSize};
use trimtab::model::{Models, TokenCounter, Tokenizer};
use trimtab::plan::{Plan, lower};
use trimtab::simulate::{Extract, Options, Tokens, replay};
use trimtab::transcript::{Transcript, read};

/// The policy of all replays.
const POLICY: &str = "policies/coding_agent.trim";

/// How often everything is measured.
const ROUNDS: usize = 7;

/// The model whose published tokenizer counts all recordings.
const MODEL: &str = "gpt-4o";

/// How many transcripts the folder of the last measurement has.
const TRANSCRIPTS: usize = 10_000;

/// A recording: its text, its transcripts, and the windows of their models.
struct Recording {
    path: PathBuf,
    text: Vec<u8>,
    transcripts: Vec<Transcript>,
    windows: Vec<u64>,
}

fn main() {
    let Ok(folder) = std::env::var("TRIMTAB_SAMPLES") else {
        println!("set TRIMTAB_SAMPLES to a directory of recordings");
        return;
    };
    let checked = trimtab::pipeline::compile(POLICY, &fs::read_to_string(POLICY).expect("the policy"));
    let plan = lower(&checked.checked.expect("the policy has no errors"), None).expect("one policy");
    let recordings = recordings(Path::new(&folder), &plan);
    let bytes: usize = recordings.iter().map(|recording| recording.text.len()).sum();
    let count: usize = recordings.iter().map(|recording| recording.transcripts.len()).sum();
    println!("{} files of JSON with {count} transcripts, {:.1} MB\n", recordings.len(), megabytes(bytes as u64));
    times(&recordings, &plan, bytes);
    doubling(&recordings, &plan);
    memory(&recordings);
}

/// All files that are JSON or lines of JSON and that can be read.
fn recordings(folder: &Path, plan: &Plan) -> Vec<Recording> {
    let (mut all, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read(&path).expect("a file");
            let Ok(file) = read(&text, None) else { continue };
            if values(&text) > 0 {
                let windows = file.transcripts.iter().map(|transcript| window(plan, transcript)).collect();
                all.push(Recording { path, text, transcripts: file.transcripts, windows });
            }
        }
    }
    all
}

/// The window with which a transcript is replayed if no model is given; one that is never full if it is unknown.
fn window(plan: &Plan, transcript: &Transcript) -> u64 {
    let options = Options { tokens: Tokens::Estimate, ..Options::default() };
    replay(plan, transcript, &options, &mut Extract, &mut |_| {}).window.map_or(u64::MAX, |(window, _)| window)
}

/// Parses a file to values: the whole, or its lines. Returns how many there are.
fn values(text: &[u8]) -> usize {
    match serde_json::from_slice::<Json>(text) {
        Ok(value) => {
            black_box(value);
            1
        }
        Err(_) => text
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Json>(line).ok())
            .map(black_box)
            .count(),
    }
}

fn replayed(plan: &Plan, transcript: &Transcript, tokens: Tokens, window: Option<u64>) -> usize {
    let model = (tokens == Tokens::Exact).then(|| MODEL.to_owned());
    let options = Options { tokens, model, window, ..Options::default() };
    black_box(replay(plan, transcript, &options, &mut Extract, &mut |_| {})).calls.len()
}

/// Reads and replays all recordings: with their own windows, so that the rules fire whatever counts, or with that of the model.
fn read_and_replay(recordings: &[Recording], plan: &Plan, tokens: Tokens, own_windows: bool) -> usize {
    let each = recordings.iter().map(|recording| {
        let file = read(black_box(&recording.text), None).expect("it was read before");
        let windows = recording.windows.iter().map(|window| own_windows.then_some(*window));
        file.transcripts
            .iter()
            .zip(windows)
            .map(|(transcript, window)| replayed(plan, transcript, tokens, window))
            .sum::<usize>()
    });
    each.sum()
}

/// The published tokenizer of the model, as its library counts.
struct Library(&'static bpe_openai::Tokenizer);

impl Counter for Library {
    fn text(&self, text: &str) -> u64 {
        self.0.count(text) as u64
    }

    fn image(&self, _: Option<ImageSize>) -> u64 {
        0
    }

    fn envelope(&self) -> u64 {
        0
    }
}

fn count_texts(recordings: &[Recording], counter: &dyn Counter) -> usize {
    let transcripts = recordings.iter().flat_map(|recording| &recording.transcripts);
    let messages = transcripts.flat_map(|transcript| &transcript.messages);
    messages.map(|message| usize::try_from(counter.message(message)).unwrap_or(0)).sum()
}

fn parse(recordings: &[Recording]) -> usize {
    recordings.iter().map(|recording| values(black_box(&recording.text))).sum()
}

/// Does something in a thread of its own, which has not counted any text before.
fn afresh<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().expect("no panic"))
}

/// The time of each kind of work, compared with parsing and with parsing and counting.
fn times(recordings: &[Recording], plan: &Plan, bytes: usize) {
    let exact =
        TokenCounter::exact(Tokenizer::of(Some(MODEL), &Models::default()).expect("a build with the feature `exact`"));
    let library = Library(bpe_openai::o200k_base());
    black_box(exact.text("loads the table") + library.text("loads the table"));
    let [parsed, only_read, counted, counted_by_library, estimated, best, counted_exactly, in_one_window] = least([
        &mut || parse(recordings),
        &mut || {
            recordings.iter().map(|one| read(black_box(&one.text), None).map_or(0, |file| file.transcripts.len())).sum()
        },
        &mut || afresh(|| parse(recordings) + count_texts(recordings, &exact)),
        &mut || parse(recordings) + count_texts(recordings, &library),
        &mut || read_and_replay(recordings, plan, Tokens::Estimate, false),
        &mut || afresh(|| read_and_replay(recordings, plan, Tokens::Best, false)),
        &mut || afresh(|| read_and_replay(recordings, plan, Tokens::Exact, true)),
        &mut || afresh(|| read_and_replay(recordings, plan, Tokens::Exact, false)),
    ]);
    println!("| work | time | rate | ratio |\n|---|---|---|---|");
    let row = |name: &str, time: Duration, ratio: String| {
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let rate = bytes as f64 / 1e6 / time.as_secs_f64();
        println!("| {name} | {:.0} ms | {rate:.0} MB/s | {ratio} |", time.as_secs_f64() * 1e3);
    };
    row("(a) parse to values", parsed, String::new());
    row("(b) parse to values, and count each text once with the counter `exact`", counted, String::new());
    row("(c) the same with the library `bpe-openai` alone", counted_by_library, String::new());
    row("read", only_read, ratio(only_read, parsed, "(a)"));
    row("read and replay, `--tokens estimate`", estimated, ratio(estimated, parsed, "(a)"));
    row("read and replay, default counter", best, ratio(best, parsed, "(a)"));
    let exact_ratios =
        |exact: Duration| [(counted, "(b)"), (counted_by_library, "(c)")].map(|(time, name)| ratio(exact, time, name));
    row("read and replay, `--tokens exact`", counted_exactly, exact_ratios(counted_exactly).join(", "));
    let name = format!("the same in the window of `{MODEL}`, which some contexts exceed");
    row(&name, in_one_window, exact_ratios(in_one_window).join(", "));
    println!();
}

/// Replays of all sessions, and of sessions that go on with the same messages once more.
fn doubling(recordings: &[Recording], plan: &Plan) {
    let once: Vec<Transcript> = recordings.iter().flat_map(|recording| recording.transcripts.iter().cloned()).collect();
    let twice: Vec<Transcript> = once.iter().map(doubled).collect();
    println!("| sessions of twice the length | once | twice | ratio |\n|---|---|---|---|");
    for (name, tokens) in [("estimate", Tokens::Estimate), ("exact", Tokens::Exact)] {
        let all = |transcripts: &[Transcript]| -> usize {
            transcripts.iter().map(|transcript| replayed(plan, transcript, tokens, None)).sum()
        };
        let [one, two] = least([&mut || afresh(|| all(&once)), &mut || afresh(|| all(&twice))]);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "| `--tokens {name}` | {:.0} ms | {:.0} ms | {} |",
            milliseconds(one),
            milliseconds(two),
            ratio(two, one, "")
        );
    }
    println!();
}

fn doubled(transcript: &Transcript) -> Transcript {
    let again = transcript.messages.iter().map(Arc::clone);
    Transcript { messages: transcript.messages.iter().map(Arc::clone).chain(again).collect(), ..transcript.clone() }
}

/// The peak memory of processes.
fn memory(recordings: &[Recording]) {
    println!("| process | input | largest conversation | time | peak memory | aim |\n|---|---|---|---|---|---|");
    let largest = recordings.iter().max_by_key(|recording| recording.text.len()).expect("a recording");
    for tokens in ["estimate", "exact"] {
        let arguments = ["--tokens", tokens, "--model", MODEL];
        process(&format!("largest sample, `--tokens {tokens}`"), &largest.path, &arguments, largest.text.len());
    }
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples");
    drop(fs::remove_dir_all(&site));
    fs::create_dir_all(&site).expect("a folder");
    let small: Vec<&Recording> = recordings
        .iter()
        .filter(|recording| recording.transcripts.len() == 1 && recording.text.len() < 100_000)
        .collect();
    let mut longest = 0;
    for number in 0..TRANSCRIPTS {
        let recording = small[number % small.len()];
        let ending = recording.path.extension().and_then(|ending| ending.to_str()).unwrap_or("json");
        let path = site.join(format!("{number:05}.{ending}"));
        fs::write(path, &recording.text).expect("a file");
        longest = longest.max(recording.text.len());
    }
    for format in ["human", "json", "jsonl"] {
        process(
            &format!("{TRANSCRIPTS} files, `--format {format}`"),
            &site,
            &["--format", format, "--tokens", "estimate"],
            longest,
        );
    }
    drop(fs::remove_dir_all(&site));
}

/// Runs a simulation and prints its time and its peak memory.
fn process(name: &str, path: &Path, more: &[&str], largest: usize) {
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_trimtab"));
    command.args(["simulate", POLICY]).arg(path).args(more).args(["--jobs", "2"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the process starts");
    let peak = peak(&mut child);
    let time = start.elapsed();
    let tables = if more.contains(&"exact") { 192 } else { 0 };
    let aim = f64::from(64 + tables) * 1_048_576.0 / 1e6 + 6.0 * megabytes(largest as u64);
    let input = if path.is_dir() {
        fs::read_dir(path)
            .expect("a folder")
            .map(|entry| entry.and_then(|entry| entry.metadata()).map_or(0, |file| file.len()))
            .sum()
    } else {
        fs::metadata(path).map_or(0, |file| file.len())
    };
    println!(
        "| {name} | {:.1} MB | {:.2} MB | {:.1} s | {:.0} MB | {aim:.0} MB |",
        megabytes(input),
        megabytes(largest as u64),
        time.as_secs_f64(),
        megabytes(peak),
    );
}

/// Waits for a process. Returns the most memory in bytes that it was seen to have, as Linux reports it.
fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        if child.try_wait().expect("the process").is_some() {
            return peak;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The least time of each kind of work.
fn least<const N: usize>(mut work: [&mut dyn FnMut() -> usize; N]) -> [Duration; N] {
    let mut least = [Duration::MAX; N];
    for _ in 0..ROUNDS {
        for (least, work) in least.iter_mut().zip(work.iter_mut()) {
            let start = Instant::now();
            black_box(work());
            *least = start.elapsed().min(*least);
        }
    }
    least
}

fn ratio(time: Duration, of: Duration, name: &str) -> String {
    format!("{:.2} × {name}", time.as_secs_f64() / of.as_secs_f64()).trim_end_matches([' ', '×']).to_owned()
}

#[expect(clippy::cast_precision_loss, reason = "a rounded size")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
