"""The Claude Agent SDK for Python, which starts the Claude Code that it contains; with Anthropic Messages as a stream."""

import claude_code
from harness import script
from harness.client import Client

PROGRAM = """import asyncio, sys
from claude_agent_sdk import ClaudeAgentOptions, query

async def main():
    options = ClaudeAgentOptions(allowed_tools=["Read", "Bash"], continue_conversation=len(sys.argv) > 2)
    async for message in query(prompt=sys.argv[1], options=options):
        print(message)

asyncio.run(main())
"""


def command(place, prompt, continues):
    return [place.bin("python"), str(place.home / "program.py"), prompt, *(["continue"] if continues else [])]


CLIENT = Client(
    name="claude_agent_sdk",
    registry="pypi",
    package="claude-agent-sdk",
    version="0.2.189",
    format="claude_code",
    tools=claude_code.TOOLS,
    prepare=lambda place: place.write("program.py", PROGRAM),
    command=command,
    environment=claude_code.environment,
    recordings=claude_code.recordings,
    recorded_system=claude_code.recorded_system,
    documented={"beside": "the call that writes the title is not recorded"},
    stages=[script.FIRST, script.SECOND],
    call_prefix="toolu_",
    reply_prefix="msg_",
)
