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


def in_python(messages: list[dict[str, Any]], as_text: bool) -> float:
    """The median time of a step in nanoseconds."""
    session = trimtab.compile_file(POLICY).session("openai_chat", window=200_000, summarise=lambda _: "So far, all is well.")
    first = len(messages) - 2 * STEPS
    times = []
    for end in range(first, len(messages) + 1, 2):
        body: Any = {"model": "gpt-5", "messages": messages[:end]}
        if as_text:
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        start = time.perf_counter_ns()
        session.before_request(body)
        times.append(time.perf_counter_ns() - start)
        if end < len(messages):
            session.after_reply(messages[end])
    return statistics.median(times[1:])


def medians(messages: list[dict[str, Any]], *command: str) -> tuple[float, float]:
    """The same in another language, of requests as text and as values."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "messages.json"
        path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
        whole = [*command, str(POLICY), str(path), str(STEPS)]
        text, value = map(float, subprocess.run(whole, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split())
    return text, value


def in_rust(messages: list[dict[str, Any]], profile: str) -> tuple[float, float]:
    package = ["--package", "trimtab-python", "--example", "before_request", "--profile", profile]
    return medians(messages, "cargo", "run", "--quiet", "--locked", *package, "--")


def in_node(messages: list[dict[str, Any]]) -> tuple[float, float] | None:
    """The same; None without Node, or without the package that its check has installed."""
    script = ROOT / "target" / "node" / "base" / "test" / "overhead.mjs"
    return medians(messages, "node", str(script)) if shutil.which("node") and script.exists() else None


def least(runs: list[tuple[float, float]]) -> tuple[float, float]:
    return min(text for text, _ in runs), min(value for _, value in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="dist")
    parser.add_argument("--size", type=int, default=500_000, help="of the conversation in bytes")
    options = parser.parse_args()
    messages = conversation(options.size)
    rust = least([in_rust(messages, options.profile) for _ in range(RUNS)])
    python = least([(in_python(messages, as_text=True), in_python(messages, as_text=False)) for _ in range(RUNS)])
    node = [times for _ in range(RUNS) if (times := in_node(messages)) is not None]
    for at, name in enumerate(["text", "values"]):
        others = {"Python": python, **({"Node": least(node)} if node else {})}
        ratios = [f"{times[at] / 1e6:.3f} ms in {language}, {times[at] / rust[at]:.2f} times as long" for language, times in others.items()]
        print(f"{name}: {rust[at] / 1e6:.3f} ms in Rust; " + "; ".join(ratios))


if __name__ == "__main__":
    main()
