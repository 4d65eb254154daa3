"""Policies: what the package says is what the command says."""

import json
import os
import sys
from pathlib import Path

import pytest
from command import result

import trimtab

ROOT = Path(__file__).resolve().parents[2]
POLICIES = sorted((ROOT / "policies").glob("*.trim"))
NAMES_RECORDING = """edition 2026
policy p { rule r { when context.messages >= 9 do mask results } }
test "t" { given transcript "NAME" expect r never fires }
"""
WRONG = "edition 2026\npolicy p { rule a { do maks results } }\n"


def test_an_invalid_policy_is_an_exception_with_its_diagnostics() -> None:
    with pytest.raises(trimtab.PolicyError) as caught:
        trimtab.compile(WRONG, "wrong.trim")
    message = str(caught.value)
    assert "unknown effect `maks`" in message and "wrong.trim:2:24" in message and "did you mean `mask`?" in message
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic["code"] == "E202"
    assert diagnostic["span"]["line"] == 2


def test_one_of_several_policies_is_named() -> None:
    text = "edition 2026\npolicy a { rule r { do mask results } }\npolicy b { rule r { do mask results } }\n"
    assert trimtab.compile(text, policy="b").name == "b"
    with pytest.raises(trimtab.PolicyError, match="the file has 2 policies"):
        trimtab.compile(text)
    with pytest.raises(trimtab.PolicyError, match="unknown policy `c`"):
        trimtab.compile(text, policy="c")


def test_a_file_that_does_not_exist_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        trimtab.compile_file(ROOT / "nothing.trim")


def test_formatting() -> None:
    assert trimtab.format("edition 2026\npolicy p {rule a{do mask results}}") == (
        "edition 2026\n\npolicy p {\n  rule a {\n    do mask results\n  }\n}\n"
    )
    with pytest.raises(trimtab.PolicyError, match="p.trim:2"):
        trimtab.format("edition 2026\npolicy p { rule a { do } }}", "p.trim")


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_results_are_those_of_the_command(path: Path) -> None:
    policy = trimtab.compile_file(path)
    file = str(path)
    assert json.loads(policy.to_json()) == result("compile", file, "--isolated")
    assert policy.validate() == result("validate", file, "--isolated")
    assert policy.lint() == result("lint", file, "--isolated")
    assert policy.lint(select=["all"]) == result("lint", file, "--isolated", "--select", "all")
    assert policy.test() == result("test", file, "--isolated", "--coverage")
    assert trimtab.from_json(policy.to_json()).hash == policy.hash


@pytest.mark.parametrize("path", sorted((ROOT / "docs/quick_start/recordings").glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_replay_is_an_entry_of_a_simulation(path: Path) -> None:
    policy = ROOT / "policies/coding_agent.trim"
    (transcript,) = trimtab.read_transcripts(path.read_bytes())
    assert transcript.format == "trimtab" and len(transcript) > 0
    entry = trimtab.compile_file(policy).replay(transcript, window=30_000)
    (expected,) = result("simulate", str(policy), str(path), "--isolated", "--window", "30000")["transcripts"]
    names = {"file": expected["file"], "id": expected["id"]}
    assert {**entry, **names} == expected


def test_a_comparison_is_that_of_the_command(tmp_path: Path) -> None:
    texts = {
        name: f"edition 2026\npolicy p {{\n  rule r {{\n    when context.tokens > {limit}\n    do mask results\n  }}\n}}\n"
        for name, limit in (("before", "1k tokens"), ("after", "2k tokens"))
    }
    before, after = (tmp_path / "before.trim", tmp_path / "after.trim")
    before.write_text(texts["before"])
    after.write_text(texts["after"])
    difference = trimtab.compile_file(before).diff(trimtab.compile_file(after))
    expected = result("diff", str(before), str(after), "--isolated")
    for side in ("before", "after"):
        difference[side]["file"] = expected[side]["file"]
    assert difference == expected


def test_a_plan_has_no_source() -> None:
    plan = trimtab.from_json(trimtab.compile("edition 2026\npolicy p { rule r { do mask results } }").to_json())
    with pytest.raises(ValueError, match="no source"):
        plan.lint()
    with pytest.raises(trimtab.PolicyError, match="unknown effect `maks`"):
        trimtab.from_json(plan.to_json().replace('"mask"', '"maks"'))


def test_tests_read_recordings_inside_the_project_only(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "trimtab.toml").write_text("")
    (tmp_path / "secret.jsonl").write_text('{"trimtab":1}\n{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n')
    (project / "inside.jsonl").write_bytes((tmp_path / "secret.jsonl").read_bytes())
    reasons = {"inside.jsonl": "", "../secret.jsonl": "outside the project", str(project / "inside.jsonl"): "not a relative path"}
    if sys.platform != "win32":
        (project / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
        # Reading it would wait for a writer for ever.
        os.mkfifo(project / "pipe.jsonl")
        reasons |= {"link.jsonl": "outside the project", "pipe.jsonl": "not a regular file"}
    path = project / "p.trim"
    for name, reason in reasons.items():
        path.write_text(NAMES_RECORDING.replace("NAME", name))
        tested = trimtab.compile_file(path).test()
        assert tested == result("test", str(path), "--isolated", "--coverage")
        assert (tested["summary"]["passed"] == 1) == (reason == ""), tested
        assert reason in json.dumps(tested)


def test_tests_of_a_text_name_no_recording() -> None:
    tested = trimtab.compile(NAMES_RECORDING.replace("NAME", "python/tests/inside.jsonl")).test()
    assert "the policy is no file" in json.dumps(tested)
