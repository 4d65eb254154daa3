#!/usr/bin/env python3
"""Runs the pages of `docs/agents` with real coding agents, and compares what their commands print with what the pages show.

    python3 tests/clients/pages.py CLIENTS --trimtab FILE [--install] [--keep FOLDER] [NAME…]

CLIENTS is the folder of installed clients, as for `run.py`. A page has the name of its client. Its blocks that are tagged
`agent` are used in their order, in a new repository of a new home:

- ```console agent: commands, each a line `$ …`, of Trimtab and of the client. A command that starts the client gets the same
  replies each time. `trimtab proxy` runs until the next one starts or the page ends, and sends to the model server.
- ```LANGUAGE agent PATH: the content of this file, which is written first.

The lines below a command are its standard output followed by its standard error. A line `...` matches any lines, as in other
pages. Ids, figures that have a unit or three digits, and the width of white space are not compared. Prints a table, then each
difference. The exit code is that of `run.py`.
"""

import dataclasses
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import run
from harness import script, table
from harness.client import Place
from harness.install import installed_version
from harness.options import chosen, finish, not_installed, parsed, parser
from harness.route import Background, upstreams
from harness.server import ModelServer
from harness.session import create_folders, environment
from harness.session import run as run_command

PAGES = Path(__file__).resolve().parents[2] / "docs" / "agents"
# The home directory that pages show, and the address of a proxy.
HOME, ADDRESS = "/home/me", "127.0.0.1:7077"

FENCE = re.compile(r"```(\w+) agent ?(\S*)")
RECORDING = re.compile(r"\b[0-9a-f]{16}(-[0-9]+)?(\.[0-9]+)?\.jsonl")
FIGURE = re.compile(r"[-+±]?\$?[0-9][0-9,]*(\.[0-9]+)?[%kM]?")

COLUMNS = ("page", "version", "commands", "seconds", "verdict")


def main():
    options = parsed(parser(__doc__))
    pages = {path.stem for path in PAGES.glob("*.md")} - {"README"}
    with_pages = [client for client in run.CLIENTS if client.name in pages]
    clients = chosen(options, with_pages)
    rows, absent = [COLUMNS], []
    differences = [f"{name}: DIFFERENT: no client has this name" for name in pages - {client.name for client in with_pages}]
    with tempfile.TemporaryDirectory(prefix="trimtab-pages-") as scratch:
        work = Path(options.keep or scratch).resolve()
        for client in clients:
            version = installed_version(client, options.clients)
            if version is None:
                absent.append(client)
                rows.append((client.name, "-", "-", "-", "SKIPPED"))
                continue
            started = time.monotonic()
            commands, found = examine(dataclasses.replace(client, **client.page), options, work / client.name)
            seconds = f"{time.monotonic() - started:.0f}"
            print(f"{client.name}: {len(found)} differences, {seconds} s", file=sys.stderr)
            rows.append((client.name, version, commands, seconds, f"{len(found)} DIFFERENT" if found else "equal"))
            differences += [f"{client.name}: DIFFERENT: {difference}" for difference in found]
    table.print_table(rows)
    for client in absent:
        print(f"\n*** SKIPPED: docs/agents/{client.name}.md was not run: {not_installed(client, options)} ***\n")
    print("\n".join(differences))
    finish(options, clients, differences, absent)


def examine(client, options, work):
    """Runs the page of the client. Returns the number of its commands, and what differs."""
    page = Page(client, options, work)
    commands = 0
    try:
        for language, path, lines in blocks((PAGES / f"{client.name}.md").read_text()):
            if language != "console":
                page.write(path, lines)
                continue
            for command, expected in commands_of(lines):
                commands += 1
                page.compare(command, expected)
    except OSError as error:
        page.differences.append(f"{type(error).__name__}: {error}")
    finally:
        page.close()
    return commands, page.differences or ([] if commands else ["the page has no commands"])


def blocks(text):
    """The blocks that are tagged: language, path and lines."""
    found, is_open, lines = [], False, []
    for line in text.splitlines():
        if not line.startswith("```"):
            lines.append(line)
            continue
        is_open, lines = not is_open, []
        tag = FENCE.fullmatch(line) if is_open else None
        if tag:
            found.append((tag[1], tag[2], lines))
    return found


def commands_of(lines):
    """Each command of a block with the lines that it prints."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def is_shown(expected, printed):
    """Whether this was printed, where a line `...` matches any lines."""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(plain(line)) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in printed)) is not None


def plain(line):
    """The line without what varies."""
    line = RECORDING.sub("NAME.jsonl", line)
    line = FIGURE.sub(lambda figure: figure[0] if re.fullmatch("[0-9]{1,2}", figure[0]) else "#", line)
    return " ".join(line.split())


class Page:
    """The home, the repository and the model server for the commands of a page."""

    def __init__(self, client, options, work):
        self.client, self.work = client, work
        self.differences = []
        self.count = 0
        self.proxy = None
        home, folder, log = work / "home", work / "home" / "project", work / "requests"
        create_folders(client, home, folder, log)
        for policy in PAGES.glob("*.trim"):
            shutil.copy(policy, folder)
        programs = work / "programs"
        programs.mkdir()
        (programs / "trimtab").symlink_to(options.trimtab)
        self.script = script.Script(client)
        self.server = ModelServer(self.script, log)
        installed = options.clients / client.name
        found_first = (programs, installed / "node_modules" / ".bin", installed / "bin")
        self.place = Place(installed, home, folder, self.server.base, found_first)
        client.prepare(self.place)
        subprocess.run(["git", "init", "--quiet", str(folder)], env=environment(client, self.place), check=True)
        # Chosen now, since files of the client name it before the proxy runs.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"

    def write(self, path, lines):
        """Writes a file that the page shows."""
        path = path.removeprefix("~/") if path.startswith("~/") else f"project/{path}"
        self.place.write(path, "\n".join(lines).replace(ADDRESS, self.address) + "\n")

    def compare(self, command, expected):
        """Runs a command, and compares what it prints."""
        self.script.begin(script.PAGE)
        words = shlex.split(command)
        self.count += 1
        if words[:2] == ["trimtab", "proxy"]:
            printed = self.start(words)
        elif words[0] == "trimtab" or Path(self.place.bin(words[0])).exists():
            printed = self.run(words)
        else:
            self.differences.append(f"`{command}`: only `trimtab` and the client are run")
            return
        printed = printed.replace(str(self.place.home), HOME).replace(self.address, ADDRESS)
        if not is_shown(trimmed(expected), trimmed(printed.splitlines())):
            self.differences.append(f"`{command}` prints\n{printed}")
        if 0 < len(self.script.steps) < len(script.PAGE.steps):
            self.differences.append(f"`{command}` ended with {len(self.script.steps)} replies not asked for")

    def run(self, words):
        """What a command prints."""
        log, errors = (self.work / f"command-{self.count}{end}.txt" for end in ("", "-errors"))
        trouble = []
        program = shutil.which(words[0], path=environment(self.client, self.place)["PATH"])
        run_command(self.client, self.place, [program, *words[1:]], log, trouble, errors)
        self.differences += [f"`{' '.join(words)}`: {one}" for one in trouble]
        return log.read_text().partition("\n")[2] + errors.read_text()

    def start(self, words):
        """What a proxy prints that is left running."""
        self.stop()
        command = [*words, "--listen", self.address, *upstreams(self.server.base)]
        self.proxy = Background(command, cwd=self.place.folder, env=environment(self.client, self.place))
        return self.proxy.line

    def stop(self):
        if self.proxy:
            self.differences += self.proxy.stop()
            self.proxy = None

    def close(self):
        self.stop()
        self.server.stop()
        self.differences += self.server.faults


def trimmed(lines):
    """The lines without empty ones at the end."""
    return "\n".join(lines).rstrip().splitlines()


if __name__ == "__main__":
    main()
