//! Line charts in the language of Mermaid, which GitHub and GitLab draw in Markdown. They remove pictures that Markdown
//! contains as SVG or as a data address.
//!
//! A chart contains no text of an author, and its lines have no names: the text around it names their colours.

use std::fmt::Write as _;

use super::markdown::block;

/// The colours of the lines with their names. They are visible on light and dark pages.
const COLOURS: [(&str, &str); 5] =
    [("grey", "#7d8590"), ("blue", "#3b82f6"), ("orange", "#d9730d"), ("green", "#2f9e55"), ("purple", "#a371e0")];

/// Most lines of a chart, so that each has its own colour.
pub(super) const MAX_LINES: usize = COLOURS.len();

/// A line chart.
#[derive(Debug)]
pub(super) struct LineChart<'a> {
    /// What the horizontal axis counts.
    pub(super) x_name: &'a str,
    /// The number of the first point.
    pub(super) x_first: usize,
    /// How much each point is after the previous one.
    pub(super) x_step: usize,
    /// What the vertical axis counts.
    pub(super) y_name: &'a str,
    /// The values of each line, the same number for all.
    pub(super) lines: &'a [Vec<u64>],
}

impl LineChart<'_> {
    /// Returns the chart as a block of Markdown, or `None` with fewer than two points.
    pub(super) fn markdown(&self) -> Option<String> {
        let points = self.lines.first()?.len();
        let x_last = self.x_first + points.checked_sub(1).filter(|steps| *steps > 0)? * self.x_step;
        let largest = self.lines.iter().flatten().copied().max().unwrap_or(0).max(1);
        let palette = COLOURS.iter().zip(self.lines).map(|((_, colour), _)| *colour).collect::<Vec<_>>().join(", ");
        let mut text = format!(
            "---\nconfig:\n  xyChart:\n    height: 340\n  themeVariables:\n    xyChart:\n      plotColorPalette: \"{palette}\"\n---\n\
             xychart-beta\n  x-axis \"{}\" {} --> {x_last}\n  y-axis \"{}\" 0 --> {}\n",
            self.x_name,
            self.x_first,
            self.y_name,
            largest.saturating_add(largest / 20)
        );
        for line in self.lines {
            let values: Vec<String> = line.iter().map(u64::to_string).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  line [{}]", values.join(", "));
        }
        Some(block("mermaid", &text))
    }
}

/// `Lines: as recorded (grey), … (blue).`
pub(super) fn legend(names: &[String]) -> String {
    let each = COLOURS.iter().zip(names).map(|((colour, _), name)| format!("{name} ({colour})"));
    format!("Lines: {}.", each.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_its_axes_and_a_list_of_values_for_each_line() {
        let lines = [vec![10, 100, 40], vec![10, 60, 20]];
        let chart = LineChart { x_name: "model call", x_first: 0, x_step: 2, y_name: "tokens", lines: &lines };
        let text = chart.markdown().expect("a chart");
        assert!(text.starts_with("```mermaid\n---\nconfig:\n") && text.ends_with("\n```\n"), "{text}");
        let end = "xychart-beta\n  x-axis \"model call\" 0 --> 4\n  y-axis \"tokens\" 0 --> 105\n  line [10, 100, 40]\n  \
                   line [10, 60, 20]\n```\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn a_single_point_is_no_line() {
        for lines in [vec![], vec![vec![]], vec![vec![1]]] {
            let chart = LineChart { x_name: "x", x_first: 1, x_step: 1, y_name: "y", lines: &lines };
            assert_eq!(chart.markdown(), None);
        }
    }
}
