#!/usr/bin/env python3
"""Checks that all parts of a release have the same version.

    python3 ci/release/check_version.py                    the packages, as pull requests are checked
    python3 ci/release/check_version.py --tag v1.2.3       also the tag and the changelog, as releases are checked
        --notes FILE     writes the section of the changelog, for the page of the release
        --links URL      makes its links absolute: where the files of the tag are

The version is that of `[workspace.package]` in `Cargo.toml`. The crates, the requirements between them, `Cargo.lock` and the
Python package must have it too. Prints `version=1.2.3` and `prerelease=false`, as outputs of a GitHub workflow; what differs goes
to standard error, with exit code 1. Needs Python 3.11.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INHERITED = {"workspace": True}
# `## 1.2.3`, also with a date: `## 1.2.3 (2026-12-01)`, `## [1.2.3] - 2026-12-01`.
SECTION = re.compile(r"^## \[?([^\]\s]+)\]?.*$", re.MULTILINE)
# A line that does not continue the paragraph or list item before it.
BLOCK = re.compile(r"\s*([-*+|>#]|\d+\.|```|$)")
RELATIVE_LINK = re.compile(r"\]\((?!#|[a-z][a-z+.-]*:)([^)\s]+)\)")


def load(path):
    """A TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def workspace_version(root):
    """The version of all packages."""
    return load(root / "Cargo.toml")["workspace"]["package"]["version"]


def package_errors(root):
    """What has another version than the workspace."""
    workspace = load(root / "Cargo.toml")["workspace"]
    version = workspace["package"]["version"]
    errors = []
    names = set()
    others = [path for folder in ("ci/features", "node", "python") for path in root.glob(f"{folder}/Cargo.toml")]
    for path in [root / "Cargo.toml", *sorted(root.glob("crates/*/Cargo.toml")), *others]:
        package = load(path)["package"]
        names.add(package["name"])
        if package.get("version") != INHERITED:
            errors.append(f"{path.relative_to(root).as_posix()}: expected `version.workspace = true`")
    for name, dependency in workspace.get("dependencies", {}).items():
        if isinstance(dependency, dict) and "path" in dependency and dependency.get("version") != version:
            errors.append(f"Cargo.toml: the requirement of `{name}` is `{dependency.get('version')}`, expected `{version}`")
    for package in load(root / "Cargo.lock")["package"]:
        if package["name"] in names and "source" not in package and package["version"] != version:
            errors.append(f"Cargo.lock: `{package['name']}` is at `{package['version']}`, expected `{version}`")
    # Maturin takes the version from `python/Cargo.toml`.
    pyproject = root / "python" / "pyproject.toml"
    if pyproject.exists():
        project = load(pyproject)["project"]
        if "version" in project or "version" not in project.get("dynamic", []):
            errors.append('python/pyproject.toml: expected `dynamic = ["version"]` and no `version`')
    return errors


def newest_section(root):
    """The heading of the newest section of the changelog, and its text."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = list(SECTION.finditer(text))
    if not headings:
        return None, ""
    end = headings[1].start() if len(headings) > 1 else len(text)
    return headings[0].group(1), text[headings[0].end() : end].strip() + "\n"


def tag_errors(root, tag):
    """What has another version than the tag."""
    version = workspace_version(root)
    errors = []
    if tag != f"v{version}":
        errors.append(f"the tag is `{tag}`, but the version in Cargo.toml is `{version}`: expected the tag `v{version}`")
    heading, text = newest_section(root)
    if heading != version:
        errors.append(f"CHANGELOG.md: the newest section is `{heading}`, expected `{version}`")
    elif not text.strip():
        errors.append(f"CHANGELOG.md: the section `{version}` is empty")
    return errors


def unwrapped(text):
    """The text with each paragraph and list item on one line."""
    lines = []
    is_code = can_continue = False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith("```")
        if can_continue and not is_code and not BLOCK.match(line):
            lines[-1] += f" {line.strip()}"
            continue
        lines.append(line)
        is_code ^= is_fence
        can_continue = bool(line.strip()) and not is_fence and not line.startswith(("#", "|"))
    return "\n".join(lines) + "\n"


def notes(root, links=None):
    """The newest section of the changelog for the page of a release, where each end of a line is shown as one, and relative links
    lead nowhere."""
    text = unwrapped(newest_section(root)[1])
    return RELATIVE_LINK.sub(lambda link: f"]({links.rstrip('/')}/{link[1]})", text) if links else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag")
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--links")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    errors = package_errors(arguments.root)
    if arguments.tag is not None:
        errors += tag_errors(arguments.root, arguments.tag)
    if errors:
        sys.exit("\n".join(f"error: {error}" for error in errors))
    if arguments.notes:
        arguments.notes.write_text(notes(arguments.root, arguments.links), encoding="utf-8")
    version = workspace_version(arguments.root)
    print(f"version={version}")
    # Semantic versioning: what follows a hyphen makes it a pre-release.
    print(f"prerelease={'true' if '-' in version.split('+')[0] else 'false'}")


if __name__ == "__main__":
    main()
