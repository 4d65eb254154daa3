//! `sweep --format html`: the data of the page, and the page in a browser.

use std::path::PathBuf;

use serde_json::Value as Json;

use super::report::{data, permits_its_own_script_only};
use super::report_browser::is_quiet_accessible_and_fits;
use super::{Run, folder};
use crate::browser::Browser;

/// Two constants with a constraint that some combinations break.
const ARGUMENTS: [&str; 9] = [
    "sweep",
    "docs/tuning/tidy.trim",
    "docs/tuning/sessions",
    "--vary",
    "high=40%..80% by 10%",
    "--vary",
    "step=200,500,1k",
    "--subject-to",
    "peak context.ratio <= 75%",
];

/// A text that would run a script if it were read as markup.
const HOSTILE: &str = "<img src=x onerror='window.ran=1'>";

/// A page of 15 combinations, and one with hostile texts whose lead is not verified.
fn pages() -> (tempfile::TempDir, [PathBuf; 2]) {
    let policy = std::fs::read_to_string("docs/tuning/tidy.trim").unwrap();
    let note = format!("let high = 50%\nlet note = \"{HOSTILE}\"");
    let rule = "rule tell { when context.ratio >= 40% limit 1 do notify note }\n\n  rule";
    let policy = policy.replacen("let high = 50%", &note, 1).replacen("rule", rule, 1);
    let unreadable = format!("{HOSTILE}.jsonl");
    let folder = folder(&[("p.trim", &policy), (&unreadable, "no recording\n")]);
    let files = ["sweep.html", "hostile.html"].map(|name| folder.path().join(name));
    Run::new(ARGUMENTS).arg("--format").arg("html").arg("-o").arg(&files[0]).output().exits_with(0);
    let run = Run::new(["sweep"]).arg(folder.path().join("p.trim")).arg(folder.path().join(unreadable));
    let run = ["docs/tuning/sessions", "--format", "html", "--vary", "high=50%,52%", "--axes", "peak", "--vary"]
        .into_iter()
        .fold(run, Run::arg);
    run.arg(format!("note=\"</script>\",\"{HOSTILE}\"")).arg("-o").arg(&files[1]).output().exits_with(0);
    (folder, files)
}

#[test]
fn the_page_of_a_sweep_has_the_figures_of_its_json() {
    let output = |format: &str| Run::new(ARGUMENTS).arg("--format").arg(format).output().exits_with(0);
    let (page, json) = (output("html").out, output("json").json());
    permits_its_own_script_only(&page);
    let data = data(&page);
    for key in ["front", "winner"] {
        assert_eq!(data[key], json[key]);
    }
    let combinations = data["combinations"].as_array().unwrap();
    assert_eq!(combinations.len(), json["combinations"].as_array().unwrap().len());
    for (shown, combination) in combinations.iter().zip(json["combinations"].as_array().unwrap()) {
        for (at, parameter) in data["parameters"].as_array().unwrap().iter().enumerate() {
            assert_eq!(shown["settings"][at], combination["settings"][parameter["name"].as_str().unwrap()]);
        }
        for (half, name) in ["tuning", "held_out"].into_iter().enumerate() {
            let figures = &shown["halves"][half];
            for (at, axis) in data["axes"].as_array().unwrap().iter().enumerate() {
                assert_eq!(figures["means"][at][0], combination[name]["means"][axis["name"].as_str().unwrap()]);
            }
            assert_eq!(figures["broken"], combination[name]["broken"][0]);
        }
    }
    let winner = usize::try_from(data["winner"].as_u64().unwrap()).unwrap();
    let difference = &combinations[winner]["halves"][1]["differences"][0];
    let lead = &data["leads"][0];
    assert!(lead.as_str().unwrap().contains(difference.as_str().unwrap()), "{difference} is in {lead}");
    assert_eq!(combinations[0]["halves"][0]["differences"], serde_json::json!([null, null, null, null]));
}

#[test]
fn the_page_of_a_sweep_is_quiet_accessible_and_fits_the_screen() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    for file in &files {
        for (width, scheme) in [(1400, "light"), (420, "dark"), (420, "light"), (1400, "dark")] {
            is_quiet_accessible_and_fits(&mut browser, file, width, scheme);
        }
    }
    let text = browser.value("document.body.innerText");
    let text = text.as_str().unwrap();
    assert!(text.contains("Warning: ") && text.contains("its lead over the file as written is within noise"), "{text}");
    assert!(text.contains(&format!("{HOSTILE}.jsonl")) && text.contains(&format!("note=\"{HOSTILE}\"")), "{text}");
}

#[test]
fn a_point_opens_its_settings_by_keyboard_and_by_pointer() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[0], 1400, "light");
    let heading = "document.querySelector('#settings h3').textContent";
    assert_eq!(browser.value(heading), "Settings: high=70%, step=500");
    assert_eq!(browser.value("document.querySelectorAll('.points [role=option]').length"), 15);
    // Only one point is reached by the Tab key; the arrow keys move among all.
    assert_eq!(browser.value("document.querySelectorAll('.points [tabindex=\"0\"]').length"), 1);
    browser.value("document.querySelector('.points [tabindex=\"0\"]').focus()");
    browser.press("End", 35);
    browser.press("ArrowLeft", 37);
    let focused = browser.value("document.activeElement.getAttribute('aria-label')");
    let settings = focused.as_str().unwrap().split(';').next().unwrap().to_owned();
    assert_ne!(settings, "high=70%, step=500");
    browser.press("Enter", 13);
    assert_eq!(browser.value(heading), format!("Settings: {settings}").as_str());
    assert_eq!(browser.value("document.activeElement.id"), "settings-heading", "the focus moves to the settings");
    let selected = "document.querySelector('.points [aria-selected=true]').getAttribute('aria-label')";
    assert_eq!(browser.value(selected), focused);
    // A click near a point opens it.
    let place = browser.value(
        "(() => { const { x, y, width, height } = document.querySelector('.points .winner .shape').getBoundingClientRect(); \
         return { x: x + width / 2 + 4, y: y + height / 2 }; })()",
    );
    for kind in ["mousePressed", "mouseReleased"] {
        let mut event = place.clone();
        event["type"] = kind.into();
        event["button"] = "left".into();
        event["clickCount"] = 1.into();
        browser.call("Input.dispatchMouseEvent", &event);
    }
    assert_eq!(browser.value(heading), "Settings: high=70%, step=500");
    let text = browser.value("document.querySelector('#settings').innerText");
    let shown = ["$0.0751", "-$0.0206 (-$0.0261 to -$0.0155)", "$0.0691", "-$0.0191 (-$0.0247 to -$0.0131)", "winner"];
    assert!(shown.iter().all(|part| text.as_str().unwrap().contains(part)), "{text}");
}

#[test]
fn the_chart_of_a_sweep_shows_other_axes_and_the_table_sorts() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[0], 1400, "light");
    let choose = |control: usize, value: usize| {
        format!(
            "(() => {{ const all = document.querySelectorAll('#front select'); all[{control}].value = '{value}'; \
             all[{control}].dispatchEvent(new Event('change')); }})()"
        )
    };
    let label = "document.querySelector('.points .winner').getAttribute('aria-label')";
    let tuning = browser.value(label);
    assert!(tuning.as_str().unwrap().contains("cost $0.0751, peak 68.4%"), "{tuning}");
    browser.value(&choose(0, 1));
    let held_out = browser.value(label);
    assert!(held_out.as_str().unwrap().contains("cost $0.0691, peak 67.4%"), "{held_out}");
    browser.value(&choose(1, 1));
    let regret = browser.value(label);
    assert!(regret.as_str().unwrap().contains("cost $0.0691, regret 1.1"), "{regret}");
    let press = "[...document.querySelectorAll('#combinations thead button')].find((one) => one.textContent.startsWith('peak')).click()";
    let peaks = "[...document.querySelectorAll('#combinations tbody tr')].map((row) => parseFloat(row.children[3].textContent))";
    let numbers = |json: &Json| json.as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect::<Vec<_>>();
    browser.value(press);
    let down = numbers(&browser.value(peaks));
    assert!(down.len() == 7 && down.is_sorted_by(|a, b| a >= b), "{down:?}");
    browser.value(press);
    assert!(numbers(&browser.value(peaks)).is_sorted());
    browser.value("document.querySelector('#combinations details').open = true; 0");
    let rows = "new Promise((done) => setTimeout(() => done(document.querySelectorAll('#combinations details tbody tr').length), 50))";
    assert_eq!(browser.value(rows), 15);
    browser.value("document.querySelectorAll('#combinations tbody button')[1].click()");
    let shown = browser.value("document.querySelector('#settings h3').textContent");
    assert_eq!(shown, "Settings: high=50%, step=200 tokens", "the row after a descending and an ascending sort");
}
