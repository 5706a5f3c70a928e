import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { installClis } from '../lab-matrix/install.ts'
import { AGENTS } from './agents.ts'
import { QUEUE_SCENE } from './queue-scene.ts'
import { session } from './session.ts'
import { SESSION_SCENES } from './session-scenes.ts'
import { WRAP_SCENE } from './wrap-scene.ts'

// Real MCP clients with a model that follows a script; prints what each client did.
//
//   node scripts/mcp-agents/mcp-agents.ts [--wrap | --sessions] [claude|codex|opencode|gemini …]
//
// An agent calls something that is throttled for a while, does other work, and asks until the result is there: a capability of
// `mulligan mcp`, for 15 seconds; with --wrap a tool of a wrapped server, for a minute. With --sessions: two sessions of which the
// first queues a call, a server that starts slowly, and one that is dead, each with and without Mulligan.

const LONGEST_LINE = 240

const { values, positionals } = parseArgs({
  options: { wrap: { type: 'boolean', default: false }, sessions: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const names = positionals.length > 0 ? positionals : Object.keys(AGENTS)
const bin = await installClis(
  resolve(process.env.LAB_CLIS ?? '.cache/lab-clis'),
  line => console.log(line),
  names as never,
)
const command = [process.execPath, resolve(import.meta.dirname, '../../bin/mulligan.js')]
for (const name of names) {
  const newFolder = () => mkdtempSync(join(tmpdir(), `mulligan-agent-${name}-`))
  if (values.sessions) {
    for (const [title, play] of Object.entries(SESSION_SCENES))
      for (const isWrapped of [false, true])
        console.log(
          `${name}: ${title}, ${isWrapped ? 'wrapped' : 'direct'}: ${await play({ name, bin, command, isWrapped, folder: newFolder() })}`,
        )
    continue
  }
  const folder = newFolder()
  const scene = values.wrap ? WRAP_SCENE : QUEUE_SCENE
  const { server, tools, prompt } = scene
  const argv = [...command, ...scene.prepare(folder)]
  const { result, calls, ms } = await session(
    name,
    bin,
    folder,
    { server, tools, prompt, argv },
    scene.script,
  )
  const isThere = `${result.stdout}`.includes(scene.result)
  console.log(
    `${name}: exit ${result.exitCode}, ${Math.round(ms / 1000)} s, ${isThere ? 'has the result' : 'has NOT the result'}`,
  )
  for (const { tool, answer } of calls) console.log(`  ${tool} → ${answer.slice(0, LONGEST_LINE)}`)
  for (const line of scene.seen?.(folder) ?? []) console.log(`  server: ${line}`)
  if (!isThere) console.log(`  ${result.stdout.slice(-1500)}\n  ${result.stderr.slice(-1500)}`)
}
