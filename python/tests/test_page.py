"""The examples of the page are one program, and run."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (policy,) = blocks("trim")
    Path("agent.trim").write_text(policy)
    names: dict[str, object] = {"__name__": "page"}
    examples = [example for example in blocks("python") if "from trimtab." not in example]
    assert len(examples) >= 8
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), names)
    assert "mask_old_results: " in capsys.readouterr().out
