import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '../../src/process/run.ts'
import { installClis } from '../lab-matrix/install.ts'
import { AGENTS } from './agents.ts'
import { QUEUE_SCENE } from './queue-scene.ts'
import { ScriptedModel } from './scripted-model.ts'
import { WRAP_SCENE } from './wrap-scene.ts'

// An agent calls something that is throttled for a while, does other work, and asks until the result is there: with the real
// clients and a model that follows a script. Prints what each client did. With --wrap a tool of a wrapped server is throttled
// for a minute; else a capability of `mulligan mcp`, for 15 seconds.
//
//   node scripts/mcp-agents/mcp-agents.ts [--wrap] [claude|codex|opencode …]

const LONGEST_LINE = 240

const { values, positionals } = parseArgs({
  options: { wrap: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const scene = values.wrap ? WRAP_SCENE : QUEUE_SCENE
const names = positionals.length > 0 ? positionals : Object.keys(AGENTS)
const bin = await installClis(
  resolve(process.env.LAB_CLIS ?? '.cache/lab-clis'),
  line => console.log(line),
  names as never,
)
for (const name of names) {
  const folder = mkdtempSync(join(tmpdir(), `mulligan-agent-${name}-`))
  mkdirSync(join(folder, 'home'))
  const command = resolve(import.meta.dirname, '../../bin/mulligan.js')
  let heard: readonly string[] = []
  const model = new ScriptedModel(results => {
    // Requests for a title have no results.
    if (results.length > heard.length) heard = results
    return script(results)
  })
  const url = await model.start()
  const { server, tools, prompt } = scene
  const { argv, env, own } = (AGENTS[name] as (typeof AGENTS)[string])({
    url,
    server,
    tools,
    prompt,
    argv: [process.execPath, command, ...scene.prepare(folder)],
  })
  const script = scene.script(own)
  const began = performance.now()
  const result = await run({
    argv: argv as [string, ...string[]],
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: join(folder, 'home'), TMPDIR: folder, ...env },
    timeoutMs: 180_000,
  })
  model.stop()
  const isThere = `${result.stdout}`.includes(scene.result)
  console.log(
    `${name}: exit ${result.exitCode}, ${Math.round((performance.now() - began) / 1000)} s, ${isThere ? 'has the result' : 'has NOT the result'}`,
  )
  for (const [index, call] of model.calls.entries())
    console.log(`  ${call.replace('\u001f', '.')} → ${(heard[index] ?? '').slice(0, LONGEST_LINE)}`)
  for (const line of scene.seen?.(folder) ?? []) console.log(`  server: ${line}`)
  if (!isThere) console.log(`  ${result.stdout.slice(-1500)}\n  ${result.stderr.slice(-1500)}`)
}
