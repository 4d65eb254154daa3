"""Measures how much longer `before_request` takes in Python and in Node than in Rust, on a conversation of 500 KB that grows turn by turn.

    python3 python/check.py --release
    python3 node/check.py --release
    target/python/tools/bin/python python/tests/overhead.py

The packages and the example in Rust must be built with the same profile: `--profile` names it. Node is left out if it is not installed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import trimtab

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / "policies" / "coding_agent.trim"
STEPS = 100
#: The shortest of several runs counts: what else the machine does disturbs it least.
RUNS = 5
KINDS = ["text", "bytes", "values"]


def conversation(size: int) -> list[dict[str, Any]]:
    """Messages that have about this many bytes of JSON in the middle of the turns that are timed."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Review all modules."}]
    for turn in range(size // 2_500 + STEPS // 2):
        function = {"name": "read_file", "arguments": json.dumps({"path": f"src/module_{turn}.rs"})}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        line = f'    let value_{turn} = compute("some text – with a dash", {turn}); // and so on\n'
        messages += [
            {"role": "assistant", "content": f"Step {turn}: I read the next file.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": line * 30},
        ]
    return messages


def in_python(messages: list[dict[str, Any]], kind: str) -> float:
    """The median time of a step in nanoseconds, of requests as text, bytes or values."""
    session = trimtab.compile_file(POLICY).session("openai_chat", window=200_000, summarise=lambda _: "So far, all is well.")
    first = len(messages) - 2 * STEPS
    times = []
    for end in range(first, len(messages) + 1, 2):
        body: Any = {"model": "gpt-5", "messages": messages[:end]}
        if kind != "values":
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        if kind == "bytes":
            body = body.encode()
        start = time.perf_counter_ns()
        session.before_request(body)
        times.append(time.perf_counter_ns() - start)
        if end < len(messages):
            session.after_reply(messages[end])
    return statistics.median(times[1:])


def medians(messages: list[dict[str, Any]], *command: str) -> list[float]:
    """The same in another language, of each kind."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "messages.json"
        path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
        whole = [*command, str(POLICY), str(path), str(STEPS)]
        return [float(one) for one in subprocess.run(whole, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()]


def in_rust(messages: list[dict[str, Any]], profile: str) -> list[float]:
    """The same in Rust, where a text is bytes."""
    package = ["--package", "trimtab-python", "--example", "before_request", "--profile", profile]
    text, values = medians(messages, "cargo", "run", "--quiet", "--locked", *package, "--")
    return [text, text, values]


def least(runs: list[list[float]]) -> list[float]:
    return [min(times) for times in zip(*runs, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="dist")
    parser.add_argument("--size", type=int, default=500_000, help="of the conversation in bytes")
    options = parser.parse_args()
    messages = conversation(options.size)
    rust = least([in_rust(messages, options.profile) for _ in range(RUNS)])
    others = {"Python": least([[in_python(messages, kind) for kind in KINDS] for _ in range(RUNS)])}
    script = ROOT / "target" / "node" / "base" / "test" / "overhead.mjs"
    if shutil.which("node") and script.exists():
        others["Node"] = least([medians(messages, "node", str(script)) for _ in range(RUNS)])
    for at, kind in enumerate(KINDS):
        ratios = [f"{times[at] / 1e6:.3f} ms in {language}, {times[at] / rust[at]:.2f} times as long" for language, times in others.items()]
        print(f"{kind}: {rust[at] / 1e6:.3f} ms in Rust; " + "; ".join(ratios))


if __name__ == "__main__":
    main()
