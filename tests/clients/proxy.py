#!/usr/bin/env python3
"""Runs real coding agents through Trimtab's proxy, and compares what they send with what reaches the model server.

    python3 tests/clients/proxy.py CLIENTS --trimtab FILE [--install] [--calls N] [--keep FOLDER] [NAME…]

CLIENTS is the folder of installed clients, as for `run.py`. Each client runs its session twice. Each stage has a proxy of its
own, so that a resumed session meets one that was started anew. In `observe` the bytes of each request and answer must be the
same on both sides, and the recordings of the client must agree with the wire as they do without a proxy. In `enforce`, with a
policy that cuts new results and masks old ones, only results may differ, an edited one must stay as it was sent until another
edit, and a simulation of what the proxy has recorded must send the same. Clients that can be pointed in other ways, or speak
other dialects, run a short session for each; some also run one of N calls (60 unless told, none if 0). `trimtab run` starts the
clients that it can point; the others are pointed at `trimtab proxy`. Prints a table, then each difference. The exit code is
that of `run.py`.
"""

import dataclasses
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import run
from harness import reading, script, table
from harness.comparison import compare as compare_reading
from harness.install import installed_version
from harness.options import chosen, finish, not_installed, parsed, parser
from harness.passages import Verdict
from harness.passages import compare as compare_passages
from harness.route import Beside, Launched
from harness.session import Failed, play

# The session with the stages of the client.
OWN = "own"

# The most characters of a result that the policy leaves.
LIMIT = 400

POLICY = f"""edition 2026

policy steady "Cuts new results and masks old ones." {{
  rule cut {{
    do trim arrivals over {LIMIT} chars to 200 chars including errors
  }}
  rule mask_old {{
    do mask results keep 3 results preview 20 chars including errors
  }}
}}
"""

COLUMNS = ("client", "version", "started by", "mode", "session")
COLUMNS += ("requests", "of models", "edited", "elements", "seconds", "verdict")


def main():
    options = parse()
    clients = chosen(options, run.CLIENTS)
    rows, differences, absent = [COLUMNS], [], []
    with tempfile.TemporaryDirectory(prefix="trimtab-clients-") as scratch:
        work = Path(options.keep or scratch).resolve()
        work.mkdir(parents=True, exist_ok=True)
        options.policy = work / "steady.trim"
        options.policy.write_text(POLICY)
        for client in clients:
            version = installed_version(client, options.clients)
            if version is None:
                absent.append(client)
                rows.append((client.name, *["-"] * (len(COLUMNS) - 2), f"NOT INSTALLED: {not_installed(client, options)}"))
                continue
            for mode, session, one in sessions(client, options):
                row, found = examine(one, mode, session, options, work / f"{client.name}-{mode}-{session}")
                rows.append((client.name, version, *row))
                differences += [f"{client.name}, {mode}, {session}: DIFFERENT: {difference}" for difference in found]
    table.print_table(rows)
    print("\n".join(differences))
    finish(options, clients, differences, absent)


def parse():
    arguments = parser(__doc__)
    arguments.add_argument("--calls", type=int, default=60, metavar="N")
    return parsed(arguments)


def sessions(client, options):
    """The sessions of a client: the mode, a name, and the client with the stages."""
    yield "observe", OWN, client
    if not client.tools:
        # Requests without tools are not edited.
        return
    yield "enforce", OWN, client
    for name, changes in client.ways.items():
        other = dataclasses.replace(client, **changes)
        yield "observe", name, other
        yield "enforce", name, other
    if client.runs_long and options.calls:
        long = dataclasses.replace(client, stages=[script.of_calls(options.calls), script.THIRD], timeout=600)
        yield "enforce", "long", long


def examine(client, mode, session, options, work):
    """Runs a session in a mode; the cells of its row, and what differs."""
    started = time.monotonic()
    kind = Launched if client.is_launched else Beside
    route = kind(options.trimtab, mode, options.policy if mode == "enforce" else None)
    differences, verdict = [], Verdict()
    try:
        played = play(client, options.clients / client.name, work, route, script.MOST_CALLS + options.calls)
        verdict = compare_passages(route.relay.passages, played.passages, LIMIT if mode == "enforce" else None)
        differences += verdict.differences
        if mode == "observe" and session == OWN:
            conversations = reading.read(options.trimtab, played.recordings)
            differences += compare_reading(client, played, conversations).differences
        else:
            differences += played.trouble
        differences += of_recordings(client, route, verdict, options)
    except (Failed, reading.Unreadable, OSError) as error:
        differences.append(f"{type(error).__name__}: {error}")
    seconds = time.monotonic() - started
    print(f"{client.name}, {mode}, {session}: {len(differences)} differences, {seconds:.0f} s", file=sys.stderr)
    counts = (verdict.requests, verdict.of_models, verdict.edited, verdict.elements)
    result = f"{len(differences)} DIFFERENT" if differences else "equal"
    return (kind.verb, mode, session, *counts, f"{seconds:.0f}", result), differences


def of_recordings(client, route, verdict, options):
    """What is wrong with the recordings of the proxy. A simulation of them must have sent what the server has received."""
    recorded = sorted(route.record.glob("*.jsonl"))
    if bool(recorded) != bool(client.tools):
        # Requests without tools are neither edited nor recorded.
        return [f"{len(recorded)} conversations were recorded"]
    # The history of a resumed session may depart from the one before; that of a session that goes on does not.
    of_conversations = Counter(re.split("[-.]", path.name)[0] for path in recorded)
    split = [(name, number) for name, number in of_conversations.items() if number > len(client.stages)]
    found = [f"the conversation {name} is in {number} recordings" for name, number in split]
    if verdict.results:
        contexts = reading.simulated_results(options.trimtab, options.policy, recorded)
        found += [f"{name}: not what a simulation sends" for name, texts in verdict.results if texts not in contexts]
    return found


if __name__ == "__main__":
    main()
