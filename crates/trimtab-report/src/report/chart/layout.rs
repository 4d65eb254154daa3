//! The positions of everything in the picture.

use askama::Template;

use super::scale::{Scale, pixels, short_number};
use super::{Chart, Limit, Line, Row};
use crate::report::number::{count, plural};

/// Pixels of the picture.
const WIDTH: u64 = 820;
const LEFT: u64 = 64;
const PLOT_WIDTH: u64 = 580;
const PLOT_HEIGHT: u64 = 260;
const LINE_HEIGHT: u64 = 17;
/// The room of a label beside the plot, in characters.
const LABEL_CHARS: usize = 26;
/// The room of a line of text across the picture, in characters.
const LINE_CHARS: usize = 118;
/// The number of line styles. The recording has its own; the policies cycle through the others.
const LINE_STYLES: usize = 5;

/// A limit above this many times the largest value is named in a note, not drawn.
const MAX_LIMIT_FACTOR: u64 = 4;

/// What the template places.
#[derive(Debug, Template)]
#[template(path = "chart/chart.svg")]
pub(super) struct Picture<'a> {
    chart: &'a Chart,
    width: u64,
    height: u64,
    /// The lines of the subtitle, with their height.
    subtitle: Vec<(u64, String)>,
    legend: Vec<Entry<'a>>,
    legend_y: u64,
    plot: Plot,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    limits: Vec<DrawnLimit<'a>>,
    lines: Vec<DrawnLine>,
    rows: Vec<DrawnRow>,
    note: Option<(u64, String)>,
    description: String,
}

/// The rectangle of the lines, in pixels.
#[derive(Debug)]
struct Plot {
    left: u64,
    right: u64,
    top: u64,
    bottom: u64,
}

#[derive(Debug)]
struct Entry<'a> {
    x: u64,
    style: usize,
    name: &'a str,
}

#[derive(Debug)]
struct Tick {
    at: String,
    text: String,
}

#[derive(Debug)]
struct DrawnLimit<'a> {
    y: String,
    label_y: String,
    class: &'static str,
    name: String,
    limit: &'a Limit,
}

#[derive(Debug)]
struct DrawnLine {
    style: usize,
    path: String,
}

#[derive(Debug)]
struct DrawnRow {
    y: u64,
    style: usize,
    name: String,
    path: String,
}

impl<'a> Picture<'a> {
    pub(super) fn of(chart: &'a Chart) -> Self {
        let mut y = 24;
        let subtitle: Vec<(u64, String)> = textwrap::wrap(&chart.subtitle, LINE_CHARS)
            .into_iter()
            .map(|line| {
                y += LINE_HEIGHT;
                (y, line.into_owned())
            })
            .collect();
        let legend_y = y + 22;
        let plot =
            Plot { left: LEFT, right: LEFT + PLOT_WIDTH, top: legend_y + 18, bottom: legend_y + 18 + PLOT_HEIGHT };
        let (x, y_scale) = (Scale::new(chart.x_steps, PLOT_WIDTH), Scale::new(chart.y_end(), PLOT_HEIGHT));
        let x_at = |value| pixels(plot.left * 10 + x.position(value));
        let y_at = |value| plot.bottom * 10 - y_scale.position(value);
        let tick = |at: String, value| Tick { at, text: short_number(value) };
        let first_row = plot.bottom + 56;
        let rows: Vec<DrawnRow> =
            (0..).zip(&chart.rows).map(|(at, row)| DrawnRow::of(row, first_row + at * LINE_HEIGHT, x)).collect();
        let end = rows.last().map_or(plot.bottom + 40, |row| row.y);
        let note = chart.note().map(|note| (end + LINE_HEIGHT + 3, note));
        Self {
            chart,
            width: WIDTH,
            height: note.as_ref().map_or(end, |(y, _)| *y) + 14,
            subtitle,
            legend: legend(&chart.lines),
            legend_y,
            x_ticks: chart.x_numbers().map(|number| tick(x_at(number - chart.x_first), number)).collect(),
            y_ticks: y_scale.ticks(5).into_iter().map(|value| tick(pixels(y_at(value)), value)).collect(),
            limits: limits(chart, &plot, y_scale),
            lines: (0..).zip(&chart.lines).map(|(at, line)| drawn(line, at, &plot, x, y_scale)).collect(),
            rows,
            note,
            description: chart.description(),
            plot,
        }
    }
}

impl Chart {
    /// The numbers at the horizontal axis.
    fn x_numbers(&self) -> impl Iterator<Item = u64> {
        let ticks = Scale::new(self.x_first + self.x_steps, PLOT_WIDTH).ticks(8);
        ticks.into_iter().filter(|number| (self.x_first..=self.x_first + self.x_steps).contains(number))
    }

    /// The largest value of its lines.
    fn largest(&self) -> u64 {
        self.lines.iter().flat_map(|line| &line.values).flatten().copied().max().unwrap_or(0)
    }

    /// Whether a limit is drawn. One that is far above all lines would make them flat.
    fn shows(&self, limit: &Limit) -> bool {
        limit.level <= self.largest().saturating_mul(MAX_LIMIT_FACTOR)
    }

    /// The end of the vertical axis.
    fn y_end(&self) -> u64 {
        let limits = self.limits.iter().filter(|limit| self.shows(limit)).map(|limit| limit.level);
        let end = limits.max().unwrap_or(0).max(self.largest());
        end.saturating_add(end / 25)
    }

    /// What is not drawn.
    fn note(&self) -> Option<String> {
        let hidden = self.limits.iter().filter(|limit| !self.shows(limit));
        let hidden = hidden.map(|limit| format!("{} ({}) is above the chart", limit.name, count(limit.level)));
        let rows = (self.rows_left_out > 0).then(|| format!("{} more fired", plural(self.rows_left_out, "rule")));
        let notes: Vec<String> = hidden.chain(rows).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// The marks of a row in words: `fired at 3 calls`.
    fn row_summary(&self, row: &Row) -> String {
        format!("{} {}", row.verb, plural(row.at.len(), self.x_noun))
    }

    /// What the picture shows, for those who do not see it.
    fn description(&self) -> String {
        let line = |line: &Line| {
            let largest = line.values.iter().flatten().max().copied().unwrap_or(0);
            format!("{}: at most {} tokens.", line.name, count(largest))
        };
        let limit = |limit: &Limit| format!("{}: {} tokens.", limit.name, count(limit.level));
        let row = |row: &Row| format!("{} {}.", row.name, self.row_summary(row));
        let all = self.lines.iter().map(line).chain(self.limits.iter().map(limit)).chain(self.rows.iter().map(row));
        std::iter::once(self.subtitle.clone()).chain(all).collect::<Vec<_>>().join(" ")
    }
}

/// The names of the lines, side by side. A character takes about seven pixels.
fn legend(lines: &[Line]) -> Vec<Entry<'_>> {
    let mut x = LEFT;
    let mut entries = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        entries.push(Entry { x, style: style(at), name: &line.name });
        x += 52 + 7 * u64::try_from(line.name.chars().count()).unwrap_or(0);
    }
    entries
}

/// The style of a line: the recording has its own, and the policies cycle through the others.
const fn style(line: usize) -> usize {
    if line == 0 { 0 } else { (line - 1) % (LINE_STYLES - 1) + 1 }
}

/// The limits, the highest first, with labels that do not overlap.
fn limits<'a>(chart: &'a Chart, plot: &Plot, scale: Scale) -> Vec<DrawnLimit<'a>> {
    let mut shown: Vec<&Limit> = chart.limits.iter().filter(|limit| chart.shows(limit)).collect();
    shown.sort_by_key(|limit| std::cmp::Reverse(limit.level));
    let mut free = 0;
    let drawn = |limit: &'a Limit| {
        let y = plot.bottom * 10 - scale.position(limit.level);
        let label_y = (y + 40).max(free);
        free = label_y + 130;
        let class = limit.kind.word();
        DrawnLimit { y: pixels(y), label_y: pixels(label_y), class, name: shortened(&limit.name), limit }
    };
    shown.into_iter().map(drawn).collect()
}

/// A text that fits beside the plot.
fn shortened(text: &str) -> String {
    if text.chars().count() <= LABEL_CHARS {
        return text.to_owned();
    }
    text.chars().take(LABEL_CHARS - 1).chain(['…']).collect()
}

/// A line as a path. Several values at one pixel are drawn as the smallest and the largest.
fn drawn(line: &Line, at: usize, plot: &Plot, x: Scale, y: Scale) -> DrawnLine {
    let mut path = String::new();
    let mut pen_is_down = false;
    let mut columns = columns(&line.values, x).peekable();
    while let Some((column, values)) = columns.next() {
        let Some((low, high)) = values else {
            pen_is_down = false;
            continue;
        };
        let x = pixels(plot.left * 10 + column);
        let y_of = |value| pixels(plot.bottom * 10 - y.position(value));
        path += &format!("{}{x} {}", if pen_is_down { "L" } else { "M" }, y_of(low));
        if high > low {
            path += &format!("V{}", y_of(high));
        } else if !pen_is_down && columns.peek().is_none_or(|(_, next)| next.is_none()) {
            // A lone point has a length of zero, which round ends make visible.
            path += "h0";
        }
        pen_is_down = true;
    }
    DrawnLine { style: style(at), path }
}

/// The values at each position of the horizontal axis: smallest and largest, or none where a value is missing.
fn columns(values: &[Option<u64>], x: Scale) -> impl Iterator<Item = (u64, Option<(u64, u64)>)> {
    let mut all: Vec<(u64, Option<(u64, u64)>)> = Vec::new();
    let is_dense = u64::try_from(values.len()).is_ok_and(|count| count > PLOT_WIDTH);
    for (at, value) in (0..).zip(values) {
        let position = x.position(at);
        let column = if is_dense { position / 10 * 10 } else { position };
        let value = value.map(|value| (value, value));
        match all.last_mut() {
            Some((last, Some((low, high)))) if *last == column => {
                let Some((value, _)) = value else { continue };
                (*low, *high) = ((*low).min(value), (*high).max(value));
            }
            Some((last, none)) if *last == column => *none = value,
            _ => all.push((column, value)),
        }
    }
    all.into_iter()
}

impl DrawnRow {
    fn of(row: &Row, y: u64, x: Scale) -> Self {
        let mut marks: Vec<u64> = row.at.iter().map(|&at| LEFT * 10 + x.position(at)).collect();
        marks.dedup();
        let path = marks.into_iter().map(|at| format!("M{} {}v9", pixels(at), y - 9)).collect();
        Self { y, style: style(row.line), name: shortened(&row.name), path }
    }
}
