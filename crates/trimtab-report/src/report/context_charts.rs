//! The contexts of replays as charts in Markdown: the largest context of each transcript, and the calls of one of them.

use trimtab_simulate::simulate::Trace;

use super::markdown::code;
use super::mermaid::{LineChart, MAX_LINES, legend};
use super::number::whole;

/// Most points of a line, so that the text of a chart stays small.
const MAX_POINTS: usize = 101;

/// The contexts of one transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextSeries {
    /// The tokens of each call: as recorded, and with each policy. A call that is not made has 0.
    lines: Vec<Vec<u64>>,
    /// The largest context of each line.
    peaks: Vec<u64>,
}

/// The contexts of transcripts as recorded and with each policy.
#[derive(Clone, Debug, Default)]
pub struct ContextCharts {
    /// The largest contexts of the transcripts with calls, for each line.
    peaks: Vec<Vec<u64>>,
    /// The transcript that changes most: by how much, its id and its contexts.
    most_changed: Option<((u128, usize), String, ContextSeries)>,
}

impl ContextSeries {
    /// The contexts of the replays of one transcript, one for each policy.
    pub fn of(traces: &[&Trace]) -> Self {
        let policies = traces.iter().take(MAX_LINES - 1);
        let recorded = traces.first().map(|trace| trace.calls.iter().map(|call| call.before).collect());
        let made = |trace: &&Trace| trace.calls.iter().map(|call| if call.made { call.after } else { 0 }).collect();
        let peaks = traces.first().map(|trace| trace.before().peak).into_iter();
        Self {
            lines: recorded.into_iter().chain(policies.clone().map(made)).collect(),
            peaks: peaks.chain(policies.map(|trace| trace.after().peak)).collect(),
        }
    }

    fn calls(&self) -> usize {
        self.lines.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns the chart with its explanation, or `None` with fewer than two calls.
    fn markdown(&self, id: &str, names: &[String]) -> Option<String> {
        let step = self.calls().div_ceil(MAX_POINTS).max(1);
        let largest = |calls: &[u64]| calls.iter().copied().max().unwrap_or(0);
        let lines: Vec<Vec<u64>> = self.lines.iter().map(|line| line.chunks(step).map(largest).collect()).collect();
        let chart =
            LineChart { x_name: "model call", x_first: 0, x_step: step, y_name: "context in tokens", lines: &lines };
        let chart = chart.markdown()?;
        let mut text = format!("Context at each call of {}. {}", code(id), legend(names));
        if step > 1 {
            text += &format!(" Each point is the largest context of {} calls.", whole(step));
        }
        if self.lines.iter().skip(1).flatten().any(|tokens| *tokens == 0) {
            text += " A call that is not made has 0 tokens.";
        }
        Some(format!("{text}\n\n{chart}"))
    }
}

impl ContextCharts {
    /// Adds a transcript. `change` is by how much the policies change it.
    pub fn add(&mut self, id: &str, change: (u128, usize), series: ContextSeries) {
        if series.calls() == 0 {
            return;
        }
        self.peaks.resize_with(series.peaks.len(), Vec::new);
        self.peaks.iter_mut().zip(&series.peaks).for_each(|(peaks, peak)| peaks.push(*peak));
        if self.most_changed.as_ref().is_none_or(|(most, ..)| *most < change) {
            self.most_changed = Some((change, id.to_owned(), series));
        }
    }

    /// The charts with their explanations. `policies` are the names of the policies in Markdown.
    pub(super) fn markdown(&self, policies: &[String]) -> String {
        let names: Vec<String> = std::iter::once("as recorded".to_owned()).chain(policies.iter().cloned()).collect();
        let is_one = self.peaks.first().is_some_and(|peaks| peaks.len() == 1);
        let changed = self.most_changed.iter().filter(|(change, ..)| is_one || *change > (0, 0));
        let contexts = changed.filter_map(|(_, id, series)| series.markdown(id, &names));
        let charts: Vec<String> = self.peaks_markdown(&names).into_iter().chain(contexts).collect();
        charts.join("\n")
    }

    /// Returns the chart of the largest contexts, or `None` with fewer than two transcripts.
    fn peaks_markdown(&self, names: &[String]) -> Option<String> {
        let count = self.peaks.first()?.len();
        let lines: Vec<Vec<u64>> = self.peaks.iter().map(|peaks| sorted(peaks)).collect();
        let (x_name, x_first) = if count > MAX_POINTS {
            ("% of the transcripts, sorted by their largest context", 0)
        } else {
            ("transcripts, sorted by their largest context", 1)
        };
        let chart = LineChart { x_name, x_first, x_step: 1, y_name: "largest context in tokens", lines: &lines };
        let chart = chart.markdown()?;
        let legend = legend(names);
        Some(format!(
            "Largest context of each of {} transcripts, sorted for each line. {legend}\n\n{chart}",
            whole(count)
        ))
    }
}

/// The values in their order; of more than [`MAX_POINTS`] the quantiles.
fn sorted(values: &[u64]) -> Vec<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    if sorted.len() <= MAX_POINTS {
        return sorted;
    }
    (0..MAX_POINTS).filter_map(|at| sorted.get(at * last / (MAX_POINTS - 1)).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(recorded: &[u64], after: &[u64]) -> ContextSeries {
        let lines = vec![recorded.to_vec(), after.to_vec()];
        let peaks = lines.iter().map(|line| line.iter().copied().max().unwrap_or(0)).collect();
        ContextSeries { lines, peaks }
    }

    fn markdown(charts: &ContextCharts) -> String {
        charts.markdown(&["`p`".to_owned()])
    }

    #[test]
    fn one_transcript_is_shown_call_by_call_even_if_it_is_unchanged() {
        let mut charts = ContextCharts::default();
        charts.add("a`.jsonl", (0, 0), series(&[5, 9], &[5, 0]));
        let text = markdown(&charts);
        assert!(
            text.starts_with("Context at each call of ``a`.jsonl``. Lines: as recorded (grey), `p` (blue). A call"),
            "{text}"
        );
        assert!(text.contains("line [5, 9]\n  line [5, 0]\n"), "{text}");
    }

    #[test]
    fn several_transcripts_are_sorted_and_the_most_changed_one_is_shown_call_by_call() {
        let mut charts = ContextCharts::default();
        charts.add("a", (3, 0), series(&[5, 9], &[5, 6]));
        charts.add("b", (7, 0), series(&[1, 8], &[1, 1]));
        charts.add("c", (7, 0), series(&[1, 2], &[1, 2]));
        charts.add("empty", (9, 9), series(&[], &[]));
        let text = markdown(&charts);
        assert!(
            text.contains("of each of 3 transcripts") && text.contains("line [2, 8, 9]\n  line [1, 2, 6]\n"),
            "{text}"
        );
        assert!(
            text.contains("\n\nContext at each call of `b`.") && text.contains("line [1, 8]\n  line [1, 1]\n"),
            "{text}"
        );
        assert_eq!(markdown(&ContextCharts::default()), "");
    }

    #[test]
    fn long_lines_are_shortened_without_losing_their_largest_value() {
        let long: Vec<u64> = (0..1_000).map(|at| if at == 777 { 5_000 } else { at }).collect();
        let text = series(&long, &long).markdown("a", &[]).expect("a chart");
        assert!(
            text.contains("largest context of 10 calls") && text.contains(", 5000, ") && text.contains("0 --> 990"),
            "{text}"
        );
        let quantiles = sorted(&long);
        assert_eq!((quantiles.len(), quantiles.first(), quantiles.last()), (MAX_POINTS, Some(&0), Some(&5_000)));
    }
}
