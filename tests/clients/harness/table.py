"""The table that a run prints."""

from dataclasses import dataclass, field
from typing import Any, Optional

from .comparison import ASPECTS


@dataclass
class Row:
    client: Any
    version: Optional[str]
    reason: str = ""
    format: str = "-"
    counts: dict = field(default_factory=dict)
    differences: list = field(default_factory=list)
    documented: list = field(default_factory=list)
    session: Any = None
    seconds: float = 0.0

    @property
    def installed(self):
        return self.version is not None

    @property
    def equal(self):
        return not self.differences

    def verdict(self):
        if not self.installed:
            return f"NOT INSTALLED: {self.reason}"
        if self.differences:
            return f"{len(self.differences)} DIFFERENT"
        return "equal" + (f", {len(self.documented)} documented" if self.documented else "")

    def cells(self):
        counts = []
        for aspect in ASPECTS:
            equal, total = self.counts.get(aspect, (0, 0))
            counts.append("-" if aspect not in self.counts or (equal, total) == (0, 0) else f"{equal}/{total}")
        return [self.client.name, self.version or "-", self.format, *counts, self.verdict()]


def print_rows(rows):
    """Prints each aspect as `equal/on the wire`, then what differs and what is documented to differ."""
    print_table([["client", "version", "format", *ASPECTS, "verdict"], *(row.cells() for row in rows)])
    for row in rows:
        for difference in row.differences:
            print(f"{row.client.name}: DIFFERENT: {difference}")
        for difference in row.documented:
            print(f"{row.client.name}: documented: {difference}")


def print_table(lines):
    """Prints lines of cells in columns."""
    widths = [max(len(str(line[column])) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(line, widths)).rstrip())
