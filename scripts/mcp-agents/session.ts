import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ProcessResult, run } from '../../src/process/run.ts'
import { AGENTS, type AgentSettings } from './agents.ts'
import { type Script, ScriptedModel } from './scripted-model.ts'

/** How one session of a client went. */
export interface Session {
  result: ProcessResult
  /** Everything it printed, of which a client may show only the end. */
  printed: string
  /** Calls of tools, by their whole name, each with its answer. */
  calls: readonly { tool: string; answer: string }[]
  ms: number
}

/** Longest duration of a session, in milliseconds. */
const LONGEST_MS = 240_000

/**
 * Runs a client once, with a model that follows a script.
 * @param bin folder of the clients' programs
 * @param folder the client works here; its home is in it
 */
export async function session(
  name: string,
  bin: string,
  folder: string,
  settings: Omit<AgentSettings, 'url'>,
  scriptFor: (own: ReturnType<(typeof AGENTS)[string]>['own']) => Script,
): Promise<Session> {
  let heard: readonly string[] = []
  let script: Script = () => ({ say: 'not yet' })
  const model = new ScriptedModel(results => {
    // Requests for a title have no results.
    if (results.length > heard.length) heard = results
    return script(results)
  })
  const url = await model.start()
  const agent = (AGENTS[name] as (typeof AGENTS)[string])({ ...settings, url })
  script = scriptFor(agent.own)
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  for (const [path, text] of Object.entries(agent.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const began = performance.now()
  const result = await run({
    argv: agent.argv as [string, ...string[]],
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: home, TMPDIR: folder, LANG: 'C.UTF-8', ...agent.env },
    timeoutMs: LONGEST_MS,
  })
  model.stop()
  return {
    result,
    printed: `${result.stdout}\n${result.stderr}`,
    calls: model.calls.map((tool, at) => ({ tool: tool.replace('\u001f', '.'), answer: heard[at] ?? '' })),
    ms: performance.now() - began,
  }
}
