//! `report`: the page in a browser.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use trimtab::quantity::{Decimal, grouped, percent_of, signed_percent};
use trimtab::report::{dollars, signed_dollars};

use super::report::{POLICY, recording};
use super::{Run, folder};
use crate::browser::Browser;
use crate::rng::Rng;

/// The checks of accessibility.
const AXE: &str = "tests/vendor/axe-core-4.14.1/axe.min.js";

/// Texts that would run a script or load something if they were read as markup.
const HOSTILE: &str = "</script><script>window.ran = 1</script><img src=x onerror=\"window.ran = 2\"> \
                       <!--<script> {{ 7 * 7 }} javascript:window.ran=3 http://example.com/x.js \u{2028} ";

/// Pages on one transcript with hostile texts, on several transcripts, and of three policies.
fn pages() -> (tempfile::TempDir, Vec<PathBuf>) {
    let hostile = recording(HOSTILE, 12);
    let folder = folder(&[("p.trim", POLICY), ("<img src=x onerror='window.ran=4'>.jsonl", &hostile)]);
    let mut files = Vec::new();
    let mut write = |name: &str, run: Run| {
        let file = folder.path().join(name);
        run.arg("-o").arg(file.as_os_str()).output().exits_with(0);
        files.push(file);
    };
    let here = Run::line("report --with-texts p.trim").arg("<img src=x onerror='window.ran=4'>.jsonl");
    write("one.html", here.current_dir(folder.path()));
    write("several.html", Run::line("report policies/coding_agent.trim policies"));
    let policies = ["coding_agent", "cache_friendly", "reflection_window"].map(|name| format!("policies/{name}.trim"));
    let recordings = ["coding_agent", "reflection_window"].map(|name| format!("policies/{name}.jsonl"));
    let three = Run::new(["report", "--policies"].into_iter().map(str::to_owned).chain(policies));
    write("three.html", recordings.into_iter().fold(three.arg("--strict"), Run::arg));
    (folder, files)
}

#[test]
fn pages_are_quiet_accessible_and_fit_the_screen() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    for (file, width, scheme) in files
        .iter()
        .flat_map(|file| [(file, 1400, "light"), (file, 420, "dark"), (file, 420, "light"), (file, 1400, "dark")])
    {
        is_quiet_accessible_and_fits(&mut browser, file, width, scheme);
        let charts = browser.value("document.querySelectorAll('.plot svg').length");
        assert!(charts.as_u64() >= Some(2), "{}: {charts} charts", file.display());
    }
}

/// Checks that a page says nothing on the console, loads nothing, runs no script but its own, is not wider than the screen
/// and has no violation of accessibility. It stays open.
pub(super) fn is_quiet_accessible_and_fits(browser: &mut Browser, file: &Path, width: u64, scheme: &str) {
    let at = format!("{} at {width} pixels, {scheme}", file.display());
    browser.open(file, width, scheme);
    assert_eq!(browser.messages(), [&Json::Null; 0], "{at}");
    let requests = browser.requests();
    assert!(requests.len() == 1 && requests[0].starts_with("file://"), "{at}: {requests:?}");
    assert_eq!(browser.value("window.ran === undefined"), true, "{at}");
    assert_eq!(browser.value("document.querySelectorAll('img, iframe, object, main script').length"), 0, "{at}");
    assert_eq!(browser.value("document.documentElement.scrollWidth"), width, "{at}: wider than the screen");
    browser.value(&(fs::read_to_string(AXE).unwrap() + ";0"));
    let found = browser
        .value("axe.run().then((all) => all.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes[0].html}`))");
    assert_eq!(found, Json::Array(Vec::new()), "{at}");
}

/// Amounts and shares are the same strings on pages and in texts.
#[test]
fn the_script_of_a_page_writes_figures_as_the_program_does() {
    let Some(mut browser) = Browser::start() else { return };
    let script = fs::read_to_string("crates/trimtab-report/src/report/page/script/figure.js").unwrap();
    let script = script.lines().filter(|line| !line.starts_with("const DATA")).collect::<Vec<_>>().join("\n");
    let mut random = Rng::new(7);
    let mut millionths: Vec<i64> =
        vec![0, 1, 499, 500, 501, 1_499, 1_500, 2_500, 999_499, 999_500, 1_005_000, 1_015_000];
    millionths.extend((0..400).map(|at| i64::try_from(random.below_u64(1 << (3 + at % 40))).unwrap()));
    millionths.extend(millionths.clone().iter().map(|amount| -amount));
    let amounts: Vec<Decimal> = millionths.iter().map(|amount| Decimal::new(*amount, 6)).collect();
    let pairs: Vec<(u64, u64)> = (0..400)
        .map(|at| (random.below_u64(1 << (1 + at % 51)), random.below_u64(1 << (1 + at % 47)).max(1)))
        .chain([(1, 8), (1, 16), (1, 2_000), (3, 2_000), (12_959, 100_000), (1_250, 10_000), (0, 5)])
        .collect();
    let numbers: Vec<f64> = amounts.iter().map(|amount| amount.to_string().parse().unwrap()).collect();
    let written = browser.value(&format!(
        "(() => {{ {script}; const numbers = {}; const pairs = {}; return [\
             numbers.map(dollars), numbers.map(signedDollars), \
             pairs.map(([part, all]) => percent(part, all)), pairs.map(([from, to]) => change(to, from)), \
             pairs.map(([part]) => whole(part))]; }})()",
        json!(numbers),
        json!(pairs)
    ));
    let share = |(part, all): &(u64, u64)| percent_of((*part).into(), (*all).into());
    let change = |(after, before): &(u64, u64)| {
        let (before, after) = (Decimal::from(*before), Decimal::from(*after));
        signed_percent((after - before) / before)
    };
    let expected = json!([
        amounts.iter().map(|amount| dollars(*amount)).collect::<Vec<_>>(),
        amounts.iter().map(|amount| signed_dollars(*amount)).collect::<Vec<_>>(),
        pairs.iter().map(share).collect::<Vec<_>>(),
        pairs.iter().map(change).collect::<Vec<_>>(),
        pairs.iter().map(|(part, _)| grouped(Decimal::from(*part))).collect::<Vec<_>>(),
    ]);
    for (kind, (written, expected)) in written.as_array().unwrap().iter().zip(expected.as_array().unwrap()).enumerate()
    {
        for (at, (written, expected)) in
            written.as_array().unwrap().iter().zip(expected.as_array().unwrap()).enumerate()
        {
            assert_eq!(written, expected, "{kind}: {:?} {:?}", amounts.get(at), pairs.get(at));
        }
    }
}

#[test]
fn the_list_of_sessions_is_sorted_and_filtered() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[1], 1400, "light");
    let first = "[...document.querySelectorAll('#sessions tbody tr')].map((row) => row.children[1].textContent * 1)";
    let press = "[...document.querySelectorAll('#sessions thead button')].find((one) => one.textContent === 'Calls')";
    let sort = "document.querySelectorAll('#sessions thead th')[1].getAttribute('aria-sort')";
    let numbers = |json: Json| json.as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect::<Vec<_>>();
    browser.value(&format!("{press}.focus()"));
    browser.press("Enter", 13);
    let down = numbers(browser.value(first));
    assert_eq!(browser.value(sort), "descending");
    assert!(down.len() > 5 && down.is_sorted_by(|a, b| a >= b), "{down:?}");
    browser.value(&format!("{press}.click()"));
    assert_eq!(browser.value(sort), "ascending");
    assert!(numbers(browser.value(first)).is_sorted());
    browser.value("document.querySelector('#sessions input[type=search]').focus()");
    browser.call("Input.insertText", &serde_json::json!({ "text": "STUCK jsonl" }));
    assert_eq!(browser.value("document.querySelectorAll('#sessions tbody tr').length"), 1);
    let status = browser.value("document.querySelector('#sessions [role=status]').textContent");
    assert!(status.as_str().unwrap().starts_with("1 of "), "{status}");
    browser.value("document.querySelector('#sessions tbody button').click()");
    let shown = browser.value("document.activeElement.textContent");
    assert_eq!(shown, "stuck_agent.jsonl", "the focus moves to the transcript");
}

/// The status of the inspector.
const STATUS: &str = "document.querySelector('.inspector [role=status]').textContent";

/// What the inspector says first: `Call 12`.
fn shown_call(browser: &mut Browser) -> String {
    let status = browser.value(STATUS);
    status.as_str().unwrap().split(':').next().unwrap().to_owned()
}

#[test]
fn the_outcome_is_the_heading_and_changed_sessions_come_first() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[1], 900, "light");
    let heading = browser.value("document.querySelector('h1').textContent");
    let said = Run::line("simulate policies/coding_agent.trim policies").output().exits_with(0).out;
    assert_eq!(heading, said.lines().next().unwrap(), "the same words as in the terminal");
    let cost = browser.value(
        "const label = [...document.querySelectorAll('.verdict dt')].find((one) => one.textContent === 'Cost'); \
         [...label.nextElementSibling.children].map((one) => one.textContent).join(', ')",
    );
    assert!(said.contains(cost.as_str().unwrap()), "{cost} in {said}");
    let changes = "[...document.querySelectorAll('#sessions tbody tr')].map((row) => row.children[5].textContent)";
    let sizes = |json: &Json| -> Vec<f64> {
        let amounts = json.as_array().unwrap().iter().map(|one| one.as_str().unwrap().replace(['$', '+', '-'], ""));
        amounts.map(|amount| amount.parse().unwrap()).collect()
    };
    let changed = browser.value(changes);
    assert!(sizes(&changed).is_sorted_by(|a, b| a >= b), "{changed}");
    browser.value("document.querySelector('#sessions .check input').click()");
    let all = browser.value(changes);
    assert!(all.as_array().unwrap().len() > changed.as_array().unwrap().len(), "{all}");
    assert_eq!(all.as_array().unwrap().last().unwrap(), "", "unchanged ones are last and have no change");
    // A dot for each changed transcript, in the colour of the policy.
    let dots = browser.value("document.querySelectorAll('#changes figure')[0].querySelectorAll('circle').length");
    assert_eq!(dots, changed.as_array().unwrap().len());
    let wide = "[...document.querySelectorAll('#sessions .scroll, #rules .scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";
    assert_eq!(browser.value(wide), 0, "tables fit 900 pixels");
}

#[test]
fn the_inspector_shows_what_a_call_sends() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[0], 1400, "light");
    let part =
        |state: &str| format!("[...document.querySelectorAll('.inspector tr{state}')].map((row) => row.textContent)");
    let has = |json: &Json, text: &str| json.as_array().unwrap().iter().any(|row| row.as_str().unwrap().contains(text));
    let rows = "document.querySelectorAll('.inspector tbody tr').length";
    let reduced = browser.value(&part(".reduced"));
    assert!(has(&reduced, "masked by mask_old at call"), "{reduced}");
    assert!(has(&reduced, "tool result read_file") && has(&reduced, "window.ran"), "{reduced}");
    assert!(browser.value("document.querySelectorAll('.inspector tr.reduced del pre').length > 0") == true);
    let loss = browser.value("document.querySelector('.inspector .loss').textContent");
    assert!(loss.as_str().unwrap().starts_with("masked 2 results: read_file 2, by mask_old at this call; "), "{loss}");
    // The keyboard moves the slider to the last call.
    browser.value("document.querySelector('.inspector input[type=range]').focus()");
    browser.press("End", 35);
    assert_eq!(shown_call(&mut browser), "Call 12");
    let (reduced, added) = (browser.value(&part(".reduced")), browser.value(&part(".added")));
    assert!(has(&reduced, "removed by forget at call") && has(&added, "summary by forget"), "{reduced} {added}");
    let loss = browser.value("document.querySelector('.inspector .loss').textContent");
    let loss = loss.as_str().unwrap();
    assert!(loss.contains("removed ") && loss.contains("added a summary, by forget"), "{loss}");
    // Only what changed is in the table, unless all parts are requested.
    let changed = browser.value(rows);
    assert_eq!(changed.as_u64().unwrap(), (reduced.as_array().unwrap().len() + added.as_array().unwrap().len()) as u64);
    browser.value("document.querySelector('.inspector input[type=checkbox]').click()");
    let all = browser.value(rows);
    assert!(changed.as_u64() < all.as_u64(), "{changed} of {all}");
    // The strip has a cell for each part, which the keyboard reaches.
    browser.value("document.querySelector('.strip').focus()");
    browser.press("Home", 36);
    browser.press("ArrowRight", 39);
    let part_text = browser.value("document.activeElement.getAttribute('aria-valuetext')");
    assert!(part_text.as_str().unwrap().starts_with(&format!("Part 2 of {all}: ")), "{part_text}");
    assert_eq!(shown_call(&mut browser), "Call 12", "arrows in the strip do not change the call");
    // As recorded, nothing is reduced.
    browser.value("document.querySelector('.inspector input[type=checkbox]').click()");
    browser.value("const view = document.querySelector('.inspector select'); view.value = '0'; view.dispatchEvent(new Event('change')); 0");
    assert_eq!(browser.value(rows), 0);
    assert_eq!(browser.value("document.querySelectorAll('figure details').length"), 3);
    browser.value("document.querySelector('figure details').open = true; 0");
    let rows = "new Promise((done) => setTimeout(() => done(document.querySelectorAll('figure details tbody tr').length), 50))";
    assert_eq!(browser.value(rows), 13, "a row for each call");
}

#[test]
fn a_session_begins_with_its_chart_and_what_a_call_lost() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[2], 1400, "light");
    let order = browser.value(
        "[...document.querySelectorAll('#session h3, #session figcaption, #session .loss, #session .strip, #session .parts')]\
         .map((one) => one.tagName === 'H3' || one.tagName === 'FIGCAPTION' ? one.textContent.split(':')[0] : one.className)",
    );
    let expected = [
        "coding_agent.jsonl",
        "Context at each call",
        "Inspector",
        "loss",
        "strip",
        "parts",
        "Composition of the context",
        "Cost up to each call",
        "Rules",
        "Cache breaks",
        "Needed later",
    ];
    assert_eq!(order, json!(expected));
    // Each rule that fired has a row with its name, below the name of its policy.
    let labels = browser.value("[...document.querySelectorAll('#session .plot')][0].textContent");
    for name in ["cache_friendly", "mask_old_results", "mask_in_one_step", "trim_large_results"] {
        assert!(labels.as_str().unwrap().contains(name), "{name}: {labels}");
    }
}

#[test]
fn an_address_names_a_call() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[2], 1400, "light");
    let address = "decodeURIComponent(location.hash)";
    let heading = "document.querySelector('#session h3').textContent";
    let go = |browser: &mut Browser, hash: &str| {
        let moved = format!("location.hash = '{hash}'; new Promise((done) => setTimeout(done, 100))");
        browser.value(&moved);
    };
    assert_eq!(browser.value(address), "", "nobody has moved");
    go(&mut browser, "#session=1&call=20&policy=3");
    assert_eq!(browser.value(heading), "reflection_window.jsonl");
    assert_eq!(browser.value("document.querySelector('.inspector select').value"), "3");
    assert_eq!(shown_call(&mut browser), "Call 20");
    go(&mut browser, "#session=policies/coding_agent.jsonl&call=22");
    assert_eq!(browser.value(heading), "coding_agent.jsonl");
    assert_eq!(shown_call(&mut browser), "Call 22");
    for unknown in ["#session=nothing&call=3", "#session=0&call=4600&policy=9", "#session=7&call=3", "#call=3"] {
        go(&mut browser, unknown);
        assert_eq!(shown_call(&mut browser), "Call 22", "{unknown}");
    }
    // The arrow keys step in the chart and in the inspector.
    browser.value("document.querySelector('#session .steps').focus()");
    browser.press("ArrowRight", 39);
    let view = browser.value("document.querySelector('.inspector select').value");
    let expected =
        |call: u64| format!("#session=policies/coding_agent.jsonl&call={call}&policy={}", view.as_str().unwrap());
    assert_eq!(browser.value(address), expected(23));
    let text = browser.value("document.activeElement.getAttribute('aria-valuetext')");
    assert!(text.as_str().unwrap().starts_with("Call 23: recorded "), "{text}");
    browser.value("document.querySelector('.inspector button').focus()");
    browser.press("ArrowLeft", 37);
    browser.press("ArrowLeft", 37);
    assert_eq!(browser.value(address), expected(21));
    // A click on the chart opens the call below the pointer.
    let at = browser.value(
        "const box = document.querySelector('#session .steps svg').getBoundingClientRect();\
         scrollTo(0, scrollY + box.top - 100); [box.left + box.width * 0.4, 200]",
    );
    for kind in ["mousePressed", "mouseReleased"] {
        let event = json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
        browser.call("Input.dispatchMouseEvent", &event);
    }
    let call = shown_call(&mut browser);
    assert_ne!(call, "Call 21");
    assert_eq!(browser.value(address), expected(call["Call ".len()..].parse().unwrap()));
    // A new visitor sees the same. Another address of the same page would not load it again.
    browser.open(&files[0], 1400, "light");
    let link = format!("{}{}", files[2].display(), expected(21));
    browser.open(Path::new(&link), 1400, "light");
    assert_eq!(shown_call(&mut browser), "Call 21");
}

/// Labels of lines, limits and rows stand beside a wide chart and in a narrow one.
#[test]
fn labels_of_charts_do_not_overlap() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    for (file, width) in files.iter().flat_map(|file| [1400, 900, 420].map(|width| (file, width))) {
        browser.open(file, width, "light");
        let overlaps = browser.value(
            "[...document.querySelectorAll('#session .plot svg')].flatMap((plot) => {\
               const boxes = [...plot.querySelectorAll('.label')].map((one) => [one.textContent, one.getBBox()]);\
               const right = plot.viewBox.baseVal.width;\
               const outside = boxes.filter(([, box]) => box.x + box.width > right + 1).map(([name]) => `${name} is cut off`);\
               const meet = (a, b) => Math.min(a.x + a.width, b.x + b.width) > Math.max(a.x, b.x) && Math.min(a.y + a.height, b.y + b.height) > Math.max(a.y, b.y) + 2;\
               return [...outside, ...boxes.flatMap(([name, box], at) => boxes.slice(at + 1).filter(([, other]) => meet(box, other)).map(([other]) => `${name} meets ${other}`))];\
             })",
        );
        assert_eq!(overlaps, json!([]), "{} at {width} pixels", file.display());
    }
}

/// The paper is as wide as A4 between its margins.
#[test]
fn a_printed_session_is_legible() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    for file in &files {
        browser.open(file, 1400, "dark");
        browser.value("dispatchEvent(new Event('beforeprint'))");
        browser.call("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
        let metrics = json!({ "width": 703, "height": 1032, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", &metrics);
        // Eight points are 10.67 pixels. A drawing may be scaled.
        let small = browser.value(
            "[...document.querySelectorAll('#session *')].filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))\
             .filter((one) => one.tagName !== 'title')\
             .map((one) => { const drawing = one.ownerSVGElement; const scale = drawing ? drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width : 1;\
                             return [one.textContent.slice(0, 40), parseFloat(getComputedStyle(one).fontSize) * scale]; })\
             .filter(([, size]) => size < 10.6)",
        );
        assert_eq!(small, json!([]), "{}", file.display());
        assert_eq!(browser.value("document.querySelector('.inspector').checkVisibility()"), false);
        let tallest = browser.value("Math.max(...[...document.querySelectorAll('#session figure')].map((one) => one.getBoundingClientRect().height))");
        assert!(tallest.as_f64() < Some(500.0), "{}: two charts do not fit a page: {tallest}", file.display());
        let page = browser.value("getComputedStyle(document.body).backgroundColor");
        assert_eq!(page, "rgb(255, 255, 255)", "paper is white");
    }
}

#[test]
fn the_tab_key_reaches_every_control_in_the_order_of_the_page() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    browser.open(&files[2], 1400, "light");
    let wanted = browser.value(
        "[...document.querySelectorAll('a, button, input, select, summary, [tabindex=\"0\"]')]\
         .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }))\
         .map((one, at) => { one.dataset.order = at; return at; }).length",
    );
    let mut reached = Vec::new();
    for _ in 0..wanted.as_u64().unwrap() {
        browser.press("Tab", 9);
        reached.push(browser.value("Number(document.activeElement.dataset.order ?? -1)").as_i64().unwrap());
    }
    let expected: Vec<i64> = (0..wanted.as_i64().unwrap()).collect();
    assert_eq!(reached, expected);
    assert!(expected.len() > 30, "{wanted}");
}

/// A page of paper is narrower than the screen, and charts are not drawn again for it.
#[test]
fn nothing_overlaps_or_is_cut_off_in_print() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, files) = pages();
    for file in &files {
        browser.open(file, 1400, "light");
        browser.value("dispatchEvent(new Event('beforeprint'))");
        browser.call("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
        let outside = browser.value(
            "document.body.style.width = '1000px';\
             const right = (one) => one.getBoundingClientRect().right;\
             const cut = [...document.querySelectorAll('.plot svg')].filter((one) => right(one) > right(one.closest('figure')) + 1);\
             const held = [...document.querySelectorAll('.scroll, pre')].filter((one) => one.scrollHeight > one.clientHeight + 1);\
             const wide = [...document.querySelectorAll('table')].filter((one) => right(one) > right(one.closest('main')) + 1);\
             [...cut, ...held, ...wide].map((one) => one.outerHTML.slice(0, 200))",
        );
        assert_eq!(outside, json!([]), "{}", file.display());
        let gap = "document.querySelector('footer').getBoundingClientRect().top \
                   - Math.max(...[...document.querySelectorAll('main *')].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom))";
        let gap = browser.value(gap).as_f64();
        assert!(gap >= Some(0.0), "{}: {gap:?}", file.display());
    }
}
