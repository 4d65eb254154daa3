import { spawn } from "node:child_process"

const command = COMMAND

const ask = (event) =>
  new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout: MILLISECONDS })
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
