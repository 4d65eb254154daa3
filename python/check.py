"""Builds the wheel, installs it into an environment of its own, and runs its tests and type checks.

    python3 python/check.py [--release] [--frameworks [NAME…]]

`--release` builds as releases are built. `--frameworks` runs the tests of the adapters, each with the framework in an environment of its
own: all of them, or those that are named.
"""

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ENVIRONMENTS = ROOT / "target" / "python"
ADAPTERS = sorted(path.stem for path in (HERE / "tests" / "frameworks").glob("*.txt"))
#: What builds and checks the package.
TOOLS = ["maturin>=1.9,<2", "pytest==9.2.0", "hypothesis==6.170.17", "mypy==2.4.1", "pyright==1.1.414", "pyarrow==26.0.1", "matplotlib==3.11.2"]
#: What the tests of the adapters need beside a framework.
FRAMEWORK_TOOLS = ["pytest==9.2.0", "mypy==2.4.1"]


def run(*command: str | Path, **options: object) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **options)


def environment(name: str, *requirements: str | Path) -> Path:
    """The folder with the programs of an environment that has these requirements."""
    folder = ENVIRONMENTS / name
    # An environment that a killed run has left is made again.
    complete = folder / "complete"
    if not complete.exists():
        venv.create(folder, with_pip=True, clear=True)
        complete.touch()
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements)
    return programs


def wheel(programs: Path, is_release: bool) -> Path:
    """Builds the wheel."""
    out = ENVIRONMENTS / "wheels"
    for old in out.glob("*.whl"):
        old.unlink()
    profile = "dist" if is_release else "dev"
    run(programs / "maturin", "build", "--locked", "--profile", profile, "--out", out, cwd=HERE)
    (built,) = out.glob("*.whl")
    return built


def install(programs: Path, built: Path) -> None:
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall", built)


def check(is_release: bool) -> Path:
    programs = environment("tools", *TOOLS)
    built = wheel(programs, is_release)
    install(programs, built)
    # Not `python -m pytest`, which would import the sources beside it, without the compiled module.
    run(programs / "pytest", "-q", "tests", "--ignore", "tests/frameworks", cwd=HERE)
    # The adapters are checked where their frameworks are installed.
    modules = [path for path in sorted((HERE / "trimtab").glob("*.py")) if path.stem not in ADAPTERS]
    run(programs / "mypy", "--config-file", HERE / "pyproject.toml", *modules, cwd=HERE)
    run(programs / "pyright", "-p", HERE, *modules, cwd=HERE)
    # Away from the sources, so that the installed module is compared with its stub.
    stubs = ["-m", "mypy.stubtest", "trimtab._trimtab", "--ignore-disjoint-bases"]
    run(programs / "python", *stubs, cwd=ENVIRONMENTS)
    return built


def check_framework(name: str, built: Path) -> None:
    programs = environment(name, "-r", HERE / "tests" / "frameworks" / f"{name}.txt", *FRAMEWORK_TOOLS)
    install(programs, built)
    # Away from the sources: LiteLLM imports from the folder two levels above the current one.
    run(programs / "pytest", "-q", HERE / "tests" / "frameworks" / f"test_{name}.py", cwd=ENVIRONMENTS)
    run(programs / "mypy", "--config-file", HERE / "pyproject.toml", HERE / "trimtab" / f"{name}.py", cwd=HERE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--frameworks", nargs="*", metavar="NAME", choices=[*ADAPTERS, []])
    options = parser.parse_args()
    built = check(options.release)
    if options.frameworks is None:
        print(f"SKIPPED: the tests of the adapters ({', '.join(ADAPTERS)}); run them with --frameworks")
        return
    failed = []
    for name in options.frameworks or ADAPTERS:
        try:
            check_framework(name, built)
        except subprocess.CalledProcessError as error:
            print(f"FAILED: {name}: {error}", flush=True)
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
