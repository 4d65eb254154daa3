"""The notebook runs, and holds no outputs."""

import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_the_notebook_draws_a_simulation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(EXAMPLES)
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(Path("simulation.ipynb").read_text())["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        assert cell["outputs"] == [] and cell["execution_count"] is None
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    figures = [names["plt"].figure(number) for number in names["plt"].get_fignums()]
    sizes, rules = (figure.axes[0] for figure in figures)
    (transcript,) = names["simulation"].transcripts
    assert [len(line.get_xdata()) for line in sizes.lines[:2]] == [transcript["calls"]] * 2
    assert [label.get_text() for label in rules.get_yticklabels()] == names["policy"].rules
    assert "with the policy" in capsys.readouterr().out
    names["plt"].close("all")
