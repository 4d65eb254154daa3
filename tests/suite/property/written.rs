//! An arbitrary text in every place of a policy that allows a text: checked, linted, fixed, formatted and reported.

use std::collections::BTreeMap;

use trimtab::diagnostic::Severity;
use trimtab::report::{self, FINDING_FORMATS, Finding, Findings, TerminalStyle};
use trimtab::source::SourceMap;

/// A policy with errors of several kinds. `@` is replaced with the text, and `&` with the text as part of a string.
const POLICY: &str = "#: @
edition 2026
let spare = \"&\"
prompt handover \"\"\"
@
\"\"\"
agent { tools [\"&\", bash] }
policy p \"&\" { # @
  #: @
  rule a {
    when (call.name == \"&\") and (result.text contains \"&\")
    do mask results only [\"&\"] placeholder \"& {tool}\" keep 10 messages preview 80 chars
  }
  rule b { when repeats >= 3 do inject \"& {call.name ?? \"&\"} {repeats}\" as system }
  rule c { when call.name != @ do notify \"&\" }
  rule d { whn iteration > 3 do summarise all using handover }
}
test \"&\" {
  given call bash \"&\" fails
  given result \"&\"
  expect b first fires at 2
}
";

/// Checks, lints, fixes, formats and reports a policy with this text.
pub(crate) fn any_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let line = text.replace(['\n', '\r'], " ");
    let inside = line.replace('\\', "\\\\").replace('"', "\\\"").replace('{', "{{").replace('}', "}}");
    let whole = POLICY.replace('@', &line).replace('&', &inside);
    let clean: String = whole.lines().filter(|line| !line.contains("rule c") && !line.contains("rule d")).fold(
        String::new(),
        |mut all, line| {
            all += line;
            all.push('\n');
            all
        },
    );
    for policy in [whole.as_str(), clean.as_str(), &whole.replace("  ", &format!(" #{line}\n"))] {
        super::format_any(policy.as_bytes());
        reported(policy);
    }
    super::fixed(&clean, true);
}

/// Every output format contains every finding, at any width.
fn reported(policy: &str) {
    let mut sources = SourceMap::default();
    sources.add("any.trim", policy);
    let (found, _) = super::found("any.trim", policy, true);
    let findings: Vec<Finding> = found.into_iter().map(Into::into).collect();
    let bytes = BTreeMap::new();
    for (width, unicode) in [(20, false), (60, true)] {
        let all = Findings {
            sources: &sources,
            findings: &findings,
            failing: &[Severity::Error, Severity::Warning],
            files: 1,
            unread: &[],
            codes: &[],
            version: "0.0.0",
            root: "",
            bytes: &bytes,
            style: TerminalStyle { width, color: unicode, unicode },
            quiet: false,
        };
        for form in FINDING_FORMATS {
            drop(form.render(&all));
        }
        drop(report::unified_diff("any.trim", policy, &policy.replace("mask", "trim"), all.style));
    }
}
