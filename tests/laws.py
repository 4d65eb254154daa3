"""Runs each law with many random cases, and prints a line for each.

    python3 tests/laws.py [--cases N] [--jobs N] [--suite FILE] [NAME…]

A law is a test in a `proptest!` block of the suite or of a crate, or the comparison with the second interpreter. NAMEs select
those that contain one of them. 20,000 cases of all laws take a few hours of one core. The exit code is 1 if a law fails.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# It makes its own random cases.
OTHERS = ["reference::a_replay_agrees_with_the_reference_in_which_everything_takes_part"]

# They take longest, so they begin first.
LONG = ["merge::", "proxy::law::", "fuzzed::", "request::", "reference::", "system::"]


@dataclass(frozen=True, order=True)
class Binary:
    """The built tests of the suite or of a crate."""

    executable: str
    directory: Path
    sources: Path

    def laws(self):
        """The names of its laws."""
        listed = subprocess.run([self.executable, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout
        tests = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
        written = [(f"{module}::", f"::{name}") for module, name in written_laws(self.sources)]

        def is_law(test):
            return test in OTHERS or any(test.startswith(module) and test.endswith(name) for module, name in written)

        return [test for test in tests if is_law(test)]


def written_laws(sources):
    """The laws in the files of a directory, each as the module of its file and its name."""
    for path in sorted(sources.rglob("*.rs")):
        text = path.read_text()
        module = "::".join(path.relative_to(sources).with_suffix("").parts)
        for begin in re.finditer(r"^( *)proptest! \{$", text, re.MULTILINE):
            inside = text[begin.end() : text.find(f"\n{begin[1]}}}\n", begin.end())]
            yield from ((module, name) for name in re.findall(r"#\[test\]\s+fn (\w+)", inside))


def suite(executable):
    return Binary(executable, ROOT, ROOT / "tests" / "suite")


def built():
    """The suite and the tests of all crates, built with optimisation and with checks."""
    command = ["cargo", "test", "--locked", "--profile", "laws", "--no-run", "--message-format", "json"]
    crates = [path.parent for path in sorted(ROOT.glob("crates/*/Cargo.toml"))]
    packages = [argument for crate in crates for argument in ("-p", crate.name)]
    for targets in (["--test", "suite"], ["--lib", *packages]):
        done = subprocess.run([*command, *targets], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        for message in map(json.loads, done.stdout.splitlines()):
            if message.get("profile", {}).get("test") and message.get("executable"):
                directory = Path(message["manifest_path"]).parent
                is_suite = message["target"]["name"] == "suite"
                executable = message["executable"]
                yield suite(executable) if is_suite else Binary(executable, directory, directory / "src")


def run(binary, cases, name):
    environment = {
        **os.environ,
        "CARGO_MANIFEST_DIR": str(binary.directory),
        "TRIMTAB_CASES": str(cases),
        "PROPTEST_CASES": str(cases),
    }
    start = time.monotonic()
    command = [binary.executable, name, "--exact", "--test-threads=1"]
    done = subprocess.run(command, cwd=binary.directory, env=environment, capture_output=True, text=True)
    passed = done.returncode == 0 and "1 passed" in done.stdout
    return name, passed, time.monotonic() - start, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cases", type=int, default=20_000, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--suite", metavar="FILE", help="the built suite, to leave out the build and the crates")
    options = parser.parse_args()
    binaries = [suite(options.suite)] if options.suite else built()
    laws = [(binary, name) for binary in binaries for name in binary.laws()]
    chosen = [law for law in laws if not options.names or any(part in law[1] for part in options.names)]
    chosen.sort(key=lambda law: (not law[1].startswith(tuple(LONG)), law))
    failed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run, binary, options.cases, name) for binary, name in chosen]
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
