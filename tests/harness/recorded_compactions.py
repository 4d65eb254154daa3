#!/usr/bin/env python3
"""Compares where harnesses compacted and cleared in recordings with where `harness:NAME` does.

    python3 tests/harness/recorded_compactions.py [--policy FILE] TRIMTAB FILE_OR_FOLDER…

`--policy` names the settings file with which the recordings were made, or a policy, to compare with instead of the defaults of the
system. The formats of the recordings then do not matter.

Prints a row for each system whose harness made one of the recordings. Every recorded compaction ends a part of a session. Of each
part, the policy sees the conversation as it was until the compaction, and the call before which the harness compacted:

- *predicted*: a rule that compacts fires first at this call, or at the one before it.
- *early*: it fires before that; *missed*: it does not fire.
- *invented*: it fires in the part after the last compaction, or in a session without one.

Clearings of results are compared call by call, also one call apart. A recorded clearing ends a part, too: the policy sees the results
as they were until then. Compactions that a person asked for, and other resets of the context, are not counted.
The exit code is 0 unless the policy has an error: the table is read by people.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# The formats in which each harness records.
SYSTEMS = {
    "claude-code": ["claude_code", "claude_web", "claude_stream"],
    "codex": ["codex"],
    "opencode": ["opencode"],
    "gemini-cli": ["gemini_chat"],
    "openhands": ["openhands"],
    "swe-agent": ["swe_agent"],
    "openclaw": ["openclaw"],
}
COMPACTING = [("summarise", "all"), ("summarise", "older"), ("slide", None), ("drop", "older")]
CLEARING = [("mask", "results"), ("offload", "results"), ("summarise", "results"), ("trim", "results")]
NEAR = 1
REPLY = {"role": "assistant", "content": "…"}


def run(trimtab, *arguments):
    return subprocess.run([trimtab, *arguments], check=False, capture_output=True, text=True).stdout


def rules(trimtab, policy, effects):
    """The names of the rules of a policy with one of these effects."""
    compiled = run(trimtab, "compile", policy)
    if not compiled:
        sys.exit(f"`trimtab compile {policy}` failed")
    plan = json.loads(compiled)
    does = lambda rule: any((action["effect"], action.get("target")) in effects for action in rule["do"])
    return {rule["name"] for rule in plan["rules"] if does(rule)}


def conversations(trimtab, file):
    """The conversations of a recording: each a list of lines, of which the first is the header."""
    found = []
    for line in run(trimtab, "transcript", "convert", "--to", "trimtab", file).splitlines():
        record = json.loads(line)
        if "trimtab" in record:
            found.append([])
        found[-1].append(record)
    return found


def parts(conversation):
    """The starts of a conversation up to each automatic compaction, each with the number of calls that came before its last part,
    and then the whole conversation."""
    calls, begin, found = 0, 0, []
    for at, record in enumerate(conversation):
        if record.get("resets") and at > 1:
            if record.get("compaction", {"automatic": False}).get("automatic", True):
                found.append(([*conversation[:at], *late_results(conversation, at), REPLY], begin, True))
            begin = calls
        calls += is_reply(record)
    return [*found, (conversation, begin, False)]


def until(conversation, call):
    """The conversation until a call, from 0, without the clearings of the harness right before that call."""
    replies = [at for at, record in enumerate(conversation) if is_reply(record)]
    end = replies[call] if call < len(replies) else len(conversation)
    last = replies[call - 1] if call else 0
    uncleared = [{key: record[key] for key in record if key != "cleared"} for record in conversation[last:end]]
    return [*conversation[:last], *uncleared, REPLY]


def is_reply(record):
    """Whether the model wrote a message, in a call of its own."""
    return record.get("role") == "assistant" and not record.get("harness")


def late_results(conversation, at):
    """The results of the last reply before a compaction that are recorded after it, because the harness kept them."""
    replies = [record for record in conversation[:at] if record.get("role") == "assistant"]
    called = ids(replies[-1], "tool_call") if replies else set()
    later = [record for record in conversation[at:] if record.get("role") in ("assistant", "tool")]
    kept = itertools.takewhile(lambda record: record["role"] == "tool" or record.get("kept"), later)
    return [record for record in kept if not record.get("kept") and ids(record, "tool_result") & called]


def ids(record, kind):
    """The ids of the parts of a message of this kind."""
    content = record.get("content")
    return {part.get("id") for part in content if part.get("type") == kind} if isinstance(content, list) else set()


def fired(transcript, names, begin):
    """The calls at which rules fire, from a call on."""
    return sorted(call for rule in transcript["rules"] if rule["name"] in names for call in rule["calls"] if call >= begin)


def near(call, others):
    return any(abs(call - other) <= NEAR for other in others)


class Replays:
    """Replays under a policy of conversations that a folder gets."""

    def __init__(self, trimtab, policy, folder):
        self.trimtab, self.policy, self.folder, self.written = trimtab, policy, folder, 0

    def of(self, cases):
        """The replay of each case's conversation, with the case."""
        by_file = {}
        for case in cases:
            path = self.folder / f"{self.written}.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in case[0]))
            by_file[str(path)] = case
            self.written += 1
        if not by_file:
            return []
        replayed = json.loads(run(self.trimtab, "simulate", self.policy, "--format", "json", *by_file))
        return [(transcript, by_file[transcript["file"]]) for transcript in replayed["transcripts"]]


def compare(trimtab, policy, files, folder):
    compacting, clearing = (rules(trimtab, policy, effects) for effects in (COMPACTING, CLEARING))
    replays, row, cases, cleared = Replays(trimtab, policy, folder), Counter(), [], []
    for file in files:
        for conversation in conversations(trimtab, file):
            row["sessions"] += 1
            cases.extend(parts(conversation))
    for transcript, (conversation, begin, is_compacted) in replays.of(cases):
        first = next(iter(fired(transcript, compacting, begin)), None)
        last = transcript["calls"] - 1
        if is_compacted:
            row["compactions"] += 1
            row["missed" if first is None else "predicted" if first >= last - NEAR else "early"] += 1
        else:
            row["invented"] += first is not None
            recorded = {edit["call"] for edit in transcript["harness_edits"]}
            row["clearings"] += len(recorded)
            row["invented clearings"] += sum(not near(call, recorded) for call in fired(transcript, clearing, 0))
            cleared.extend((until(conversation, call), call) for call in sorted(recorded))
    for transcript, (_, call) in replays.of(cleared):
        row["predicted clearings" if near(call, fired(transcript, clearing, 0)) else "missed clearings"] += 1
    return row


def main(options):
    by_format, trimtab, paths = {}, options.trimtab, options.paths
    for file in json.loads(run(trimtab, "transcript", "stat", "--format", "json", *paths))["files"]:
        by_format.setdefault(file["format"], set()).add(file["file"])
    columns = ["compactions", "predicted", "early", "missed", "invented"]
    clearings = ["clearings", "predicted clearings", "missed clearings", "invented clearings"]
    print("| system | sessions | " + " | ".join(columns) + " | " + " | ".join(clearings) + " |")
    print("|---" * (2 + len(columns) + len(clearings)) + "|")
    policies = {f"harness:{system}": (system, formats) for system, formats in SYSTEMS.items()}
    if options.policy:
        policies = {options.policy: (options.policy, list(by_format))}
    with tempfile.TemporaryDirectory() as folder:
        for policy, (name, formats) in policies.items():
            files = sorted(set().union(*(by_format.get(format, set()) for format in formats)))
            if files:
                row = compare(trimtab, policy, files, Path(folder))
                cells = [row[column] for column in ["sessions", *columns, *clearings]]
                print(f"| {name} | " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", metavar="FILE")
    parser.add_argument("trimtab", metavar="TRIMTAB")
    parser.add_argument("paths", metavar="FILE_OR_FOLDER", nargs="+")
    main(parser.parse_args())
