#!/usr/bin/env python3
"""Runs real coding agents against a model server of its own, and compares what was sent with what Trimtab reads.

    python3 tests/clients/run.py CLIENTS --trimtab FILE [--install] [--keep FOLDER] [NAME…]

CLIENTS is the folder of installed clients; `--install` installs the pinned versions there first, and `ccusage` for
`tests/cost/ccusage.py`. No client is given the environment of the caller, and all of them talk to the model server of this
folder. A client is one file of this folder and two lines below. Prints a table with a row for each client, then each
difference. The exit code is 1 if anything differs, and 2 if a
client that is named, or every client, is not installed.
"""

import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import aider
import claude_agent_sdk
import claude_code
import cline
import codex
import continue_dev
import copilot
import gemini
import hermes
import mini_swe_agent
import opencode
import openhands
import pi
import qwen
from harness import reading, table
from harness.comparison import compare
from harness.install import installed_version
from harness.options import chosen, finish, install_pinned, not_installed, parsed, parser
from harness.session import Failed, play

CLIENTS = [
    claude_code.CLIENT,
    codex.CLIENT,
    opencode.CLIENT,
    gemini.CLIENT,
    pi.CLIENT,
    qwen.CLIENT,
    copilot.CLIENT,
    cline.CLIENT,
    continue_dev.CLIENT,
    aider.CLIENT,
    hermes.CLIENT,
    openhands.CLIENT,
    mini_swe_agent.CLIENT,
    claude_agent_sdk.CLIENT,
]

CCUSAGE = SimpleNamespace(name="ccusage", registry="npm", package="ccusage", version="20.0.24", node="", python=(3, 9))


def main():
    options = parsed(parser(__doc__))
    clients = chosen(options, CLIENTS)
    if options.install and not options.names:
        install_pinned(CCUSAGE, options)
    with tempfile.TemporaryDirectory(prefix="trimtab-clients-") as scratch:
        work = Path(options.keep or scratch).resolve()
        rows = [examine(client, options, work) for client in clients]
    table.print_rows(rows)
    is_different = any(row.installed and not row.equal for row in rows)
    finish(options, clients, is_different, [row for row in rows if not row.installed])


def examine(client, options, work):
    """Runs the session of the client and compares; a row of the table."""
    version = installed_version(client, options.clients)
    if version is None:
        return table.Row(client, None, reason=not_installed(client, options))
    started = time.monotonic()
    row = table.Row(client, version)
    if version != client.version:
        row.differences.append(f"version: {client.version} is pinned, {version} is installed")
    try:
        session = play(client, options.clients / client.name, work / client.name)
        row.session = session
        if not session.recordings:
            row.differences += [*session.trouble, "the client left no recording"]
        else:
            row.format = reading.detected_format(options.trimtab, session.recordings)
            conversations = reading.read(options.trimtab, session.recordings)
            verdict = compare(client, session, conversations)
            row.counts, row.documented = verdict.counts, verdict.documented
            row.differences += verdict.differences
            if row.format != client.format:
                row.differences.append(f"format: `{client.format}` expected, `{row.format}` detected")
    except (Failed, reading.Unreadable, OSError) as error:
        row.differences.append(f"{type(error).__name__}: {error}")
    row.seconds = time.monotonic() - started
    print(f"{client.name}: {len(row.differences)} differences, {row.seconds:.0f} s", file=sys.stderr)
    return row


if __name__ == "__main__":
    main()
