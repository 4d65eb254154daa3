// Written by `trimtab hook pi --install`. `trimtab hook pi --uninstall` removes this file.
// It gives each tool result to Trimtab before the model sees it. If anything fails, the result stays as it is.
import { existsSync } from "node:fs"

export default function (pi: any) {
  pi.on("tool_result", async (event: any, ctx: any) => {
    try {
      const { toolName, toolCallId, input, content, isError } = event
      const manager = ctx.sessionManager
      const file = manager.getSessionFile()
      const entries = () => [manager.getHeader(), ...manager.getEntries()].map((entry) => JSON.stringify(entry)).join("\n")
      const session = file && existsSync(file) ? { sessionFile: file } : { sessionEntries: entries() }
      const sessionId = manager.getSessionId()
      const answer = await ask({ toolName, toolCallId, input, content, isError, cwd: ctx.cwd, sessionId, ...session })
      if (Array.isArray(answer?.content)) return { content: answer.content }
    } catch {
      // The result stays as it is.
    }
  })
}
