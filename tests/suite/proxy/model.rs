//! A model on loopback that answers as a test says, and keeps what it was sent.

use std::sync::{Arc, Mutex};

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

use crate::endpoint::server::{Step, run};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Received {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let is_named = |line: &&str| line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name));
        self.head.lines().skip(1).find(is_named)?.split_once(':').map(|(_, value)| value.trim())
    }
}

pub(super) struct Model {
    pub(super) url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Model {
    /// A model that answers each request, of which the first has the number 1.
    pub(super) async fn start(answer: impl Fn(usize, &Received) -> Vec<Step> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = read(&mut stream).await else { continue };
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request.clone());
                    seen.len()
                };
                tokio::spawn(run(stream, answer(number, &request)));
            }
        });
        Self { url, received }
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

/// Reads one request with a length or in chunks.
async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut all = Vec::new();
    loop {
        if let Some(end) = all.windows(4).position(|four| four == b"\r\n\r\n") {
            let received =
                Received { head: String::from_utf8(all[..end].to_vec()).ok()?, body: all[end + 4..].to_vec() };
            let length = received.header("content-length").map(|length| length.parse().unwrap());
            if received.header("transfer-encoding").is_some() {
                if let Some(body) = unchunked(&received.body) {
                    return Some(Received { body, ..received });
                }
            } else if received.body.len() >= length.unwrap_or(0) {
                return Some(received);
            }
        }
        if stream.read_buf(&mut all).await.ok()? == 0 {
            return None;
        }
    }
}

/// The content of chunks; none if the last one has not come.
pub(super) fn unchunked(mut chunks: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).ok()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(content);
        }
        content.extend_from_slice(chunks.get(end + 2..end + 2 + size)?);
        chunks = chunks.get(end + 2 + size + 2..)?;
    }
}
