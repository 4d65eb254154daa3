"""Runs the session of one client against the model server."""

import os
import signal
import subprocess
from contextlib import nullcontext
from dataclasses import dataclass, field

from .client import Place, search_path
from .route import Direct
from .script import LONG, MOST_CALLS, NOTES, Script
from .server import ModelServer


@dataclass
class Session:
    """A session that has ended: what was said on the wire, and the files that the client left."""

    exchanges: list
    prompts: list
    compactions: int
    recordings: list
    trouble: list
    # What the server has received, besides model requests too.
    passages: list = field(default_factory=list)


class Failed(Exception):
    pass


def play(client, installed, work, route=None, most_calls=MOST_CALLS):
    """Runs all stages of the client below `work`, which keeps the home, the requests and the output."""
    route = route or Direct()
    home, folder, log = work / "home", work / "folder", work / "requests"
    create_folders(client, home, folder, log)
    script = Script(client, most_calls)
    server = ModelServer(script, log)
    route.open(server, work)
    place = Place(installed, home, folder, route.base)
    trouble = []
    try:
        client.prepare(place)
        if client.first:
            run(client, place, client.first(place), work / "first.txt", trouble)
        for number, stage in enumerate(client.stages):
            if number > 0:
                route.restart()
            script.begin(stage)
            command = route.command(client.command(place, stage.prompt, number > 0))
            run(client, place, command, work / f"stage-{number + 1}.txt", trouble)
            if script.steps:
                trouble.append(f"stage {number + 1} ended with {len(script.steps)} replies not asked for")
        recordings = client.recordings(place, lambda command: output(client, place, command))
    finally:
        if client.last:
            run(client, place, client.last(place), work / "last.txt", trouble)
        route.close()
        server.stop()
    trouble += server.faults + route.trouble()
    prompts = [stage.prompt for stage in client.stages if not client.is_compaction_prompt(stage)]
    compactions = sum(exchange.part == "summary" for exchange in script.exchanges) // client.summary_calls
    return Session(script.exchanges, prompts, compactions, recordings, trouble, server.passages)


def create_folders(client, home, folder, log):
    """Creates the folders of a session, and the files that its prompts are about."""
    for path in (home, home / "tmp", folder, log):
        path.mkdir(parents=True)
    (folder / "notes.txt").write_text(NOTES)
    (folder / "crates.txt").write_text(LONG)
    client.folder = folder


def environment(client, place):
    """The environment of the client, which has nothing of the caller's."""
    common = {"PATH": search_path(place), "HOME": str(place.home), "TMPDIR": str(place.home / "tmp")}
    common.update({"TERM": "dumb", "LANG": "C.UTF-8", "NO_COLOR": "1"})
    return {**common, **client.environment(place)}


def run(client, place, command, log, trouble, errors=None):
    """Runs a command of the client; its process group ends with it or after the client's `timeout` in seconds. What it prints
    is kept in `log`, and its standard error in `errors` if that is another file."""
    with log.open("w") as file, errors.open("w") if errors else nullcontext() as error_file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        process = subprocess.Popen(
            command,
            cwd=place.folder,
            env=environment(client, place),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=error_file or subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(client.timeout)
            if code != 0:
                trouble.append(f"`{os.path.basename(command[0])}` ended with exit code {code}")
        except subprocess.TimeoutExpired:
            trouble.append(f"`{os.path.basename(command[0])}` did not end within {client.timeout} s")
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def output(client, place, command):
    """What a command of the client prints."""
    done = subprocess.run(
        command, cwd=place.folder, env=environment(client, place), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise Failed(f"`{' '.join(command[1:])}`: {done.stderr.strip()[-300:]}")
    return done.stdout
