#!/usr/bin/env python3
"""Runs real coding agents through Trimtab's proxy, and compares what they send with what reaches the model server.

    python3 tests/clients/proxy.py CLIENTS --trimtab FILE [--install] [--calls N] [--keep FOLDER] [NAME…]

CLIENTS is the folder of installed clients, as for `run.py`. Each client runs its session twice. Each stage has a proxy of its
own, so that a resumed session meets one that was started anew. In `observe` the bytes of each request and answer must be the
same on both sides, and the recordings of the client must agree with the wire as they do without a proxy. In `enforce`, with a
policy that cuts new results and masks old ones, only results may differ, an edited one must stay as it was sent until another
edit, and a simulation of what the proxy has recorded must send the same. The same holds for a session in which the server
answers with status 429, with status 500, and with an answer whose connection closes in the middle of an event, and for one that
the client forks, if it can do so without a terminal. If the server rejects an edited request with status 400, the proxy must
repeat it once with the bytes of the client, and edit nothing from then on. Clients that can be pointed in other ways, or speak
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
from harness import faults, reading, script, table
from harness.comparison import compare as compare_reading
from harness.install import installed_version
from harness.options import chosen, finish, not_installed, parsed, parser
from harness.passages import Verdict
from harness.passages import compare as compare_passages
from harness.route import Beside, Launched
from harness.session import Failed, play

# The session with the stages of the client.
OWN = "own"
# Those in which the server answers with faults, in which it rejects an edit, and in which two stages go on from the first.
FAULTS, REJECTED, FORK = "faults", "rejected", "fork"

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
    faulty = dataclasses.replace(client, stages=client.faulty, timeout=300)
    yield "observe", FAULTS, faulty
    if not client.tools:
        # Requests without tools are not edited.
        return
    yield "enforce", OWN, client
    yield "enforce", FAULTS, faulty
    yield "enforce", REJECTED, dataclasses.replace(client, stages=client.rejected)
    if client.fork:
        forked = dataclasses.replace(client, stages=[script.FIRST, script.SECOND, script.THIRD], command=forking(client))
        yield "observe", FORK, forked
        yield "enforce", FORK, forked
    for name, changes in client.ways.items():
        other = dataclasses.replace(client, **changes)
        yield "observe", name, other
        yield "enforce", name, other
    if client.runs_long and options.calls:
        long = dataclasses.replace(client, stages=[script.of_calls(options.calls), script.THIRD], timeout=600)
        yield "enforce", "long", long


def forking(client):
    """The command of a client whose further stages go on from the first."""
    return lambda place, prompt, continues: client.fork(place, prompt) if continues else client.command(place, prompt, False)


def examine(client, mode, session, options, work):
    """Runs a session in a mode; the cells of its row, and what differs."""
    started = time.monotonic()
    kind = Launched if client.is_launched else Beside
    route = kind(options.trimtab, mode, options.policy if mode == "enforce" else None)
    route.is_rejected = session == REJECTED
    differences, verdict = [], Verdict()
    try:
        played = play(client, options.clients / client.name, work, route, script.MOST_CALLS + options.calls)
        limit = LIMIT if mode == "enforce" else None
        verdict = compare_passages(route.relay.passages, played.passages, limit, session == FORK)
        differences += verdict.differences + unanswered(client, verdict)
        if mode == "observe" and session == OWN:
            conversations = reading.read(options.trimtab, played.recordings)
            differences += compare_reading(client, played, conversations).differences
        else:
            differences += unexpected(client, played.trouble)
        if session == FORK:
            differences += unforked(played.passages)
        differences += of_recordings(client, route, verdict, options)
    except (Failed, reading.Unreadable, OSError) as error:
        differences.append(f"{type(error).__name__}: {error}")
    seconds = time.monotonic() - started
    print(f"{client.name}, {mode}, {session}: {len(differences)} differences, {seconds:.0f} s", file=sys.stderr)
    counts = (verdict.requests, verdict.of_models, verdict.edited, verdict.elements)
    result = f"{len(differences)} DIFFERENT" if differences else "equal"
    return (kind.verb, mode, session, *counts, f"{seconds:.0f}", result), differences


def faults_of(client):
    """The faults of the script."""
    return [fault for stage in client.stages for step in stage.steps for fault in step.faults]


def unexpected(client, trouble):
    """The trouble of a session besides that of a client that ends after a fault."""
    ends = [fault.name for fault in faults_of(client) if fault in client.gives_up]
    may_end = ends or any(fault in client.may_give_up for fault in faults_of(client))
    left = [one for one in trouble if not (may_end and re.search(r"ended with exit code 1\b|replies not asked for", one))]
    is_over = len(left) < len(trouble)
    return left if is_over or not ends else [*left, f"the client goes on after the fault `{', '.join(ends)}`"]


def unforked(received):
    """What is wrong unless the last stage has gone on from the first, and not from the second."""
    last = [one.body.decode() for one in received if one.stage == 3 and one.part == "main"]
    is_fork = [script.FIRST.prompt in body and script.SECOND.prompt not in body for body in last]
    return [] if is_fork and all(is_fork) else ["the last stage does not go on from the first"]


def unanswered(client, verdict):
    """The faults of the script that no request got."""
    return [f"the fault `{one.name}` was not answered" for one in faults_of(client) if one not in verdict.faults]


def of_recordings(client, route, verdict, options):
    """What is wrong with the recordings of the proxy. A simulation of them must have sent what the server has received."""
    recorded = sorted(route.record.glob("*.jsonl"))
    if bool(recorded) != bool(client.tools):
        # Requests without tools are neither edited nor recorded.
        return [f"{len(recorded)} conversations were recorded"]
    # The history of a resumed session may depart from the one before, and that after a cut answer; no other does.
    departures = faults.CUT in verdict.faults
    of_conversations = Counter(re.split("[-.]", path.name)[0] for path in recorded)
    split = [(name, number) for name, number in of_conversations.items() if number > len(client.stages) + departures]
    found = [f"the conversation {name} is in {number} recordings" for name, number in split]
    if verdict.results:
        contexts = reading.simulated_results(options.trimtab, options.policy, recorded)
        found += unlike_simulation(client, verdict, contexts)
    return found


def unlike_simulation(client, verdict, contexts):
    """What was sent and is not in a simulation, whose contexts have these results, and what is only there."""
    found = [f"{name}: not what a simulation sends" for name, texts in verdict.results if texts not in contexts]
    # A client may keep a cut answer beside that to its next request, as if there had been another request.
    if verdict.is_simulated and client.keeps_history and faults.CUT not in verdict.faults:
        sent = [texts for _, texts in verdict.results]
        found += [f"only a simulation sends {len(texts)} results" for texts in contexts if texts not in sent]
    return found


if __name__ == "__main__":
    main()
