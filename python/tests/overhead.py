"""Measures how much longer `before_request` takes in Python than in Rust, on a conversation of 500 KB that grows turn by turn.

    python3 python/check.py --release
    target/python/tools/bin/python python/tests/overhead.py

The wheel and the example in Rust must be built with the same profile: `--profile` names it.
"""

from __future__ import annotations

import argparse
import json
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


def in_rust(messages: list[dict[str, Any]], profile: str) -> tuple[float, float]:
    """The same of requests as text and as values."""
    cargo = ["cargo", "run", "--quiet", "--locked", "--package", "trimtab-python", "--example", "before_request", "--profile", profile]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "messages.json"
        path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
        out = subprocess.run([*cargo, "--", str(POLICY), str(path), str(STEPS)], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    text, value = map(float, out.split())
    return text, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="dist")
    parser.add_argument("--size", type=int, default=500_000, help="of the conversation in bytes")
    options = parser.parse_args()
    messages = conversation(options.size)
    rust = [in_rust(messages, options.profile) for _ in range(RUNS)]
    for name, at in (("text", 0), ("values", 1)):
        python = min(in_python(messages, as_text=name == "text") for _ in range(RUNS))
        least = min(times[at] for times in rust)
        print(f"{name}: {least / 1e6:.3f} ms in Rust, {python / 1e6:.3f} ms in Python, {python / least:.2f} times as long")


if __name__ == "__main__":
    main()
