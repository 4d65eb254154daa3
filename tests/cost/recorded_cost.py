#!/usr/bin/env python3
"""Checks what recordings cost, as `trimtab simulate` states it, against a sum of its own over the raw records.

    python3 tests/cost/recorded_cost.py TRIMTAB POLICY FILE…

`raw_calls.py` reads the calls of every format that records usage for each call. For each file, the number of calls and the
tokens of each kind must be the same. If the prices of all models are known, the cost must be the same to the cent, with the
prices of `litellm.tsv`, which `ci/prices.py` takes from a public table. Prints a line for each file and a table by format, and fails if anything differs.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from datetime import date
from decimal import Decimal
from pathlib import Path

from raw_calls import calls_of

TABLE = Path(__file__).resolve().parent / "litellm.tsv"
KINDS = ("uncached_input", "cache_write", "cache_write_1h", "cache_read", "output")
def prices():
    """The prices of each model: input, write, read, output, write for an hour; and those of a long context, with its size."""

    def per_token(name, columns):
        known = [None if column == "-" else Decimal(column) / 1_000_000 for column in columns]
        price_in, write, read, out = (known[0] if price is None else price for price in known)
        return price_in, write, read, out, price_in * 2 if name.startswith("claude") else write

    table = {}
    for line in TABLE.read_text().splitlines()[2:]:
        name, *columns = line.split("\t")
        long = None if columns[4] == "-" else (int(columns[4]), per_token(name, columns[5:9]))
        table[name] = (per_token(name, columns[:4]), long)
    return table


PRICES = prices()


def find(model):
    """The prices of a model under its name, without a date or a provider before it."""
    name = (model or "").lower().rsplit("/", 1)[-1]
    names = [name, re.sub(r"-\d{8}$", "", name), re.sub(r"[-@]\d{4}-?\d{2}-?\d{2}$", "", name)]
    names += [one.replace(".", "-") for one in names]
    return next((PRICES[one] for one in names if one in PRICES), None)


def cost(model, usage):
    """The cost of a call; none if the model is not listed."""
    known = find(model)
    if known is None:
        return None
    prices, long = known
    uncached, write, hour, read, out = usage
    if long and uncached + write + read > long[0]:
        prices = long[1]
    price_in, price_write, price_read, price_out, price_hour = prices
    return uncached * price_in + (write - hour) * price_write + hour * price_hour + read * price_read + out * price_out


def stated(replays):
    """The calls with usage as the simulation states them: their number, their tokens, and their cost if it is known."""
    parts = [replay["money"]["with_usage"] for replay in replays]
    tokens = tuple(sum(part[kind] for part in parts) for kind in KINDS)
    costs = [part["cost"] for part in parts]
    total = None if None in costs else sum(Decimal(str(cost)) for cost in costs)
    return sum(part["calls"] for part in parts), tokens, total


def check(trimtab, policy, file):
    """The format, the number of calls, whether the cost was compared, and what differs; none without usage."""
    # The table has the prices of one day.
    command = [trimtab, "simulate", policy, file, "--format", "json", "--prices-of", str(date.today())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    replays = json.loads(done.stdout)["transcripts"] if done.stdout else []
    if not replays:
        return None
    kind = replays[0]["format"]
    calls = calls_of(Path(file), kind)
    number, tokens, total = stated(replays)
    if not calls and not number:
        return None
    own = tuple(sum(usage[index] for _, usage in calls) for index in range(len(KINDS)))
    models = [model or replays[0]["model"] for model, _ in calls]
    costs = [cost(model, usage) for model, (_, usage) in zip(models, calls)]
    differences = []
    if number != len(calls):
        differences.append(f"{len(calls)} calls, stated {number}")
    if own != tokens:
        differences.append(f"tokens {own}, stated {tokens}")
    is_priced = None not in costs and total is not None
    if is_priced and abs(sum(costs) - total) >= Decimal("0.01"):
        differences.append(f"${sum(costs):.4f}, stated ${total:.4f}")
    price = f"${sum(costs):.4f}" if is_priced else "price unknown"
    print(f"{file}: {kind}, {len(calls)} calls, {sum(own)} tokens, {price}{''.join('; ' + one for one in differences)}")
    return kind, len(calls), is_priced, differences


def main():
    trimtab, policy, *files = sys.argv[1:]
    rows = defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        found = check(trimtab, policy, file)
        if found:
            kind, calls, is_priced, differences = found
            row = rows[kind]
            for index, value in enumerate((1, calls, is_priced, bool(differences))):
                row[index] += value
    print("\nformat\tfiles\tcalls\tpriced\tdiffer")
    for kind, row in sorted(rows.items()):
        print("\t".join(map(str, (kind, *row))))
    sys.exit(1 if not rows or any(row[3] for row in rows.values()) else 0)


if __name__ == "__main__":
    main()
