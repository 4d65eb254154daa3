#!/usr/bin/env python3
"""Builds the npm package, installs it into a folder, and runs its tests and type checks there.

    python3 node/check.py [--release] [--frameworks [NAME…]]

`--release` builds as releases are built. `--frameworks` runs the tests of the middleware, each with a version of the framework in a
folder of its own: all of them, or those that are named. Needs Node 20 and npm; without them, everything is skipped.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILT = ROOT / "target" / "node"
sys.path[:0] = [str(ROOT / "ci"), str(ROOT / "ci" / "release")]

import npm  # noqa: E402
import package  # noqa: E402
from packages import main, run  # noqa: E402

#: What checks the types.
NODE_TYPES = "@types/node@20.19.25"
TOOLS = ["typescript@7.0.2", NODE_TYPES]
#: The versions of the framework that the middleware is tested with.
FRAMEWORKS = {"ai6": "ai@6.0.326", "ai7": "ai@7.0.173"}
#: What their tests need as well.
FRAMEWORK_TOOLS = ["zod@4.6.7", NODE_TYPES, "@types/json-schema@7.0.15"]
#: The oldest version of Node that is supported.
NODE = 20


def what_is_missing() -> str | None:
    """What is missing to run the package."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "node or npm is not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    major = int(version.lstrip("v").split(".")[0])
    return f"node is {version}, and {NODE} or newer is needed" if major < NODE else None


def host() -> str:
    """The target of this machine."""
    version = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    target = re.search("^host: (.*)$", version, re.MULTILINE)[1]
    if target not in npm.TARGETS:
        sys.exit(f"there is no npm package for {target}")
    return target


def build(is_release: bool) -> Path:
    """Builds the packages for this machine, and returns the folder that they are in."""
    target = host()
    profile = "dist" if is_release else "dev"
    # One after the other, as releases are built: together, the library for Node would have the features of the command. A check finds
    # the crates below both as `python/check.py` has left them, if it builds `trimtab-features` as well.
    builds = [("trimtab", ["proxy"], ["exact"]), ("trimtab-node", [], ["trimtab/exact"])]
    for name, features, of_releases in builds:
        if is_release:
            options = ["--features", ",".join([*features, *of_releases])]
        else:
            options = ["--features", ",".join(features), "--package", "trimtab-features"]
        run("cargo", "build", "--locked", "--profile", profile, "--package", name, "--no-default-features", *options, cwd=ROOT)
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / ("dist" if is_release else "debug")
    names = {"linux": "libtrimtab_node.so", "darwin": "libtrimtab_node.dylib", "win32": "trimtab_node.dll"}
    packages = BUILT / "packages"
    shutil.rmtree(packages, ignore_errors=True)
    licences = {name: (ROOT / name).read_bytes() for name in ["LICENSE-APACHE", "LICENSE-MIT"]}
    binary = package.binary_name(target)
    files = {binary: (folder / binary).read_bytes(), npm.ADDON: (folder / names[sys.platform]).read_bytes(), **licences}
    npm.write_platform(packages / npm.SCOPE, target, files, "0.0.0")
    npm.write_main(packages, licences, "0.0.0")
    return packages


def environment(name: str, packages: Path, *requirements: str) -> Path:
    """A folder with the tests, in which the packages and what these need are installed."""
    folder = BUILT / name
    folder.mkdir(parents=True, exist_ok=True)
    # Otherwise npm would look for a project in the folders above.
    (folder / "package.json").write_text('{ "private": true }\n', encoding="utf-8")
    run("npm", "install", "--no-save", "--no-audit", "--no-fund", "--loglevel", "error", *requirements, cwd=folder)
    # After npm, which removes what the manifest does not name.
    for name in [npm.SCOPE, "trimtab"]:
        shutil.rmtree(folder / "node_modules" / name, ignore_errors=True)
    shutil.copytree(packages, folder / "node_modules", dirs_exist_ok=True)
    shutil.rmtree(folder / "test", ignore_errors=True)
    shutil.copytree(HERE / "test", folder / "test")
    return folder


def test(folder: Path, *files: str) -> None:
    run("node", "--test", "--test-reporter=spec", *files, cwd=folder, env={**os.environ, "TRIMTAB_ROOT": str(ROOT)})


def check_types(folder: Path, *files: str) -> None:
    # Not `npx`, which might install another version.
    compiler = BUILT / "base" / "node_modules" / "typescript" / "bin" / "tsc"
    options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--types", "node"]
    run("node", compiler, *options, *files, cwd=folder)


def check(packages: Path) -> None:
    folder = environment("base", packages, *TOOLS)
    tests = sorted(path.name for path in (HERE / "test").glob("*.test.*js"))
    test(folder, *(f"test/{name}" for name in tests))
    check_types(folder, "test/types.mts", "test/types.cts")


def check_framework(name: str, packages: Path) -> None:
    folder = environment(name, packages, FRAMEWORKS[name], *FRAMEWORK_TOOLS)
    test(folder, "test/frameworks/ai.test.mjs")
    check_types(folder, "test/frameworks/types.mts")


if __name__ == "__main__":
    if missing := what_is_missing():
        print(f"\n*** SKIPPED: the tests of the npm package: {missing} ***\n", flush=True)
    else:
        main(__doc__, "the middleware", list(FRAMEWORKS), build, check, check_framework)
