"""What Trimtab reads from the recordings of a session."""

import json
import subprocess
from dataclasses import dataclass, field

from .exchange import Call, joined


@dataclass
class Reply:
    """A model call of a transcript."""

    model: str
    usage: dict
    calls: list

    def usage_counts(self):
        kinds = ("input", "cache_read", "cache_write", "output")
        return self.usage and {kind: self.usage.get(kind, 0) for kind in kinds}


@dataclass
class Conversation:
    """One transcript of a recording."""

    id: str
    model: str = ""
    # The text of the system messages before the first reply.
    system: str = ""
    tools: list = field(default_factory=list)
    prompts: list = field(default_factory=list)
    replies: list = field(default_factory=list)
    results: dict = field(default_factory=dict)
    failed: set = field(default_factory=set)
    beside: list = field(default_factory=list)
    resets: int = 0

    def calls(self):
        return [call for reply in self.replies for call in reply.calls]


class Unreadable(Exception):
    pass


def run(trimtab, arguments):
    done = subprocess.run([str(trimtab), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Unreadable(done.stderr.strip() or f"exit code {done.returncode}")
    return done.stdout


def read(trimtab, recordings):
    """The conversations of the recordings."""
    text = run(trimtab, ["transcript", "convert", *recordings, "--to", "trimtab", "-o", "-"])
    conversations = []
    for line in text.splitlines():
        record = json.loads(line)
        if "trimtab" in record:
            conversations.append(begin(record))
        else:
            add(conversations[-1], record)
    if not conversations:
        raise Unreadable("no transcript")
    return conversations


def begin(header):
    tools = [tool if isinstance(tool, str) else tool["name"] for tool in header.get("tools", [])]
    return Conversation(header.get("id", ""), model=header.get("model"), tools=tools)


def add(conversation, record):
    if "harness_call" in record and "role" not in record:
        call = record["harness_call"]
        conversation.beside.append(Reply(call.get("model") or conversation.model, call["usage"], []))
        return
    conversation.resets += bool(record.get("resets"))
    if "role" not in record or record.get("kept"):
        return
    content = record["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    role = record["role"]
    if role == "assistant" and not record.get("harness"):
        calls = [Call(part.get("id"), part["name"], arguments(part)) for part in parts if part["type"] == "tool_call"]
        conversation.replies.append(Reply(record.get("model") or conversation.model, record.get("usage"), calls))
    for part in parts:
        if part["type"] == "tool_result":
            conversation.results[part.get("id")] = joined(part["content"])
            if part.get("is_error"):
                conversation.failed.add(part.get("id"))
    if role == "system" and not conversation.replies:
        conversation.system += "".join(part.get("text", "") for part in parts)
    if role == "user" and not record.get("harness") and not record.get("resets"):
        conversation.prompts.append("".join(part.get("text", "") for part in parts if part["type"] == "text"))


def arguments(part):
    given = part.get("arguments")
    if isinstance(given, str):
        try:
            return json.loads(given)
        except ValueError:
            return given
    return given


def detected_format(trimtab, recordings):
    """The format that Trimtab detects in the first recording."""
    stat = json.loads(run(trimtab, ["transcript", "stat", recordings[0], "--format", "json"]))
    return stat["files"][0]["format"]


def simulated_results(trimtab, policy, recordings):
    """The texts of the results in the context of each call, in a simulation of the policy on the recordings."""
    text = run(trimtab, ["simulate", policy, *recordings, "--isolated", "--contexts", "-"])
    found = []
    for line in text.splitlines():
        if line.startswith("{"):
            parts = [part for message in json.loads(line)["messages"] for part in message["content"]]
            found.append([joined(part["content"]) for part in parts if part["type"] == "tool_result"])
    return found
