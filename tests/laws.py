"""Runs each law of the suite with many random cases, and prints a line for each.

    python3 tests/laws.py [--cases N] [--jobs N] [--suite FILE] [NAME…]

A law is a test in a `proptest!` block, or the comparison with the second interpreter. NAMEs select those that contain one of them.
20,000 cases of all laws take a few hours of one core. The exit code is 1 if a law fails.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "tests" / "suite"

# It makes its own random cases.
OTHERS = ["reference::a_replay_agrees_with_the_reference_in_which_everything_takes_part"]

# They take longest, so they begin first.
LONG = ["merge::", "proxy::law::", "fuzzed::", "request::", "reference::"]


def laws():
    """The names of all laws, those that take longest first."""
    names = list(OTHERS)
    for path in sorted(SUITE.rglob("*.rs")):
        text = path.read_text()
        module = "::".join(path.relative_to(SUITE).with_suffix("").parts)
        for begin in re.finditer(r"^proptest! \{$", text, re.MULTILINE):
            inside = text[begin.end() : text.find("\n}\n", begin.end())]
            names += [f"{module}::{name}" for name in re.findall(r"#\[test\]\s+fn (\w+)", inside)]
    return sorted(names, key=lambda name: (not name.startswith(tuple(LONG)), name))


def built_suite():
    """The suite, built with optimisation and with checks."""
    command = ["cargo", "test", "--locked", "--profile", "laws", "--no-run", "--test", "suite", "--message-format", "json"]
    lines = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for message in map(json.loads, lines):
        if message.get("target", {}).get("name") == "suite" and message.get("executable"):
            return message["executable"]
    sys.exit("the suite was not built")


def run(suite, cases, name):
    environment = {
        **os.environ,
        "CARGO_MANIFEST_DIR": str(ROOT),
        "TRIMTAB_CASES": str(cases),
    }
    start = time.monotonic()
    command = [suite, name, "--exact", "--test-threads=1"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    passed = done.returncode == 0 and "1 passed" in done.stdout
    return name, passed, time.monotonic() - start, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cases", type=int, default=20_000, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--suite", metavar="FILE", help="the built suite, to leave out the build")
    options = parser.parse_args()
    suite = options.suite or built_suite()
    chosen = [name for name in laws() if not options.names or any(part in name for part in options.names)]
    failed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run, suite, options.cases, name) for name in chosen]
        for done in concurrent.futures.as_completed(runs):
            name, passed, seconds, output = done.result()
            print(f"{'ok    ' if passed else 'FAILED'} {seconds:7.0f} s  {name}", flush=True)
            if not passed:
                failed.append(name)
                print(output, flush=True)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} laws hold in {options.cases} cases")
    sys.exit(bool(failed) or not chosen)


if __name__ == "__main__":
    main()
