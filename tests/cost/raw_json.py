"""Raw JSON of recordings, and usage in the words of two providers."""

import json


def records(text):
    """The lines of a text that are JSON objects."""
    for line in text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def documents(text):
    """The text as one JSON document, or its lines."""
    try:
        whole = json.loads(text)
    except ValueError:
        return list(records(text))
    return whole if isinstance(whole, list) else [whole]


def walk(json_value, model=None):
    """All objects of a value, each with the model that it or an object around it names."""
    if isinstance(json_value, dict):
        own = json_value.get("model")
        model = own if isinstance(own, str) else model
        yield json_value, model
    inner = json_value.values() if isinstance(json_value, dict) else json_value if isinstance(json_value, list) else ()
    for value in inner:
        yield from walk(value, model)


def count(holder, key):
    return holder.get(key) or 0


def anthropic(usage):
    """What is cached is not part of the input."""
    write = count(usage, "cache_creation_input_tokens")
    hour = count(usage.get("cache_creation") or {}, "ephemeral_1h_input_tokens")
    read = count(usage, "cache_read_input_tokens")
    return count(usage, "input_tokens"), write, min(hour, write), read, count(usage, "output_tokens")


def openai(usage):
    """What is cached is part of the prompt. LiteLLM adds the counts of Anthropic, and counts writes in the prompt too."""
    if "prompt_tokens" not in usage:
        return anthropic(usage)
    read = count(usage.get("prompt_tokens_details") or {}, "cached_tokens") or count(usage, "cache_read_input_tokens")
    write = count(usage, "cache_creation_input_tokens")
    prompt = usage["prompt_tokens"]
    # Gemini counts thoughts in the total only, and bills them as output.
    output = max(count(usage, "completion_tokens"), count(usage, "total_tokens") - prompt)
    return prompt - read - write, write, 0, read, output
