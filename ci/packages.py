"""What `python/check.py` and `node/check.py` share: their command line, and the order of their steps."""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def run(*command: str | Path, **options: object) -> None:
    """Prints a command and runs it. One that fails is an exception."""
    print("+", *command, flush=True)
    # On Windows, npm is a script, which only a path with its ending starts.
    program = shutil.which(str(command[0])) or str(command[0])
    subprocess.run([program, *map(str, command[1:])], check=True, **options)


def main(
    description: str | None,
    tests: str,
    frameworks: Sequence[str],
    build: Callable[[bool], Path],
    check: Callable[[Path], None],
    check_framework: Callable[[str, Path], None],
) -> None:
    """Builds the package with the profile of releases or that of `cargo build`, checks it, and runs the tests of frameworks if they are
    asked for. `tests` is what these are tests of."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--frameworks", nargs="*", metavar="NAME", choices=[*frameworks, []])
    options = parser.parse_args()
    built = build(options.release)
    check(built)
    if options.frameworks is None:
        print(f"SKIPPED: the tests of {tests} ({', '.join(frameworks)}); run them with --frameworks")
        return
    failed = []
    for name in options.frameworks or frameworks:
        try:
            check_framework(name, built)
        except subprocess.CalledProcessError as error:
            print(f"FAILED: {name}: {error}", flush=True)
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
