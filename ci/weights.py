#!/usr/bin/env python3
"""Fits the weights of the counter `estimate`, `crates/trimtab-model/src/model/token_counter/weights.tsv`, to OpenAI's tokenizer `o200k`.

    python3 ci/weights.py fit TEXTS       fits the weights to texts and writes them
    python3 ci/weights.py measure TEXTS   prints the errors by kind of text, as a table for `docs/accuracy.md`

TEXTS has a JSON object a line, `{"kind": "SQL", "text": "…"}`. Texts of about 400 tokens or more are best, and those that
are measured should be others than those that were fitted. Half of the weight is that of the kind `recorded sessions`, all
other kinds have equal parts of the rest. Weights for which the texts say little stay as they are, so a class of bytes can
be split by giving two rows and columns what its one had. Needs numpy, scipy and tiktoken from PyPI.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import tiktoken
from scipy.optimize import minimize

CRATE = Path(__file__).resolve().parents[1] / "crates" / "trimtab-model"
TABLE = CRATE / "src" / "model" / "token_counter" / "weights.tsv"
TOKEN = 1024
LARGEST = 2048
# A kind with half of the weight: what the estimate is for.
MAIN_KIND = "recorded sessions"
# Errors of short texts are relative to a few more tokens.
MIN_TOKENS = 10
# How much a change of a weight by one token costs, in squares of relative errors.
STAY = 1e-6
ROUNDS = 400


class Weights:
    """The table: the comments at its head, the bytes of each class, and weights by class of the preceding byte and class."""

    def __init__(self, text):
        lines = text.splitlines()
        self.head = [line for line in lines if line.startswith("#")]
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        self.names = [row[0] for row in rows]
        self.weights = np.array([row[1:] for row in rows], float) / TOKEN
        self.classes = np.full(256, -1)
        for number, name in enumerate(self.names):
            for part in name.split(","):
                first, _, last = part.partition("-")
                self.classes[int(first, 16) : int(last or first, 16) + 1] = number

    def pairs(self, text):
        """The numbers of the pairs of classes in a text, which begins as after a line break."""
        classes = self.classes[np.frombuffer(b"\n" + text.encode(), np.uint8)]
        return classes[:-1] * len(self.names) + classes[1:]

    def write(self, weights):
        cells = np.rint(weights.reshape(self.weights.shape) * TOKEN).astype(int)
        rows = ["\t".join([name, *map(str, row)]) for name, row in zip(self.names, cells)]
        TABLE.write_text("\n".join([*self.head, *rows]) + "\n")


def read(path, table):
    """Kinds, counts of pairs and tokens of the texts in a file."""
    encoding = tiktoken.get_encoding("o200k_base")
    texts = [json.loads(line) for line in Path(path).read_text().splitlines()]
    counts = [np.unique(table.pairs(text["text"]), return_counts=True) for text in texts]
    ends = np.cumsum([0, *(len(pairs) for pairs, _ in counts)])
    columns, values = (np.concatenate([count[at] for count in counts]) for at in (0, 1))
    pairs = sp.csr_matrix((values.astype(float), columns, ends), shape=(len(texts), len(table.names) ** 2))
    tokens = np.array([len(encoding.encode_ordinary(text["text"])) for text in texts], float)
    return np.array([text["kind"] for text in texts]), pairs, tokens


def fit(table, kinds, pairs, tokens):
    """Least squares of relative errors, without negative weights."""
    names, sizes = np.unique(kinds, return_counts=True)
    share = {name: (len(names) if name == MAIN_KIND else 1) / size for name, size in zip(names, sizes)}
    shares = np.array([share[kind] for kind in kinds])
    scale = np.sqrt(shares / shares.sum()) / (tokens + MIN_TOKENS)
    errors_of = (sp.diags(scale) @ pairs).tocsr()
    transposed, expected = errors_of.T.tocsr(), scale * tokens
    before = table.weights.ravel()

    def loss(weights):
        errors, changes = errors_of @ weights - expected, weights - before
        return errors @ errors + STAY * changes @ changes, 2 * (transposed @ errors) + 2 * STAY * changes

    bounds = [(0, LARGEST / TOKEN)] * len(before)
    options = {"maxiter": ROUNDS, "maxfun": 2 * ROUNDS, "maxcor": 20}
    table.write(minimize(loss, before, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x)


def measure(table, kinds, pairs, tokens):
    """Prints the errors of the texts of each kind: the median, the ninth decile, and that of the sum."""
    counted = pairs @ table.weights.ravel()
    print("| kind of text | texts | median | p90 | total |\n|---|---:|---:|---:|---:|")
    rows = defaultdict(list)
    for kind, estimate, exact in zip(kinds, counted, tokens):
        rows[kind].append((estimate, exact))
    for kind, row in rows.items():
        estimate, exact = np.array(row).T
        errors = np.abs(estimate / exact - 1) * 100
        total = (estimate.sum() / exact.sum() - 1) * 100
        print(f"| {kind} | {len(row):,} | {np.median(errors):.1f}% | {np.quantile(errors, 0.9):.1f}% | {total:+.1f}% |")


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("fit", "measure"):
        sys.exit(__doc__)
    table = Weights(TABLE.read_text())
    {"fit": fit, "measure": measure}[sys.argv[1]](table, *read(sys.argv[2], table))


if __name__ == "__main__":
    main()
