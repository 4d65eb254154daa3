#!/usr/bin/env python3
"""Packs a built binary for a release, and lists the checksums of released files.

    python3 ci/release/package.py archive BINARY TARGET FOLDER [--licences FILE]
        writes FOLDER/trimtab-TARGET.tar.gz, or .zip for Windows, and prints its path
    python3 ci/release/package.py checksums FOLDER
        writes FOLDER/SHA256SUMS, which `sha256sum --check` reads

FILE has the licences of the dependencies, from `licences.py`. The same files give the same archive: entries are sorted, belong
to nobody, and have the time of `SOURCE_DATE_EPOCH`, which the workflow sets to the time of the commit.
"""

import argparse
import gzip
import hashlib
import io
import os
import sys
import tarfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"]
LICENCES = "THIRD-PARTY-LICENSES.txt"
CHECKSUMS = "SHA256SUMS"
# The first year that a zip file can store.
EARLIEST = 315532800


def is_windows(target):
    """Whether binaries for a target end in `.exe`, and are packed as zip files."""
    return "windows" in target


def binary_name(target):
    """The file name of the binary."""
    return "trimtab.exe" if is_windows(target) else "trimtab"


def archive_name(target):
    """The file name of an archive. It has no version, so that the address of the latest release stays the same."""
    return f"trimtab-{target}.zip" if is_windows(target) else f"trimtab-{target}.tar.gz"


def write_archive(binary, target, folder, licences=None):
    """Writes the archive of a binary, and returns its path."""
    files = {name: (ROOT / name, 0o644) for name in DOCUMENTS}
    files[binary_name(target)] = (Path(binary), 0o755)
    if licences:
        files[LICENCES] = (Path(licences), 0o644)
    entries = [(f"trimtab-{target}/{name}", path.read_bytes(), mode) for name, (path, mode) in sorted(files.items())]
    seconds = max(int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)), EARLIEST)
    path = Path(folder) / archive_name(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    (write_zip if is_windows(target) else write_tar)(path, entries, seconds)
    return path


def write_tar(path, entries, seconds):
    """Writes a `.tar.gz`. The header of gzip would have the name of the file, so it gets none."""
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, seconds) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, content, mode in entries:
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(content), mode, seconds
                archive.addfile(entry, io.BytesIO(content))


def write_zip(path, entries, seconds):
    """Writes a `.zip`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content, mode in entries:
            entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            # The same on each system that packs: entries of Unix with their permissions.
            entry.create_system, entry.external_attr, entry.compress_type = 3, mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def write_checksums(folder):
    """Writes the checksums of all files of a folder, and returns the path of the list."""
    folder = Path(folder)
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != CHECKSUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    if not lines:
        sys.exit(f"{folder} has no files")
    path = folder / CHECKSUMS
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    archive = commands.add_parser("archive")
    archive.add_argument("binary", type=Path)
    archive.add_argument("target")
    archive.add_argument("folder", type=Path)
    archive.add_argument("--licences", type=Path)
    checksums = commands.add_parser("checksums")
    checksums.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "archive":
        print(write_archive(arguments.binary, arguments.target, arguments.folder, arguments.licences))
    else:
        print(write_checksums(arguments.folder))


if __name__ == "__main__":
    main()
