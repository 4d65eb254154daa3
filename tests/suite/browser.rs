//! A headless Chromium, driven with the `DevTools` protocol over its pipes.
//!
//! `TRIMTAB_CHROMIUM` names the program; otherwise it is one of those that distributions install. Tests that need it say
//! loudly that they are skipped if there is none.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};

/// A browser that does not answer for so long is broken.
const PATIENCE: Duration = Duration::from_secs(300);

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    output: Receiver<Json>,
    session: String,
    last: u64,
    /// The events that have arrived.
    events: Vec<Json>,
    _profile: tempfile::TempDir,
}

/// The program; none if there is none.
fn program() -> Option<String> {
    let named = std::env::var("TRIMTAB_CHROMIUM").ok();
    let answers = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success());
    if let Some(name) = named {
        assert!(answers(&name), "TRIMTAB_CHROMIUM: `{name}` does not run");
        return Some(name);
    }
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| answers(name)).map(str::to_owned)
}

impl Browser {
    /// Starts a browser; none, with a notice, if there is none or pipes cannot be handed to it.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program().filter(|_| cfg!(unix)) else {
            let notice = "\n*** SKIPPED: install `chromium` or set TRIMTAB_CHROMIUM to test report pages ***\n\n";
            drop(std::io::stderr().write_all(notice.as_bytes()));
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The protocol is on the descriptors 3 and 4.
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 >/dev/null 2>&1"]).arg(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"]);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let sent = serde_json::from_slice(&message).ok().and_then(|json| sender.send(json).ok());
                if sent.is_none() {
                    return;
                }
            }
        });
        let (session, events) = (String::new(), Vec::new());
        let mut browser = Self { process, input, output: receiver, session, last: 0, events, _profile: profile };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attached);
        session["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol.
    pub(crate) fn call(&mut self, method: &str, params: &Json) -> Json {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.as_str().into();
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.output.recv_timeout(PATIENCE).expect("the browser answers");
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a file in a window of this width, with a colour scheme.
    pub(crate) fn open(&mut self, file: &std::path::Path, width: u64, scheme: &str) {
        let metrics = json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", &media);
        self.events.clear();
        self.call("Page.navigate", &json!({ "url": format!("file://{}", file.display()) }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.output.recv_timeout(PATIENCE).expect("the page is loaded");
            self.events.push(event);
        }
        // Charts are drawn after the layout.
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    /// The value of an expression in the page. A promise is awaited.
    #[track_caller]
    pub(crate) fn value(&mut self, expression: &str) -> Json {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let done = self.call("Runtime.evaluate", &params);
        assert!(done["exceptionDetails"].is_null(), "{expression}: {}", done["exceptionDetails"]);
        done["result"]["value"].clone()
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u64) {
        // A button is pressed by the character.
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// What the page has said on the console, and its errors.
    pub(crate) fn messages(&self) -> Vec<&Json> {
        let said = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];
        self.events.iter().filter(|event| said.iter().any(|method| event["method"] == **method)).collect()
    }

    /// The addresses that the page has asked for.
    pub(crate) fn requests(&self) -> Vec<&str> {
        let requests = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        requests.filter_map(|event| event["params"]["request"]["url"].as_str()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session.clear();
        drop(self.input.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0"));
        drop(self.process.wait());
    }
}
