//! Chat histories of Aider: Markdown in which the first characters of a line show who wrote it.
//!
//! A history contains many sessions, each with a header. Lines after `####` are typed by the person, and lines after `>` are
//! printed by Aider, with the lines directly after them and the output of commands. All others are replies. Aider does not record what it sends besides: the repository map, files
//! and instructions. Where it answers a reply by itself, with errors for example, what it printed in between becomes a
//! message of the harness.

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Role, Usage};

use super::record::{Input, Skipped};
use super::sample::Sample;
use super::wire::TokenCount;
use super::{Format, Quirk, ReadError, Reader, Transcript, error, time, usage};

/// Chat histories of Aider.
pub(super) static AIDER: Format = Format {
    name: "aider",
    title: "Aider chat histories",
    summary: "`.aider.chat.history.md` files; each session becomes a transcript",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[Quirk::UnmarkedErrors],
};

/// The beginning of a session, before the time.
const HEADER: &str = "# aider chat started at ";

/// The commands whose argument is sent to the model. Others are handled by Aider.
const PROMPT_COMMANDS: [&str; 4] = ["/ask ", "/code ", "/architect ", "/context "];

/// The commands whose output Aider writes into the history, without marks after its first line.
const RUNNING_COMMANDS: [&str; 6] = ["/run", "/test", "/git", "/lint", "/diff", "!"];

/// What the notice after the output of a command contains.
const OUTPUT_END: &str = "to the chat";

/// The commands that clear the context.
const CLEARING_COMMANDS: [&str; 2] = ["/clear", "/reset"];

fn sniff(sample: &Sample<'_>) -> bool {
    sample.text().trim_start().starts_with(HEADER)
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut sessions: Vec<PartialSession> = Vec::new();
    for line in input.text().lines() {
        match (line.strip_prefix(HEADER), sessions.last_mut()) {
            (Some(started), _) => {
                sessions.push(PartialSession { started: started.trim().to_owned(), ..PartialSession::default() });
            }
            (None, Some(session)) => session.add(line.trim_end(), &mut skipped),
            (None, None) if line.trim().is_empty() => {}
            (None, None) => skipped.count("line before the first session"),
        }
    }
    let total = sessions.len();
    let mut transcripts: Vec<_> = sessions.into_iter().map(|session| session.finish(&mut skipped)).collect();
    transcripts.retain(|transcript| !transcript.messages.is_empty());
    if total == 0 {
        return Err(error::no_record("aider", input));
    }
    skipped.add("session without messages", (total - transcripts.len()) as u64);
    if transcripts.is_empty() {
        transcripts.push(Transcript::default());
    }
    transcripts[0].skipped = skipped.0;
    Ok(transcripts)
}

/// Who wrote a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Author {
    Person,
    #[default]
    Aider,
    Model,
}

/// A session of which a part has been read.
#[derive(Default)]
struct PartialSession {
    started: String,
    model: Option<SmolStr>,
    messages: Vec<Message>,
    /// The author and the lines of the block that is being read.
    author: Author,
    block: Vec<String>,
    /// What Aider has printed since the last message.
    notices: Vec<String>,
    /// Whether the person has cleared the context since the last prompt.
    is_cleared: bool,
    /// Whether Aider shows the output of a command.
    is_running: bool,
    /// Whether the line before was blank.
    after_blank: bool,
}

impl PartialSession {
    fn add(&mut self, line: &str, skipped: &mut Skipped) {
        let (author, text) = self.classify(line);
        self.after_blank = line.is_empty();
        // A blank line may belong to a reply. It ends a prompt, since the lines of one follow each other.
        if line.is_empty() && self.author != Author::Model {
            if self.author == Author::Person {
                self.end_block(skipped);
                self.author = Author::Aider;
            }
            return;
        }
        if author != self.author {
            self.end_block(skipped);
            self.author = author;
        }
        self.is_running &= !(author == Author::Aider && text.contains(OUTPUT_END));
        self.block.push(text.to_owned());
    }

    /// The author of a line, and its text.
    fn classify<'a>(&self, line: &'a str) -> (Author, &'a str) {
        // Without a space after them, the characters belong to a reply: `>>>>>>> REPLACE` ends an edit.
        let marked = |mark: &str| {
            line.strip_prefix(mark).and_then(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') })
        };
        // A reply begins after a blank line, and ends with one.
        let continues = |author| self.author == author && !self.after_blank && !self.block.is_empty();
        if let Some(text) = marked("####") {
            (Author::Person, text)
        } else if let Some(text) = marked(">").filter(|_| !continues(Author::Model)) {
            (Author::Aider, text)
        } else if !line.is_empty() && (self.is_running || continues(Author::Aider)) {
            // Only the first line of what Aider prints has a mark.
            (Author::Aider, line)
        } else {
            (Author::Model, line)
        }
    }

    fn end_block(&mut self, skipped: &mut Skipped) {
        let lines = std::mem::take(&mut self.block);
        let text = lines.join("\n").trim().to_owned();
        match self.author {
            Author::Aider => {
                for line in lines {
                    self.add_notice(line);
                }
            }
            Author::Person => self.add_prompt(&text, skipped),
            Author::Model if text.is_empty() => {}
            Author::Model => self.add_reply(text, skipped),
        }
    }

    fn add_notice(&mut self, line: String) {
        let last = self.messages.last_mut().filter(|last| last.role == Role::Assistant && last.usage.is_none());
        if let (Some(usage), Some(reply)) = (parse_usage(&line), last) {
            reply.usage = Some(usage);
        } else if let Some(model) = parse_model(&line).filter(|_| self.messages.is_empty()) {
            self.model.get_or_insert(model);
        } else {
            self.notices.push(line);
        }
    }

    /// Counts the notices that no message contains.
    fn drop_notices(&mut self, skipped: &mut Skipped) {
        skipped.add("printed notice", std::mem::take(&mut self.notices).len() as u64);
    }

    fn add_prompt(&mut self, text: &str, skipped: &mut Skipped) {
        self.drop_notices(skipped);
        self.is_running = false;
        let argument = PROMPT_COMMANDS.iter().find_map(|command| text.strip_prefix(command));
        match argument {
            None if text.starts_with(['/', '!']) => {
                let is_command =
                    |name: &&str| text.split_whitespace().next() == Some(name) || *name == "!" && text.starts_with('!');
                self.is_running = RUNNING_COMMANDS.iter().any(is_command);
                self.is_cleared |= CLEARING_COMMANDS.contains(&text);
                skipped.count("slash command");
            }
            None if text.is_empty() => {}
            _ => {
                let resets = std::mem::take(&mut self.is_cleared) && !self.messages.is_empty();
                let message = Message::text(Role::User, argument.unwrap_or(text));
                self.messages.push(Message { resets, run: resets.then_some(true), ..message });
            }
        }
    }

    fn add_reply(&mut self, text: String, skipped: &mut Skipped) {
        let is_reflected = self.messages.last().is_some_and(|last| last.role == Role::Assistant);
        self.notices.retain(|line| !line.starts_with(COST));
        if is_reflected && !self.notices.is_empty() {
            let sent = std::mem::take(&mut self.notices).join("\n");
            self.messages.push(Message { harness: true, ..Message::text(Role::User, sent.trim()) });
        }
        self.drop_notices(skipped);
        self.messages.push(Message { model: self.model.clone(), ..Message::text(Role::Assistant, text) });
    }

    fn finish(mut self, skipped: &mut Skipped) -> Transcript {
        self.end_block(skipped);
        self.drop_notices(skipped);
        Transcript {
            started: Some(time::from_naive(&self.started)),
            id: self.started,
            model: self.model,
            messages: self.messages.into_iter().map(Into::into).collect(),
            ..Transcript::default()
        }
    }
}

/// The beginning of the line with the usage of a reply.
const TOKENS: &str = "Tokens: ";

/// The beginning of the cost on a line of its own.
const COST: &str = "Cost: $";

/// The model in a line such as `Main model: claude-3-5-sonnet with diff edit format`.
fn parse_model(line: &str) -> Option<SmolStr> {
    let rest = ["Main model: ", "Model: ", "Models: "].iter().find_map(|label| line.strip_prefix(label))?;
    rest.split_whitespace().next().map(SmolStr::new)
}

/// The usage in a line such as `Tokens: 26k sent, 1.2k cache hit, 680 received.`; what was sent includes the cache.
fn parse_usage(line: &str) -> Option<Usage> {
    let counts = line.strip_prefix(TOKENS)?.split_once("received")?.0;
    let [mut sent, mut cache_read, mut cache_write, mut output] = [TokenCount::default(); 4];
    for item in counts.split(", ").map(str::trim).filter(|item| !item.is_empty()) {
        let (number, kind) = item.split_once(' ').unwrap_or((item, ""));
        let count = match kind {
            "sent" => &mut sent,
            "cache hit" => &mut cache_read,
            "cache write" => &mut cache_write,
            "" => &mut output,
            _ => continue,
        };
        *count = parse_count(number).map_or(TokenCount::INVALID, |tokens| TokenCount(Some(tokens)));
    }
    Some(usage::with_larger_cache([sent, cache_read, cache_write, output])).filter(|usage| usage.total() > 0)
}

/// A number such as `7,373`, `26k` or `1.2M`.
fn parse_count(text: &str) -> Option<u64> {
    let (number, factor) = match (text.strip_suffix('k'), text.strip_suffix('M')) {
        (Some(number), _) => (number, 1e3),
        (None, Some(number)) => (number, 1e6),
        (None, None) => (text, 1.0),
    };
    let number: f64 = number.replace(',', "").parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
    (0.0..1e12).contains(&number).then(|| (number * factor).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript;

    fn read_file(text: &str) -> Vec<Transcript> {
        let file = transcript::read(text.as_bytes(), None).expect("reads");
        assert_eq!(file.format, "aider");
        file.transcripts
    }

    fn texts(transcript: &Transcript) -> Vec<(&str, String)> {
        transcript.messages.iter().map(|message| (message.role.word(), message.plain_text())).collect()
    }

    #[test]
    fn each_session_with_messages_is_a_transcript() {
        let read = read_file(
            "\n# aider chat started at 2026-03-01 10:00:00\n\n> Main model: m with diff edit format  \n\n#### fix  \n#### it  \n\n\
             Done:\n\n# not a header\n\n> Tokens: 2.5k sent, 1k cache write, 500 cache hit, 1,200 received. Cost: $0.01 message.  \n\
             \n# aider chat started at 2026-03-01 11:00:00\n\n> Aider v1  \n\n#### /exit  \n\
             \n# aider chat started at 2026-03-01 12:00:00\n\n#### /ask why?  \n\nSo.\n",
        );
        let ids: Vec<_> = read.iter().map(|read| read.id.as_str()).collect();
        assert_eq!(ids, ["2026-03-01 10:00:00", "2026-03-01 12:00:00"]);
        let expected = [("user", "fix\nit".to_owned()), ("assistant", "Done:\n\n# not a header".to_owned())];
        assert_eq!(texts(&read[0]), expected);
        let usage = Usage { input: 1000, cache_read: 500, cache_write: 1000, output: 1200, ..Usage::default() };
        assert_eq!(read[0].messages[1].usage, Some(usage));
        assert_eq!((read[0].model.as_deref(), read[0].started.as_deref()), (Some("m"), Some("2026-03-01T10:00:00Z")));
        assert_eq!(texts(&read[1])[0], ("user", "why?".to_owned()));
        let skipped = serde_json::json!({"slash command": 1, "printed notice": 1, "session without messages": 1});
        assert_eq!(serde_json::json!(read[0].skipped), skipped);
    }

    #[test]
    fn what_aider_answers_to_a_reply_is_a_message_of_the_harness() {
        let read = read_file(
            "# aider chat started at 2026-03-01 10:00:00\n\n#### fix\n\nTry this:\n>>>>>>> REPLACE\n\n> Tokens: 7,373 sent, 64 received.\nCost: $0.01 message.  \n\
             > The block failed to match!  \n>  \n> Try again.  \n\nNow this.\n\n> Applied edit to a.py  \n",
        );
        let roles: Vec<_> = texts(&read[0]).into_iter().map(|(role, _)| role).collect();
        assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
        let message = &read[0].messages[2];
        assert!(message.harness);
        assert_eq!(message.plain_text(), "The block failed to match!\n\nTry again.");
        assert_eq!(read[0].messages[1].usage.map(|usage| usage.input), Some(7373));
        assert_eq!(read[0].skipped.get("printed notice"), Some(&1));
    }

    #[test]
    fn the_output_of_commands_is_no_reply() {
        let read = read_file(
            "# aider chat started at 2026-03-01 10:00:00\n\n#### /run make  \n> make: building  \ncc -c a.c\n\nld a.o\n> 1 warning\n\ndone\n\
             \n> Added 4 lines of output to the chat.  \n\n#### fix it  \n\nThe log says:\n> 1 warning\nSo I remove it.\n\n\
             > Applied edit to a.c  \nCommit 1a2b  \n\n#### /test make check  \n> failed: 1  \n\nsee the log\n\n> Added 2 lines of output to the chat.  \n\n\
             Now it passes.\n\n> Tokens: 2.1k sent, 80 received.  \n",
        );
        let expected = [
            ("user", "fix it"),
            ("assistant", "The log says:\n> 1 warning\nSo I remove it."),
            ("user", "failed: 1\nsee the log\nAdded 2 lines of output to the chat."),
            ("assistant", "Now it passes."),
        ];
        assert_eq!(texts(&read[0]), expected.map(|(role, text)| (role, text.to_owned())));
        assert!(read[0].messages[2].harness);
    }

    #[test]
    fn a_prompt_after_the_context_was_cleared_resets_it() {
        let read = read_file(
            "# aider chat started at 2026-03-01 10:00:00\n\n#### one\n\nOk.\n\n#### /clear  \n\n#### two\n\n#### three\n\nOk.\n",
        );
        let prompts: Vec<_> = read[0].messages.iter().filter(|message| message.role == Role::User).collect();
        let resets: Vec<_> =
            prompts.iter().map(|message| (message.plain_text(), message.resets, message.run)).collect();
        let expected = [("one", false, None), ("two", true, Some(true)), ("three", false, None)];
        assert_eq!(resets, expected.map(|(text, resets, run)| (text.to_owned(), resets, run)));
    }
}
