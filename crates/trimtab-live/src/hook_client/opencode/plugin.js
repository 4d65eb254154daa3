// Written by `trimtab hook opencode --install`. `trimtab hook opencode --uninstall` removes this file.
// It gives each tool result to Trimtab before the model sees it. If anything fails, the result stays as it is.
import { spawn } from "node:child_process"

const command = COMMAND

const ask = (event) =>
  new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout: 10_000 })
    const chunks = []
    child.on("error", () => resolve(undefined))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => chunks.push(chunk))
    child.on("close", () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")))
      } catch {
        resolve(undefined)
      }
    })
    child.stdin.end(JSON.stringify(event))
  })

export const Trimtab = async ({ client, directory }) => ({
  "tool.execute.after": async (input, output) => {
    try {
      if (typeof output?.output !== "string") return
      const path = { id: input.sessionID }
      const [session, messages] = await Promise.all([client.session.get({ path }), client.session.messages({ path })])
      if (!session.data || !messages.data) return
      const { tool, sessionID, callID, args } = input
      const answer = await ask({
        tool,
        sessionID,
        callID,
        args,
        output: output.output,
        cwd: directory,
        session: { info: session.data, messages: messages.data },
      })
      if (typeof answer?.output === "string") output.output = answer.output
    } catch {
      // The result stays as it is.
    }
  },
})
