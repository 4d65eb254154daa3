"""Simulations over files equal those of the command."""

import time
from pathlib import Path

import pytest
from command import result

import trimtab

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / "policies" / "coding_agent.trim"
RECORDINGS = [str(ROOT / "docs" / "quick_start" / "recordings"), str(ROOT / "policies" / "coding_agent.jsonl")]


def test_a_simulation_is_that_of_the_command() -> None:
    policy = trimtab.compile_file(POLICY)
    simulation = policy.simulate(RECORDINGS, window=90_000, assertions=["total edits > 0"], per_call=True)
    options = ["--window", "90000", "--assert", "total edits > 0", "--per-call", "--isolated"]
    assert simulation.to_dict() == result("simulate", str(POLICY), *RECORDINGS, *options)
    assert simulation.verdict["calls"] == sum(one["calls"] for one in simulation.transcripts) > 0
    assert [rule["name"] for rule in simulation.rules] == policy.rules
    assert simulation.errors == [] and "2 transcripts" in repr(simulation)


def test_an_unmet_assertion_is_in_the_result() -> None:
    simulation = trimtab.compile_file(POLICY).simulate(RECORDINGS[1], assertions=["total edits > 1000000"])
    assert [one["is_met"] for one in simulation.to_dict()["total"]["assertions"]] == [False]


def test_what_cannot_be_simulated_is_an_exception(tmp_path: Path) -> None:
    policy = trimtab.compile_file(POLICY)
    with pytest.raises(trimtab.SimulationError, match="no such file or directory: .*nothing"):
        policy.simulate(tmp_path / "nothing")
    with pytest.raises(trimtab.SimulationError, match="invalid value 'word'"):
        policy.simulate(RECORDINGS, input_format="word")
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{")
    with pytest.raises(trimtab.SimulationError, match="broken.jsonl"):
        policy.simulate(broken)
    simulation = policy.simulate([broken, RECORDINGS[1]])
    assert [Path(error["file"]).name for error in simulation.errors] == ["broken.jsonl"]
    assert "broken.jsonl" in simulation.notes


def test_nothing_in_the_current_folder_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("trimtab/__init__.py", "json.py", "langchain.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"open({str(tmp_path / 'imported')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    assert trimtab.compile_file(POLICY).simulate(RECORDINGS[1]).verdict["calls"] > 0
    assert not (tmp_path / "imported").exists()


def test_progress() -> None:
    seen: list[int] = []
    lines: list[str] = []
    trimtab.compile_file(POLICY).simulate(RECORDINGS, progress=lambda done, line: (seen.append(done), lines.append(line)) and None)
    assert seen == [1, 2]
    assert any("coding_agent.jsonl" in line for line in lines)


def test_an_exception_in_progress_ends_the_simulation(tmp_path: Path) -> None:
    # Summaries of the second recording take longer than this test may.
    text = POLICY.with_name("research_assistant.trim").read_text()
    short = tmp_path / "a.jsonl"
    short.write_text('{"trimtab":1}\n{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n')
    recordings = [short, POLICY.with_name("research_assistant.jsonl")]

    def progress(done: int, line: str) -> None:
        raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        trimtab.compile(text, policy="research_assistant").simulate(recordings, summariser="command:sleep 60", jobs=1, progress=progress)
    assert time.monotonic() - start < 30


def test_tables() -> None:
    pytest.importorskip("pyarrow")
    simulation = trimtab.compile_file(POLICY).simulate(RECORDINGS, per_call=True)
    table = simulation.to_arrow()
    assert table.num_rows == 2
    assert table["before.peak_tokens"].to_pylist() == [one["before"]["peak_tokens"] for one in simulation.transcripts]
    calls = simulation.to_arrow("calls")
    assert calls.num_rows == sum(one["calls"] for one in simulation.transcripts)
    assert simulation.to_arrow("rules").num_rows == 2 * len(simulation.rules)
    with pytest.raises(ValueError, match="transcripts"):
        simulation.to_arrow("words")
