//! A server that does exactly what a test says, byte by byte.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// What the server does after it has read a request. After the last step it closes the connection.
#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    /// One byte at a time with a pause after each.
    Drip(Vec<u8>, Duration),
    /// The same bytes again and again until the client goes away.
    Repeat(Vec<u8>),
    Wait(Duration),
    Hang,
}

pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// A server that answers each request with the next of these lists of steps; the last one is repeated.
    pub(crate) async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = read(&mut stream).await;
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request);
                    seen.len()
                };
                let script = scripts[number.min(scripts.len()) - 1].clone();
                tokio::spawn(async move { run(stream, script).await });
            }
        });
        Self { url, requests }
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

pub(crate) async fn run(mut stream: TcpStream, script: Vec<Step>) {
    for step in script {
        // A failure to write means that the client has gone.
        let sent = match step {
            Step::Send(bytes) => stream.write_all(&bytes).await,
            Step::Drip(bytes, pause) => drip(&mut stream, &bytes, pause).await,
            Step::Repeat(bytes) => loop {
                if let Err(error) = stream.write_all(&bytes).await {
                    break Err(error);
                }
            },
            Step::Wait(time) => {
                sleep(time).await;
                Ok(())
            }
            Step::Hang => std::future::pending().await,
        };
        if sent.is_err() {
            return;
        }
    }
}

async fn drip(stream: &mut TcpStream, bytes: &[u8], pause: Duration) -> std::io::Result<()> {
    for byte in bytes {
        stream.write_all(&[*byte]).await?;
        stream.flush().await?;
        sleep(pause).await;
    }
    Ok(())
}

/// Reads one request.
async fn read(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&all).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length:"));
            if body.len() >= length.map_or(0, |length| length.trim().parse().unwrap()) {
                return text;
            }
        }
        if stream.read_buf(&mut all).await.unwrap_or(0) == 0 {
            return text;
        }
    }
}

/// An answer with a status, further headers (each ends with `\r\n`) and a body.
pub(crate) fn reply(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}").into_bytes()
}

/// A successful answer of the interface of OpenAI with this text.
pub(crate) fn chat(text: &str) -> Vec<u8> {
    reply(200, "content-type: application/json\r\n", &body(text))
}

/// The body of [`chat`].
pub(super) fn body(text: &str) -> String {
    serde_json::json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).to_string()
}
