#![expect(clippy::disallowed_methods, reason = "tests write and compare files")]

use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;
use trimtab_recordings::transcript::{self, Transcript};

use crate::host::{HERMES_DATABASE, OPENCODE_DATABASE, is_foreign_database, read_stored_sessions as read};

const OPENCODE: &str = r#"
    CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
    INSERT INTO session VALUES ('ses_b', NULL, '/shop', 'Later', 2000), ('ses_a', NULL, '/shop', 'First', 1000),
        ('ses_c', NULL, '/shop', 'Empty', 3000);
    INSERT INTO message VALUES
        ('msg_2', 'ses_a', 1200, '{"role":"assistant","modelID":"claude-sonnet-4-5","tokens":{"input":10,"output":5}}'),
        ('msg_1', 'ses_a', 1100, '{"role":"user","time":{"created":1100}}'),
        ('msg_3', 'ses_b', 2100, '{"role":"user"}');
    INSERT INTO part VALUES
        ('prt_3', 'msg_2', 'ses_a', '{"type":"step-start"}'),
        ('prt_4', 'msg_2', 'ses_a', '{"type":"tool","callID":"c1","tool":"bash",
            "state":{"status":"completed","input":{"command":"ls"},"output":"a.txt"}}'),
        ('prt_5', 'msg_2', 'ses_a', '{"type":"step-finish","tokens":{"input":10,"output":5}}'),
        ('prt_1', 'msg_1', 'ses_a', '{"type":"text","text":"List the files"}'),
        ('prt_2', 'msg_1', 'ses_a', 'no JSON'),
        ('prt_6', 'msg_3', 'ses_b', '{"type":"text","text":"Later"}');
"#;

const HERMES: &str = r#"
    CREATE TABLE sessions (id TEXT PRIMARY KEY, model TEXT, system_prompt TEXT, started_at REAL);
    CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
        tool_calls TEXT, timestamp REAL, active INTEGER);
    INSERT INTO sessions VALUES ('20260101', 'gpt-4.1', 'Be brief.', 1767225600.5);
    INSERT INTO messages VALUES
        (1, '20260101', 'user', 'Taken back', NULL, NULL, 1767225600.6, 0),
        (2, '20260101', 'user', char(0) || 'json:[{"type":"text","text":"Count"}]', NULL, NULL, 1767225601, 1),
        (3, '20260101', 'assistant', '', NULL,
            '[{"id":"c1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"wc a\"}"}}]',
            1767225602, 1),
        (4, '20260101', 'tool', '{"output":"3","exit_code":0}', 'c1', NULL, 1767225603, 1);
"#;

/// A database with these contents, in a folder of its own.
fn database(sql: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(OPENCODE_DATABASE);
    Connection::open(&path).and_then(|database| database.execute_batch(sql)).expect("a database");
    (folder, path)
}

fn transcripts(sql: &str) -> Vec<Transcript> {
    let (_folder, path) = database(sql);
    let bytes = read(&path).expect("a database").expect("sessions");
    transcript::read(&bytes, None).expect("a recording").transcripts
}

fn error(sql: &str) -> String {
    let (_folder, path) = database(sql);
    read(&path).expect("a database").expect_err("no sessions").to_string()
}

fn outline(transcripts: &[Transcript]) -> String {
    let one = |transcript: &Transcript| {
        let roles = transcript.messages.iter().map(|message| format!("{:?}", message.role));
        format!("{} {} {}", transcript.format, transcript.id, roles.collect::<Vec<_>>().join(" "))
    };
    transcripts.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_sessions_of_opencode_are_read_in_their_order() {
    let read = transcripts(OPENCODE);
    assert_eq!(outline(&read), "opencode ses_a User Assistant Tool\nopencode ses_b User");
    assert_eq!(read[0].skipped.values().sum::<u64>(), 1, "{:?}", read[0].skipped);
}

#[test]
fn the_sessions_of_hermes_have_what_is_in_the_context() {
    assert_eq!(outline(&transcripts(HERMES)), "openai_chat 20260101 System User Assistant Tool");
}

/// A session with two compactions. The first one keeps the prompt and the newest reply, the second one both replies and the next
/// prompt, which came before it.
const COMPACTED: &str = r#"
    CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at REAL);
    CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
        tool_calls TEXT, timestamp REAL, active INTEGER, compacted INTEGER);
    INSERT INTO sessions VALUES ('s', 100.0);
    INSERT INTO messages VALUES
        (1, 's', 'user', 'Count', NULL, NULL, 101.0, 0, 1),
        (2, 's', 'assistant', 'One', NULL, '[{"id":"c1","function":{"name":"wc","arguments":"{}"}}]', 102.0, 0, 1),
        (3, 's', 'tool', 'a long result', 'c1', NULL, 103.0, 0, 1),
        (4, 's', 'user', 'Taken back', NULL, NULL, 103.5, 0, 0),
        (5, 's', 'assistant', 'Two', NULL, '[{"id":"c2","function":{"name":"wc","arguments":"{}"}}]', 104.0, 0, 1),
        (6, 's', 'tool', 'another result', 'c2', NULL, 105.0, 0, 1),
        (7, 's', 'user', 'Count', NULL, NULL, 106.0, 0, 1),
        (8, 's', 'user', '[CONTEXT COMPACTION] One file was counted.', NULL, NULL, 106.000001, 0, 1),
        (9, 's', 'assistant', 'Two', NULL, '[{"id":"c2","function":{"name":"wc","arguments":"{}"}}]', 106.000002, 0, 1),
        (10, 's', 'tool', '[wc] short', 'c2', NULL, 106.000003, 0, 1),
        (11, 's', 'assistant', 'Done', NULL, NULL, 107.0, 0, 1),
        (12, 's', 'user', 'Count', NULL, NULL, 108.0, 0, 1),
        (13, 's', 'assistant', '[CONTEXT COMPACTION] Files were counted.', NULL, NULL, 109.0, 1, 0),
        (14, 's', 'assistant', 'Two', NULL, '[{"id":"c2","function":{"name":"wc","arguments":"{}"}}]', 106.000002, 1, 0),
        (15, 's', 'tool', '[wc] short', 'c2', NULL, 106.000003, 1, 0),
        (16, 's', 'assistant', 'Done', NULL, NULL, 107.0, 1, 0),
        (17, 's', 'user', 'Count', NULL, NULL, 109.000001, 1, 0),
        (18, 's', 'assistant', 'Three', NULL, NULL, 110.0, 1, 0);
"#;

#[test]
fn the_sessions_of_hermes_have_what_compactions_replaced() {
    let read = transcripts(COMPACTED);
    let messages = &read[0].messages;
    let resets: Vec<usize> = (0..messages.len()).filter(|at| messages[*at].resets).collect();
    assert_eq!((messages.len(), resets), (17, vec![5, 11]));
    assert!([5, 11].iter().all(|at| messages[*at].compaction().is_some_and(|compaction| compaction.automatic)));
    let kept: Vec<usize> = (0..messages.len()).filter(|at| messages[*at].kept).collect();
    assert_eq!(kept, [5, 7, 8, 12, 13, 14, 15]);
    let replies = messages.iter().filter(|message| message.is_reply());
    assert_eq!(replies.map(|reply| reply.plain_text()).collect::<Vec<_>>(), ["One", "Two", "Done", "Three"]);
    assert!(messages[6].harness && messages[11].harness && !messages[11].kept);
}

#[test]
fn repeated_prompts_are_no_compaction() {
    let summary = "'[CONTEXT COMPACTION] One file was counted.'";
    let read = transcripts(
        &COMPACTED.replace(summary, "'Go on'").replace("'[CONTEXT COMPACTION] Files were counted.'", "'Yes'"),
    );
    assert!(read[0].messages.iter().all(|message| !message.resets && !message.kept && !message.harness));
}

#[test]
fn a_database_that_its_agent_has_open_is_read_with_its_log_and_left_as_it_is() {
    let (folder, path) = database("PRAGMA journal_mode = WAL;");
    let agent = Connection::open(&path).expect("open");
    agent.execute_batch(OPENCODE).expect("written");
    let names = || {
        let mut names: Vec<_> =
            std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").file_name()).collect();
        names.sort();
        names
    };
    let before = (names(), std::fs::read(&path).expect("read"));
    assert!(String::from_utf8_lossy(&read(&path).expect("a database").expect("sessions")).contains("List the files"));
    assert_eq!((names(), std::fs::read(&path).expect("read")), before);
    agent.execute_batch("INSERT INTO session VALUES ('ses_d', NULL, '', '', 1)").expect("not locked");
}

#[test]
fn the_log_of_an_agent_that_was_killed_is_read_and_its_folder_left_alone() {
    let (folder, path) = database("PRAGMA journal_mode = WAL;");
    let agent = Connection::open(&path).expect("open");
    agent.execute_batch(OPENCODE).expect("written");
    let killed = tempfile::tempdir().expect("a folder");
    let left = killed.path().join(OPENCODE_DATABASE);
    for suffix in ["", "-wal"] {
        let name = format!("{OPENCODE_DATABASE}{suffix}");
        std::fs::copy(folder.path().join(&name), killed.path().join(&name)).expect("copied");
    }
    assert!(String::from_utf8_lossy(&read(&left).expect("a database").expect("sessions")).contains("List the files"));
    assert_eq!(std::fs::read_dir(killed.path()).expect("a folder").count(), 2);
}

#[test]
fn a_database_of_another_program_is_known_by_its_tables() {
    let (_folder, path) = database("CREATE TABLE keys (name);");
    assert!(is_foreign_database(&path));
    let (folder, path) = database(OPENCODE);
    assert!(!is_foreign_database(&path));
    let damaged = folder.path().join(HERMES_DATABASE);
    std::fs::write(&damaged, "SQLite format 3\0 and no more").expect("written");
    assert!(!is_foreign_database(&damaged), "what cannot be read is reported");
}

#[test]
fn a_database_that_nobody_has_open_is_left_alone() {
    let (folder, path) = database(&format!("PRAGMA journal_mode = WAL; {OPENCODE}"));
    let before = std::fs::read(&path).expect("read");
    read(&path).expect("a database").expect("sessions");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    assert_eq!(std::fs::read(&path).expect("read"), before);
}

#[test]
fn a_name_with_any_characters_is_opened() {
    let (folder, path) = database(OPENCODE);
    let odd = folder.path().join("a b?mode=rw#%41 ü.db");
    std::fs::rename(path, &odd).expect("renamed");
    assert!(read(&odd).expect("a database").is_ok());
}

#[test]
fn a_database_without_sessions_says_so() {
    assert_eq!(error("CREATE TABLE a (b);"), "it is an SQLite database, but not one of OpenCode or Hermes Agent");
    let empty = OPENCODE.split_once("INSERT").expect("tables").0;
    assert_eq!(error(empty), "the database of OpenCode has no session with messages");
}

#[test]
fn views_are_not_read() {
    let endless = "CREATE TABLE session (id); CREATE TABLE message (id);
        CREATE VIEW part AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n;";
    assert_eq!(error(endless), "it is an SQLite database, but not one of OpenCode or Hermes Agent");
}

#[test]
fn a_database_cannot_have_more_text_than_its_file() {
    let large = "CREATE TABLE session (id, time_created); CREATE TABLE message (id, time_created);
        CREATE TABLE part (id, data TEXT AS (printf('%.*c', 10000000, 'x')));
        INSERT INTO part VALUES (1);";
    assert_eq!(error(large), "the database cannot be read: string or blob too big");
    let many = large.replace("10000000", "4000").replace("VALUES (1)", "VALUES (1), (2), (3), (4), (5), (6)");
    assert_eq!(error(&many), "the database is damaged: it has more text than its file can hold");
}

#[test]
fn a_damaged_database_is_an_error() {
    let (_folder, path) = database(OPENCODE);
    let bytes = std::fs::read(&path).expect("read");
    for cut in [100, 4096, bytes.len() - 10] {
        std::fs::write(&path, &bytes[..cut]).expect("written");
        let error = read(&path).expect("a database").expect_err("damaged").to_string();
        assert!(error.starts_with("the database cannot be read: ") || error.starts_with("it is an SQLite"), "{error}");
    }
}
