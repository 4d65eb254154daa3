#!/usr/bin/env python3
"""Unpacks or installs a released file where nothing else is, and tries what it brings.

    python3 ci/release/smoke.py FILE --version 1.2.3

An archive is unpacked into an empty folder, and its binary runs there with an empty environment. A wheel is installed without the
network in a virtual environment of the Python that runs this script. Options for archives:

    --chroot         the folder is the root: there are no files but the binary, the libraries that `ldd` lists, and the
                     policy. For Linux, as root
    --image IMAGE    in a container of this image, without a network: for the oldest system that the binary should run on

Each check prints a line. The exit code is 1 if one fails.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

POLICY = """edition 2026

policy smoke "Masks old tool results." {
  rule mask_old_results {
    when context.ratio >= 60%
    do mask results keep 2 messages
  }
}
"""
# A name that does not exist.
INVALID = POLICY.replace("context.ratio", "contxt.ratio")
RECORDING = """{"trimtab": 1, "id": "smoke", "model": "gpt-5", "window": 1000}
{"role": "user", "content": "List the files."}
{"role": "assistant", "content": "There are none."}
"""
FILES = {"smoke.trim": POLICY, "invalid.trim": INVALID, "smoke.jsonl": RECORDING}
TIMEOUT = 120


def checks(version):
    """What the command is given, the exit code that is expected, and a text that its output must have."""
    return [
        ("the version", ["--version"], 0, f"trimtab {version}\n"),
        ("a valid policy", ["validate", "smoke.trim"], 0, "no problems found"),
        ("an invalid policy", ["validate", "invalid.trim"], 1, "E201"),
        # Only builds with the feature `exact` have tokenizers, and only those with `proxy` have options here.
        (
            "a simulation with exact token counts",
            ["simulate", "smoke.trim", "smoke.jsonl", "--tokens", "exact"],
            0,
            "No rule fired",
        ),
        ("the proxy", ["proxy", "--help"], 0, "--upstream"),
    ]


class Plain:
    """Runs the command in the folder, with an empty environment: no `PATH` and no home."""

    def __init__(self, folder, binary):
        self.folder, self.binary = folder, binary
        # Windows programs do not start without it.
        self.environment = {name: os.environ[name] for name in ["SYSTEMROOT"] if name in os.environ}

    def run(self, arguments):
        """Runs the command."""
        return self.start([str(self.binary), *arguments], cwd=self.folder, env=self.environment)

    def start(self, words, **options):
        """Runs a program without input, and returns its result with both outputs in one text."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        # Without newline translation, so that a `\r` would be seen.
        result = subprocess.run(words, **streams, timeout=TIMEOUT, check=False, **options)
        return result.returncode, result.stdout.decode("utf-8", "replace")


class Container(Plain):
    """Runs the command in a new container. The files can only be read there."""

    def __init__(self, folder, binary, image):
        super().__init__(folder, binary)
        self.image = image

    def run(self, arguments):
        binary = Path("/smoke") / self.binary.relative_to(self.folder)
        docker = ["docker", "run", "--rm", "--network", "none", "--volume", f"{self.folder}:/smoke:ro", "--workdir", "/smoke"]
        return self.start([*docker, "--entrypoint", str(binary), self.image, *arguments])


class Chroot(Plain):
    """Runs the command with the folder as the root."""

    def __init__(self, folder, binary):
        super().__init__(folder, binary)
        listed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False).stdout
        # A static binary has none.
        for library in re.findall(r"(?:^\s*|=> )(/\S+) \(0x", listed, re.MULTILINE):
            copy = folder / library.lstrip("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, copy)
            print(f"  uses {library}")

    def run(self, arguments):
        def enter():
            os.chroot(self.folder)
            os.chdir("/")

        binary = Path("/") / self.binary.relative_to(self.folder)
        return self.start([str(binary), *arguments], env={}, preexec_fn=enter)


def unpack(file, folder):
    """Unpacks an archive, and returns the path of the binary."""
    if file.suffix != ".zip":
        shutil.unpack_archive(file, folder, filter="data")
    else:
        shutil.unpack_archive(file, folder)
        # Python does not restore permissions of zip files.
        for path in folder.rglob("trimtab*"):
            path.chmod(0o755)
    binaries = [path for path in folder.glob("trimtab-*/*") if path.name in ("trimtab", "trimtab.exe")]
    if len(binaries) != 1:
        sys.exit(f"{file}: expected one binary in one folder, found {len(binaries)}")
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"]:
        if not (binaries[0].parent / name).is_file():
            sys.exit(f"{file}: no {name}")
    return binaries[0]


def install(file, folder):
    """Installs a wheel, and returns the path of the command."""
    venv.create(folder / "venv")
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", str(file)], check=True)
    # Not from this folder, in which a package might be.
    subprocess.run([str(python), "-c", "import trimtab"], check=True, cwd=folder)
    return scripts / ("trimtab.exe" if os.name == "nt" else "trimtab")


def passes(name, result, code, text):
    """Prints the result of a check, and returns whether it passed."""
    passed = result[0] == code and text in result[1].replace("\r\n", "\n")
    print(f"{'✓' if passed else '✗'} {name}")
    if not passed:
        print(f"expected exit code {code} and `{text.strip()}`, got exit code {result[0]} and:\n{result[1]}")
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--version", required=True)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--chroot", action="store_true")
    where.add_argument("--image")
    arguments = parser.parse_args()
    file = arguments.file.resolve()
    sys.stdout.reconfigure(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="trimtab-smoke-") as name:
        folder = Path(name).resolve()
        # Users of a container may be others.
        folder.chmod(0o755)
        for path, content in FILES.items():
            (folder / path).write_text(content, encoding="utf-8", newline="\n")
        print(file.name)
        if file.suffix == ".whl":
            place = Plain(folder, install(file, folder))
        elif arguments.chroot:
            place = Chroot(folder, unpack(file, folder))
        elif arguments.image:
            place = Container(folder, unpack(file, folder), arguments.image)
        else:
            place = Plain(folder, unpack(file, folder))
        results = [passes(name, place.run(words), code, text) for name, words, code, text in checks(arguments.version)]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
