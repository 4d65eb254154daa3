"""The Claude Agent SDK for Python, which starts the Claude Code that it contains; with Anthropic Messages as a stream."""

import json

import claude_code
from harness import script
from harness.client import Client, oldest

PROGRAM = """import asyncio, sys
from claude_agent_sdk import ClaudeAgentOptions, query

async def main():
    prompt, *session = sys.argv[1:]
    options = ClaudeAgentOptions(allowed_tools=["Read", "Bash"], continue_conversation=session == ["continue"])
    if len(session) == 2:
        options.resume, options.resume_session_at = session
    async for message in query(prompt=prompt, options=options):
        print(message)

asyncio.run(main())
"""


def command(place, prompt, continues):
    return [place.bin("python"), str(place.home / "program.py"), prompt, *(["continue"] if continues else [])]


def fork(place, prompt):
    """Goes on in the same session, after the reply that has ended the first stage."""
    session = oldest(claude_code.recordings(place, None))
    records = map(json.loads, session.read_text().splitlines())
    last = next(one["uuid"] for one in records if one["type"] == "assistant" and script.FIRST.steps[-1].text in json.dumps(one))
    return [*command(place, prompt, False), session.stem, last]


CLIENT = Client(
    name="claude_agent_sdk",
    registry="pypi",
    package="claude-agent-sdk",
    version="0.2.189",
    format="claude_code",
    tools=claude_code.TOOLS,
    prepare=lambda place: place.write("program.py", PROGRAM),
    command=command,
    fork=fork,
    environment=claude_code.environment,
    recordings=claude_code.recordings,
    recorded_system=claude_code.recorded_system,
    documented={"beside": "the call that writes the title is not recorded"},
    stages=[script.FIRST, script.SECOND],
    call_prefix="toolu_",
    reply_prefix="msg_",
)
