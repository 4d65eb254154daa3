#!/usr/bin/env python3
"""Compares the prices of `crates/trimtab-model/src/model/table.tsv` with those of LiteLLM's public table.

    python3 ci/prices.py            compares with the newest version on PyPI, and prints what differs
    python3 ci/prices.py VERSION    compares with that version
    python3 ci/prices.py --write    also writes `tests/cost/litellm.tsv`, which a test compares with the table

The table has prices that LiteLLM no longer lists, so nothing is changed automatically. Needs pip and access to PyPI.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "crates" / "trimtab-model" / "src" / "model" / "table.tsv"
EXTRACT = ROOT / "tests" / "cost" / "litellm.tsv"
SOURCE = "litellm/model_prices_and_context_window_backup.json"
# A model is listed under its id, or under its provider's name and its id.
PREFIXES = ["", "gemini/", "xai/", "deepseek/", "mistral/", "moonshot/", "zai/", "dashscope/", "minimax/", "meta/"]
# The providers that serve their own models, and name them without a region or a host.
PROVIDERS = {"anthropic", "openai", "gemini", "vertex_ai-language-models", "xai", "deepseek", "mistral", "moonshot", "zai", "meta"}
PRICES = ["input_cost_per_token", "cache_creation_input_token_cost", "cache_read_input_token_cost", "output_cost_per_token"]
# Variants of a model that are no models of their own.
VARIANTS = ("beta", "experimental", "multi-agent", "gv2")
HEAD = "id\tinput\tcache_write\tcache_read\toutput\tlong_above\tlong_input\tlong_write\tlong_read\tlong_output"


def download(version):
    """The table of a version of LiteLLM, and the version."""
    with tempfile.TemporaryDirectory() as folder:
        package = "litellm" if version is None else f"litellm=={version}"
        subprocess.run(["pip", "download", "--quiet", "--no-deps", "--dest", folder, package], check=True)
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            return json.loads(archive.read(SOURCE), parse_float=Decimal), wheel.name.split("-")[1]


def per_million(value):
    """A price in dollars per million tokens; `-` if there is none. Some rows list 0 for what has no price of its own."""
    return f"{(Decimal(value) * 1_000_000).normalize():f}" if value else "-"


def threshold(model):
    """The context above which input has another price, as it is spelt in the names of the columns, and in tokens."""
    marks = [key.removeprefix("input_cost_per_token_above_") for key in model if key.startswith("input_cost_per_token_above_")]
    marks = [mark.removesuffix("k_tokens") for mark in marks if mark.endswith("k_tokens")]
    return (f"_above_{marks[0]}k_tokens", str(int(marks[0]) * 1000)) if marks else (None, "-")


def row(model):
    """The columns of a model: its prices, and those above its threshold."""
    suffix, above = threshold(model)
    long = [per_million(model.get(price + suffix)) for price in PRICES] if suffix else ["-"] * 4
    return [*(per_million(model.get(price)) for price in PRICES), above, *long]


def extract(source):
    """The rows of all models of the table that are listed, and of all that have a price for long contexts."""
    ids = [line.split("\t")[0] for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    rows = {}
    for name in ids:
        listed = (source.get(prefix + name) for prefix in PREFIXES)
        model = next((model for model in listed if model and model.get("input_cost_per_token")), None)
        if model is not None:
            rows[name] = row(model)
    for key, model in source.items():
        is_own = model.get("litellm_provider") in PROVIDERS and model.get("mode") in ("chat", "responses")
        is_variant = any(variant in key for variant in VARIANTS)
        if is_own and not is_variant and threshold(model)[0] and model.get("input_cost_per_token"):
            rows.setdefault(key.rsplit("/", 1)[-1], row(model))
    return {name: "\t".join([name, *rows[name]]) for name in sorted(rows)}


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    source, version = download(arguments[0] if arguments else None)
    new = extract(source)
    old = {line.split("\t")[0]: line for line in EXTRACT.read_text().splitlines()[2:]} if EXTRACT.exists() else {}
    changed = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    for name in changed:
        print(f"- {old.get(name, 'not listed')}\n+ {new.get(name, 'not listed')}")
    print(f"{len(changed)} of {len(new)} models differ from {EXTRACT.relative_to(ROOT)} in LiteLLM {version}")
    if "--write" in sys.argv:
        lines = [f"# LiteLLM {version} (MIT): US dollars per million tokens; written by `ci/prices.py`.", HEAD, *new.values()]
        EXTRACT.write_text("\n".join(lines) + "\n")
        return 0
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
