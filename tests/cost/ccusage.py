#!/usr/bin/env python3
"""Checks the usage and cost of Claude Code sessions, as Trimtab states them, against those of `ccusage`.

    npm install --prefix FOLDER ccusage@20.0.24
    python3 tests/cost/ccusage.py FOLDER/node_modules/.bin/ccusage TRIMTAB SESSIONS…

SESSIONS are session files, or folders of them. ccusage does not count the sub-agents in `progress` records and reads no
records without a time. For each session, what Trimtab counts, also on branches that were left, must be what ccusage counts and
what the raw records have of these sub-agents. Costs must be equal to a hundredth of a cent if both know all prices, no call
was served fast, which Trimtab has no price for, and no context has more than 200,000 tokens: ccusage applies the price of a
long context only to the tokens above. ccusage reads compact JSON lines only, so the records are written as such for it. Prints
a line for each session with usage, and fails if anything differs or no session was compared.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

import raw_calls
from recorded_cost import cost

KINDS = ("input", "cache_write", "cache_read", "output")
TRIMTAB_KINDS = ("input", "cache_write", "cache_write_1h", "cache_read", "output")
CCUSAGE_KINDS = ("inputTokens", "cacheCreationTokens", "cacheReadTokens", "outputTokens")


class Calls:
    """The calls of a session, counted by model and tokens."""

    def __init__(self, calls):
        self.counter = Counter(calls)

    def totals(self):
        """The tokens of each kind. Those that are cached for an hour are among the cache writes."""
        kinds = (0, 1, 3, 4)
        return [sum(usage[at] * number for (_, usage), number in self.counter.items()) for at in kinds]

    def has_long_context(self):
        return any(usage[0] + usage[1] + usage[3] > 200_000 for _, usage in self.counter)

    def cost(self):
        """The cost by the prices of `litellm.tsv`; none if a model is not listed."""
        costs = []
        for (model, usage), number in self.counter.items():
            one = cost(model, usage)
            if one is None:
                return None
            costs.append(one * number)
        return sum(costs, Decimal(0))


def raw(files, with_progress):
    """The calls of the raw records of the files."""
    calls = []
    for records in files:
        kept = [record for record in records if with_progress or record.get("type") != "progress"]
        calls += raw_calls.claude_code(lines_of(kept))
    return Calls((model, tuple(usage)) for model, usage in calls)


def lines_of(records):
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def of_trimtab(trimtab, files):
    """The calls that Trimtab reads, and the cost of those of the agent; none if a call has no price."""
    command = [trimtab, "transcript", "convert", *files, "--to", "trimtab", "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    calls, model, is_fast = [], None, False
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if "trimtab" in record:
            model = record.get("model")
        call = record.get("harness_call") or record
        if call.get("usage"):
            usage = tuple(call["usage"].get(kind, 0) for kind in TRIMTAB_KINDS)
            calls.append((call.get("model") or model, usage))
            is_fast |= call["usage"].get("speed") == "fast"
    command = [trimtab, "transcript", "stat", *files, "--format", "json"]
    stat = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    branches = [file["harness_calls"]["branch"] for file in stat["files"] if "branch" in file["harness_calls"]]
    costs = [one["cost"] for one in stat["files"] + branches]
    return Calls(calls), None if is_fast or None in costs else sum(map(Decimal, map(str, costs)), Decimal(0))


def of_ccusage(ccusage, session, files, records):
    """The totals of ccusage, and the cost; none if it does not know a price."""
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch, "projects", "project")
        project.mkdir(parents=True)
        for file, its_records in zip(files, records):
            target = project / file.relative_to(session.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(lines_of(its_records))
        environment = {"PATH": os.environ["PATH"], "HOME": scratch, "CLAUDE_CONFIG_DIR": scratch}
        command = [ccusage, "claude", "session", "--json", "--offline", "--mode", "calculate"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ccusage: {done.stderr.strip()}")
    totals = json.loads(done.stdout)["totals"]
    unpriced = totals.get("unpricedModels")
    return [totals[kind] for kind in CCUSAGE_KINDS], None if unpriced else Decimal(str(totals["totalCost"]))


def compare(ccusage, trimtab, session):
    """The line of a session, and what differs. None for one without usage."""
    files = [session, *sorted(session.with_suffix("").glob("subagents/*.jsonl"))]
    records = [list(raw_calls.claude_records(file.read_text(errors="replace"))) for file in files]
    read, trimtab_cost = of_trimtab(trimtab, files)
    if not read.counter:
        return None
    totals, ccusage_cost = of_ccusage(ccusage, session, files, records)
    everything = raw(records, with_progress=True).counter
    progress = Calls((everything - raw(records, with_progress=False).counter).elements())
    if not any(record.get("timestamp") for one in records for record in one):
        return f"{session.name}: {sum(read.counter.values())} calls without a time, which ccusage does not read", []
    expected = [all - left_out for all, left_out in zip(read.totals(), progress.totals())]
    differences = [
        f"{kind}: {one} by ccusage, {other} by Trimtab"
        for kind, one, other in zip(KINDS, totals, expected)
        if one != other
    ]
    costs = "no prices"
    parts = [trimtab_cost, progress.cost(), ccusage_cost]
    if read.has_long_context():
        costs = "a long context"
    elif None not in parts:
        expected_cost = parts[0] - parts[1]
        costs = f"${ccusage_cost:.4f} and ${expected_cost:.4f}"
        if abs(ccusage_cost - expected_cost) > Decimal("0.0001"):
            differences.append(f"cost: ${ccusage_cost:.4f} by ccusage, ${expected_cost:.4f} by Trimtab")
    beside = f"{sum(progress.counter.values())} in progress records"
    return f"{session.name}: {sum(read.counter.values())} calls, {beside}, {costs}", differences


def main():
    ccusage, trimtab, *given = sys.argv[1:]
    sessions = []
    for path in map(Path, given):
        found = [path] if path.is_file() else sorted(path.rglob("*.jsonl"))
        sessions += [file for file in found if "subagents" not in file.parts]
    results = [(session, compare(ccusage, trimtab, session)) for session in sessions]
    compared = [result for _, result in results if result]
    for line, differences in compared:
        print(f"{line}: {'DIFFERENT: ' + '; '.join(differences) if differences else 'equal'}")
    different = sum(bool(differences) for _, differences in compared)
    print(f"{len(compared)} sessions compared, {different} different, {len(results) - len(compared)} without usage")
    sys.exit(1 if different or not compared else 0)


if __name__ == "__main__":
    main()
