#!/usr/bin/env python3
"""Lists the licences of what is compiled into a binary, as most of them require of whoever distributes it.

    cargo metadata --locked --format-version 1 --features exact --filter-platform TARGET |
        python3 ci/release/licences.py [PACKAGE…] > THIRD-PARTY-LICENSES.txt

The packages are those of this workspace that are distributed: by default `trimtab`, the command. Dependencies that only build or
test them are left out. A licence text that several packages share is printed once.
"""

import json
import sys
from pathlib import Path

COMMAND = "trimtab"
# The beginnings of the names of files that a licence asks to pass on.
NAMES = ("licence", "license", "copying", "copyright", "notice", "unlicense")
LINE = "=" * 80


def compiled_in(metadata, names):
    """What is compiled into packages: the packages that they need, and those that these need."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    members = set(metadata["workspace_members"])
    waiting = [id for id in members if packages[id]["name"] in names]
    found = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            id = dependency["pkg"]
            # `null` is the kind of normal dependencies. Macros run in the compiler.
            is_normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            is_macro = any("proc-macro" in target["kind"] for target in packages[id]["targets"])
            if is_normal and not is_macro and id not in found:
                found.add(id)
                waiting.append(id)
    return sorted((packages[id] for id in found - members), key=lambda package: (package["name"], package["version"]))


def texts(package):
    """The licence texts in the source of a package."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(NAMES))
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def report(packages):
    """All packages with their licences, then the texts."""
    users = {}
    lines = ["Trimtab contains these packages:", ""]
    for package in packages:
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package.get('license') or 'see its licence text'}")
        for text in texts(package):
            users.setdefault(text, []).append(name)
    for text, names in users.items():
        lines += ["", LINE, ", ".join(dict.fromkeys(names)), LINE, "", text]
    return "\n".join(lines) + "\n"


def main():
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    names = sys.argv[1:] or [COMMAND]
    packages = compiled_in(json.load(sys.stdin), names)
    if not packages:
        sys.exit(f"the metadata has no dependencies of {', '.join(names)}")
    sys.stdout.write(report(packages))


if __name__ == "__main__":
    main()
