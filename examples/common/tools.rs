//! The tools of the example agents. They work in one directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Each tool with its parameter and a description for the model.
const TOOLS: [(&str, &str, &str); 4] = [
    ("read", "path", "Returns the text of a file."),
    ("search", "word", "Returns the lines of all text files that contain a word."),
    ("run", "command", "Runs a shell command and returns its output."),
    ("write_note", "text", "Writes a text to the file note.md."),
];

/// The characters of a chunk of a result.
const CHUNK: usize = 2400;

/// A call in a reply.
pub(crate) struct Call {
    id: Value,
    /// The tool.
    pub(crate) tool: String,
    /// Its one argument, unless it is missing.
    pub(crate) argument: Option<String>,
}

impl Call {
    /// The calls of a reply.
    pub(crate) fn of(reply: &Value) -> Vec<Self> {
        let call = |call: &Value| {
            let function = &call["function"];
            let tool = function["name"].as_str().unwrap_or_default().to_owned();
            let arguments: Value =
                serde_json::from_str(function["arguments"].as_str().unwrap_or("{}")).unwrap_or_default();
            let argument = arguments[parameter(&tool)].as_str().map(ToOwned::to_owned);
            Self { id: call["id"].clone(), tool, argument }
        };
        reply["tool_calls"].as_array().into_iter().flatten().map(call).collect()
    }

    /// The message with its result.
    pub(crate) fn message(&self, result: &Result<String, String>) -> Value {
        let content = result.clone().unwrap_or_else(|error| format!("error: {error}"));
        json!({"role": "tool", "tool_call_id": self.id, "content": content})
    }
}

/// The name of the one parameter of a tool.
pub(crate) fn parameter(tool: &str) -> &'static str {
    TOOLS.iter().find(|(name, _, _)| *name == tool).map_or("id", |(_, parameter, _)| parameter)
}

/// Tools that work in one directory.
pub(crate) struct Tools {
    directory: PathBuf,
}

impl Tools {
    /// Tools in a directory, which gets four short chapters to work on.
    pub(crate) fn new(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        for (name, word) in [("one", "ant"), ("two", "bee"), ("three", "cat"), ("four", "dog")] {
            let words = format!("{word} ").repeat(550);
            fs::write(directory.join(format!("{name}.txt")), format!("chapter {name}\n{words}"))?;
        }
        Ok(Self { directory: directory.to_owned() })
    }

    /// The tools as a request declares them.
    pub(crate) fn declarations() -> Vec<Value> {
        let declaration = |(name, parameter, description): (&str, &str, &str)| {
            let parameters =
                json!({"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]});
            json!({"type": "function",
                   "function": {"name": name, "description": description, "parameters": parameters}})
        };
        TOOLS.map(declaration).to_vec()
    }

    /// Carries out a call. The result is cut after this many chunks.
    pub(crate) fn carry_out(&self, call: &Call, chunks: u64) -> Result<String, String> {
        let (Some(argument), true) = (&call.argument, TOOLS.iter().any(|(name, _, _)| *name == call.tool)) else {
            return Err(format!("`{}` is not a tool, or its argument is missing", call.tool));
        };
        let limit = usize::try_from(chunks).unwrap_or(1) * CHUNK;
        self.run(&call.tool, argument).map(|result| result.chars().take(limit).collect())
    }

    fn run(&self, tool: &str, argument: &str) -> Result<String, String> {
        let text = |error: io::Error| error.to_string();
        match tool {
            "read" => fs::read_to_string(self.directory.join(argument)).map_err(text),
            "search" => Ok(self.search(argument)),
            "run" => {
                let mut command = Command::new("sh");
                let output = command.args(["-c", argument]).current_dir(&self.directory).output().map_err(text)?;
                if output.status.success() {
                    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
                } else {
                    Err(String::from_utf8_lossy(&output.stderr).into_owned())
                }
            }
            "write_note" => fs::write(self.directory.join("note.md"), argument)
                .map_or_else(|error| Err(text(error)), |()| Ok("written".to_owned())),
            _ => Err("there is no such tool".to_owned()),
        }
    }

    /// The lines of all text files that contain a word.
    fn search(&self, word: &str) -> String {
        let mut found = Vec::new();
        for path in fs::read_dir(&self.directory).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|end| end == "txt") {
                let (name, text) =
                    (path.file_name().unwrap_or_default(), fs::read_to_string(&path).unwrap_or_default());
                let lines = text.lines().filter(|line| line.contains(word));
                found.extend(lines.map(|line| format!("{}: {line}", name.display())));
            }
        }
        found.sort();
        found.join("\n")
    }
}
