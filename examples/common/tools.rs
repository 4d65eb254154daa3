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

    /// Carries out the calls of a reply: a message with the result of each.
    pub(crate) fn results(&self, reply: &Value) -> Vec<Value> {
        let calls = reply["tool_calls"].as_array().into_iter().flatten();
        let result = |call: &Value| {
            let function = &call["function"];
            let tool = function["name"].as_str().unwrap_or_default();
            let arguments: Value =
                serde_json::from_str(function["arguments"].as_str().unwrap_or("{}")).unwrap_or_default();
            let result = arguments[Self::parameter(tool)].as_str().map_or_else(
                || Err(format!("`{tool}` is not a tool, or its argument is missing")),
                |argument| self.carry_out(tool, argument),
            );
            let content = result.unwrap_or_else(|error| format!("error: {error}"));
            json!({"role": "tool", "tool_call_id": call["id"], "content": content})
        };
        calls.map(result).collect()
    }

    /// The name of the one parameter of a tool.
    pub(crate) fn parameter(tool: &str) -> &'static str {
        TOOLS.iter().find(|(name, _, _)| *name == tool).map_or("", |(_, parameter, _)| parameter)
    }

    fn carry_out(&self, tool: &str, argument: &str) -> Result<String, String> {
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
