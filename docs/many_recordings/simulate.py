"""Simulates a policy on many recordings with Ray Data.

Usage: python simulate.py POLICY DIR RESULT
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import ray

TRIMTAB = os.environ.get("TRIMTAB", "trimtab")
EXTENSIONS = {".json", ".jsonl", ".ndjson", ".eval", ".traj"}


def simulate(batch, policy):
    """The map: the result for some files, as JSON text."""
    command = [TRIMTAB, "simulate", "--format", "json", "--jobs", "1", "--", policy, *batch["file"]]
    done = subprocess.run(command, capture_output=True, text=True)
    # 1: an expectation is not met. 2 with a result: no file of the batch can be read, and `errors` lists them.
    if not done.stdout:
        raise RuntimeError(done.stderr)
    return {"result": [done.stdout]}


def main(policy, directory, result):
    files = sorted(str(path) for path in pathlib.Path(directory).rglob("*") if path.suffix in EXTENSIONS)
    results = ray.data.from_items([{"file": file} for file in files]).map_batches(
        simulate, batch_size=2, fn_kwargs={"policy": policy}
    )
    with tempfile.TemporaryDirectory() as parts:
        for number, row in enumerate(results.iter_rows()):
            pathlib.Path(parts, f"{number}.json").write_text(row["result"])
        # The sum. The batches are done in any order, so the transcripts are sorted by name.
        return subprocess.run([TRIMTAB, "merge", parts, "--sort", "name", "-o", result]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
