// Written by `trimtab hook opencode --install`. `trimtab hook opencode --uninstall` removes this file.
// It gives each tool result to Trimtab before the model sees it. If anything fails, the result stays as it is.
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
