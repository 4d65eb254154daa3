//! Tests as JUnit's XML.

use super::{TestReport, TestedFile, failure_details, failure_summary, place};
use crate::test::{End, Outcome};

pub(super) fn report(testing: &TestReport<'_>) -> String {
    let (passed, failed, broken) = testing.counts();
    let all = passed + failed + broken;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += &format!("<testsuites name=\"trimtab\" tests=\"{all}\" failures=\"{failed}\" errors=\"{broken}\">\n");
    for file in testing.files.iter().filter(|file| !file.outcomes.is_empty()) {
        let count = |wanted: fn(&End) -> bool| file.outcomes.iter().filter(|one| wanted(&one.end)).count();
        out += &format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
            escaped(file.file),
            file.outcomes.len(),
            count(|end| matches!(end, End::Failed(_))),
            count(|end| matches!(end, End::Broken(..))),
        );
        out += &file.outcomes.iter().map(|outcome| one(file, outcome)).collect::<String>();
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}

fn one(file: &TestedFile<'_>, outcome: &Outcome<'_>) -> String {
    let (name, line, _) = place(file, outcome.case.head);
    let case = format!(
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{line}\"",
        escaped(&outcome.case.policy),
        escaped(&outcome.case.name),
        escaped(&name),
    );
    match &outcome.end {
        End::Passed => format!("{case}/>\n"),
        End::Broken(_, reason) => {
            format!("{case}>\n      <error message=\"{}\"/>\n    </testcase>\n", escaped(reason))
        }
        End::Failed(failures) => {
            let failure = |one| {
                let (message, text) = (escaped(failure_summary(one)), escaped(&failure_details(file, one)));
                format!("      <failure message=\"{message}\">{text}</failure>\n")
            };
            format!("{case}>\n{}    </testcase>\n", failures.iter().map(failure).collect::<String>())
        }
    }
}

/// A text in XML; characters that XML cannot hold are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' | '\t' => out.push(sign),
            sign if sign.is_control() || matches!(sign, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            sign => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn signs_of_xml_and_control_characters_are_escaped() {
        assert_eq!(escaped("a < b & \"c\" > \u{1}d\n"), "a &lt; b &amp; &quot;c&quot; &gt; \u{fffd}d\n");
    }
}
