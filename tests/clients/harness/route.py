"""How requests of a client get to the model server: directly, or through a relay and Trimtab's proxy."""

import json
import re
import signal
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

from .relay import Relay

PAGES = ("health", "sessions", "metrics")

# Runs a client that `trimtab run` has pointed at its proxy, but points it at the relay in front of it.
WRAPPER = '''#!{python}
import os, pathlib, re, subprocess, sys, urllib.request

server, relay, folder, program = {server!r}, {relay!r}, pathlib.Path({folder!r}), {program!r}
texts = [*os.environ.values(), *sys.argv]
found = {{base for text in texts for base in re.findall(r"http://127\\.0\\.0\\.1:[0-9]+", text)}} - {{server, relay}}
if len(found) != 1:
    sys.exit(f"expected one address of a proxy, found {{sorted(found)}}")
proxy = found.pop()
(folder / "address.txt").write_text(proxy)
variables = {{name: value.replace(proxy, relay) for name, value in os.environ.items()}}
code = subprocess.call([program, *[text.replace(proxy, relay) for text in sys.argv[1:]]], env=variables)
for page in {pages!r}:
    with urllib.request.urlopen(f"{{proxy}}/_trimtab/{{page}}", timeout=60) as answer:
        (folder / f"{{page}}.txt").write_bytes(answer.read())
sys.exit(code)
'''


class Direct:
    """Nothing stands between the client and the server."""

    def open(self, server, _work):
        self.base = server.base

    def restart(self):
        """Before each further stage."""

    def command(self, command):
        return command

    def close(self):
        """After the session."""

    def trouble(self):
        return []


class Through(Direct):
    """A relay that keeps what the client sends and gets, and the proxy behind it, which is started anew for each stage."""

    def __init__(self, trimtab, mode, policy=None):
        self.options = ["--mode", mode, "--isolated", *([str(policy)] if policy else [])]
        self.trimtab = str(trimtab)
        # What the pages of the proxy have said at the end of each stage.
        self.pages = []
        self.faults = []
        # Whether the server rejects an edit in the first stage.
        self.is_rejected = False

    def open(self, server, work):
        self.server, self.work = server, work
        self.state, self.record = work / "state", work / "record"
        self.options += ["--state", str(self.state), "--record", str(self.record)]
        self.relay = Relay(self.upstream)
        self.base = self.relay.base

    def close(self):
        self.relay.stop()

    def keep(self, pages):
        metrics = dict(re.findall(r"(?m)^trimtab_(\S+) ([0-9]+)$", pages["metrics"]))
        self.pages.append({**{name: json.loads(pages[name]) for name in ("health", "sessions")}, "metrics": metrics})

    def trouble(self):
        """What the proxy itself says has gone wrong."""
        found = list(self.faults)
        for number, pages in enumerate(self.pages, 1):
            health = pages["health"]
            if health["status"] != "ok" or health["failures"] != 0:
                found.append(f"stage {number}: {health['failures']} failures, the last: {health['last_failure']}")
            withdrawn = [id for id, one in pages["sessions"]["conversations"].items() if one["edits_disabled"]]
            if not self.is_rejected:
                found += [f"stage {number}: the edits of {id} were withdrawn" for id in withdrawn]
            elif len(withdrawn) != 1:
                found.append(f"stage {number}: the edits of {len(withdrawn)} conversations were withdrawn")
            repeated = int(pages["metrics"]["retried_total"])
            if repeated != (self.is_rejected and number == 1):
                found.append(f"stage {number}: {repeated} requests were repeated")
        return found


class Background:
    """`trimtab proxy`, which runs until `stop`."""

    def __init__(self, command, **settings):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **settings)
        # What it prints once it listens.
        self.line = self.process.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:[0-9]+", self.line)
        if address is None:
            raise OSError(f"`trimtab proxy` does not listen: {self.line.strip()}{self.process.stderr.read()}")
        self.address = address[0]

    def stop(self):
        """Ends it, and returns what has gone wrong."""
        self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        printed = self.process.stderr.read().strip()
        self.process.stderr.close()
        is_wrong = code != 0 or "panicked" in printed
        return [f"`trimtab proxy` ended with exit code {code}: {printed[-300:]}"] if is_wrong else []


def upstreams(base):
    """The options with which all providers are at this address."""
    return [f"--upstream={name}={base}" for name in ("anthropic", "openai", "gemini")]


class Beside(Through):
    """`trimtab proxy`, at which the client's own configuration points."""

    verb = "proxy"

    def open(self, server, work):
        super().open(server, work)
        self.start()

    def upstream(self):
        return self.proxy.address

    def start(self):
        listen = ["--listen", "127.0.0.1:0"]
        self.proxy = Background([self.trimtab, "proxy", *listen, *upstreams(self.server.base), *self.options])

    def stop(self):
        read = {}
        for page in PAGES:
            with urllib.request.urlopen(f"{self.proxy.address}/_trimtab/{page}", timeout=60) as answer:
                read[page] = answer.read().decode()
        self.keep(read)
        self.faults += self.proxy.stop()

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        self.stop()
        super().close()


class Launched(Through):
    """`trimtab run`, which points the client at its proxy."""

    verb = "run"

    def open(self, server, work):
        super().open(server, work)
        # What the launcher finds is the address of the server.
        self.base = server.base
        self.folder = work / "launched"
        self.folder.mkdir()

    def upstream(self):
        return (self.folder / "address.txt").read_text()

    def command(self, command):
        # The launcher knows an agent by the name of its command.
        wrapper = self.folder / Path(command[0]).name
        values = {"server": self.server.base, "relay": self.relay.base, "folder": str(self.folder), "program": command[0]}
        wrapper.write_text(WRAPPER.format(python=sys.executable, pages=PAGES, **values))
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
        return [self.trimtab, "run", *self.options, "--", str(wrapper), *command[1:]]

    def end(self):
        files = {page: self.folder / f"{page}.txt" for page in PAGES}
        if not all(file.exists() for file in files.values()):
            self.faults.append(f"stage {len(self.pages) + 1}: the client was not run, or the proxy did not outlive it")
            return
        self.keep({page: file.read_text() for page, file in files.items()})
        for file in files.values():
            file.unlink()

    def restart(self):
        self.end()

    def close(self):
        self.end()
        super().close()
