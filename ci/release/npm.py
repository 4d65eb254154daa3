#!/usr/bin/env python3
"""Makes the npm packages of a release from its archives and addons: one for each platform, and the package in `node/`.

    python3 ci/release/npm.py ARCHIVES ADDONS FOLDER --version 1.2.3 [--repository URL]

ARCHIVES is a folder with an archive of the command for each target. ADDONS is one with the library for Node for each target,
`trimtab-TARGET.node`, and the licences of what the command and the library contain, `trimtab-TARGET.txt`, from `licences.py`.
Writes a folder for each package, and prints their paths, the package that users install last: it is to be published last, since it
depends on the others. `npm pack` and `npm publish` take these folders. npm compares the repository with the one that publishes.

npm installs the package that suits the platform, by the keys `os`, `cpu` and `libc`. No package has install scripts, so
`npm install --ignore-scripts` works too.
"""

import argparse
import json
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

from package import LICENCES, archive_name, binary_name

PACKAGE = Path(__file__).resolve().parents[2] / "node"
# Names in a scope cannot be registered by others.
SCOPE = "@trimtab"
# The name of the library in the package of a platform.
ADDON = "trimtab.node"
# The package and the platforms of each target, in the words of Node.
TARGETS = {
    "x86_64-unknown-linux-gnu": ("linux-x64-gnu", {"os": ["linux"], "cpu": ["x64"], "libc": ["glibc"]}),
    "aarch64-unknown-linux-gnu": ("linux-arm64-gnu", {"os": ["linux"], "cpu": ["arm64"], "libc": ["glibc"]}),
    "x86_64-unknown-linux-musl": ("linux-x64-musl", {"os": ["linux"], "cpu": ["x64"], "libc": ["musl"]}),
    "aarch64-unknown-linux-musl": ("linux-arm64-musl", {"os": ["linux"], "cpu": ["arm64"], "libc": ["musl"]}),
    "x86_64-apple-darwin": ("darwin-x64", {"os": ["darwin"], "cpu": ["x64"]}),
    "aarch64-apple-darwin": ("darwin-arm64", {"os": ["darwin"], "cpu": ["arm64"]}),
    # Windows on ARM runs x64 programs, and so Node for x64, which the library needs there.
    "x86_64-pc-windows-msvc": ("win32-x64", {"os": ["win32"], "cpu": ["x64", "arm64"]}),
}


def addon_name(target):
    """The file name of the library for Node that was built for a target."""
    return f"trimtab-{target}.node"


def contents(archive):
    """The files of an archive by their names, without its folder."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            return {Path(name).name: packed.read(name) for name in packed.namelist()}
    with tarfile.open(archive) as packed:
        return {Path(entry.name).name: packed.extractfile(entry).read() for entry in packed if entry.isfile()}


def template():
    """The manifest of the package that users install."""
    return json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))


def write_manifest(folder, manifest, version, repository):
    """Writes `package.json`."""
    manifest["version"] = version
    if repository:
        manifest["repository"] = {"type": "git", "url": f"git+{repository.removesuffix('.git')}.git"}
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8", newline="\n")


def write_platform(folder, target, files, version, repository=None):
    """Writes the package of a platform from its files: the binary, the addon and the licences."""
    name, platform = TARGETS[target]
    package = folder / name
    (package / "bin").mkdir(parents=True)
    binary = package / "bin" / binary_name(target)
    binary.write_bytes(files[binary_name(target)])
    binary.chmod(0o755)
    (package / ADDON).write_bytes(files[ADDON])
    licences = [file for file in ["LICENSE-APACHE", "LICENSE-MIT", LICENCES] if file in files]
    for file in licences:
        (package / file).write_bytes(files[file])
    readme = (
        f"# {SCOPE}/{name}\n\nThe binaries of [trimtab](https://www.npmjs.com/package/trimtab) for `{target}`. Install `trimtab`.\n"
    )
    (package / "README.md").write_text(readme, encoding="utf-8", newline="\n")
    manifest = {
        "name": f"{SCOPE}/{name}",
        "version": version,
        "description": f"The binaries of trimtab for {target}",
        "license": template()["license"],
        **platform,
        "files": ["bin", ADDON, *licences],
        # Yarn keeps packages zipped otherwise, and a binary in a zip file cannot be started.
        "preferUnplugged": True,
    }
    write_manifest(package, manifest, version, repository)
    return package


def write_main(folder, licences, version, repository=None):
    """Writes the package that users install."""
    package = folder / "trimtab"
    package.mkdir(parents=True)
    manifest = template()
    for name in manifest["files"]:
        shutil.copytree(PACKAGE / name, package / name)
    shutil.copyfile(PACKAGE / "README.md", package / "README.md")
    (package / "bin" / "trimtab.js").chmod(0o755)
    for name, content in licences.items():
        (package / name).write_bytes(content)
    # So that nobody publishes the template.
    del manifest["private"]
    manifest["files"] += list(licences)
    manifest["optionalDependencies"] = {f"{SCOPE}/{name}": version for name, _ in TARGETS.values()}
    write_manifest(package, manifest, version, repository)
    return package


def write_packages(archives, addons, folder, version, repository=None):
    """Writes all packages, and returns their folders in the order in which they are to be published."""
    packages = []
    for target in TARGETS:
        archive, addon = archives / archive_name(target), addons / addon_name(target)
        licences = addon.with_suffix(".txt")
        for path in [archive, addon, licences]:
            if not path.is_file():
                sys.exit(f"{path.parent} has no {path.name}")
        files = contents(archive) | {ADDON: addon.read_bytes(), LICENCES: licences.read_bytes()}
        packages.append(write_platform(folder, target, files, version, repository))
    # This package is no build of dependencies: it has only the licences of Trimtab itself.
    licences = {name: (packages[0] / name).read_bytes() for name in ["LICENSE-APACHE", "LICENSE-MIT"]}
    return [*packages, write_main(folder, licences, version, repository)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", type=Path)
    parser.add_argument("addons", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--repository")
    arguments = parser.parse_args()
    for package in write_packages(arguments.archives, arguments.addons, arguments.folder, arguments.version, arguments.repository):
        print(package)


if __name__ == "__main__":
    main()
