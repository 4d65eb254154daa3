"""Builds the wheel, installs it into an environment of its own, and runs its tests and type checks.

    python3 python/check.py [--release] [--frameworks [NAME…]]

`--release` builds as releases are built. `--frameworks` runs the tests of the adapters, each with the framework in an environment of its
own: all of them, or those that are named.
"""

import os
import sys
import venv
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "ci"))

from packages import main, run  # noqa: E402

ENVIRONMENTS = ROOT / "target" / "python"
ADAPTERS = sorted(path.stem for path in (HERE / "tests" / "frameworks").glob("*.txt"))
#: What builds and checks the package.
TOOLS = ["maturin>=1.9,<2", "pytest==9.2.0", "hypothesis==6.170.17", "mypy==2.4.1", "pyright==1.1.414", "pyarrow==26.0.1", "matplotlib==3.11.2"]
#: What the tests of the adapters need beside a framework.
FRAMEWORK_TOOLS = ["pytest==9.2.0", "mypy==2.4.1"]


@cache
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


def build(is_release: bool) -> Path:
    """Builds the wheel."""
    programs = environment("tools", *TOOLS)
    out = ENVIRONMENTS / "wheels"
    for old in out.glob("*.whl"):
        old.unlink()
    profile = "dist" if is_release else "dev"
    run(programs / "maturin", "build", "--locked", "--profile", profile, "--out", out, cwd=HERE)
    (built,) = out.glob("*.whl")
    return built


def install(programs: Path, built: Path) -> None:
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall", built)


def check(built: Path) -> None:
    programs = environment("tools", *TOOLS)
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


def check_framework(name: str, built: Path) -> None:
    programs = environment(name, "-r", HERE / "tests" / "frameworks" / f"{name}.txt", *FRAMEWORK_TOOLS)
    install(programs, built)
    # Away from the sources: LiteLLM imports from the folder two levels above the current one.
    run(programs / "pytest", "-q", HERE / "tests" / "frameworks" / f"test_{name}.py", cwd=ENVIRONMENTS)
    run(programs / "mypy", "--config-file", HERE / "pyproject.toml", HERE / "trimtab" / f"{name}.py", cwd=HERE)


if __name__ == "__main__":
    main(__doc__, "the adapters", ADAPTERS, build, check, check_framework)
