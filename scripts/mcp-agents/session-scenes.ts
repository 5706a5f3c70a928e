import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../src/process/run.ts'
import { proposedIn } from './scene.ts'
import type { Script } from './scripted-model.ts'
import { type Session, session } from './session.ts'

const SERVER = fileURLToPath(new URL('./throttled-server.ts', import.meta.url))
const TOOLS = ['create_issue', 'list_labels', 'mulligan_result']
const MOST_LOOKS = 8

/** Who plays a scene, and where. */
export interface Stage {
  name: string
  bin: string
  /** Words that start Mulligan. */
  command: readonly string[]
  isWrapped: boolean
  folder: string
}

/** Scenes of one or two sessions; each gives a line about how it went. */
export const SESSION_SCENES: Record<string, (stage: Stage) => Promise<string>> = {
  'two sessions': async stage => {
    const first = await play(stage, 30, results =>
      results.length === 0
        ? { tool: 'create_issue', input: { title: 'Broken link' } }
        : { say: 'I leave it at that.' },
    )
    const id = /op_\d+/.exec(first.calls[0]?.answer ?? '')?.[0]
    const told = stage.isWrapped ? await noticesOf(stage) : 0
    const second = await play(stage, 30, results => {
      const last = results.at(-1) ?? ''
      if (last.includes('created issue')) return { say: 'It is there: created issue' }
      if (!stage.isWrapped || results.length > MOST_LOOKS) return { say: 'It is not there.' }
      if (results.length === 0) return { tool: 'mulligan_result', input: {} }
      const known = /op_\d+/.exec(results[0] ?? '')?.[0] ?? id
      return { tool: 'mulligan_result', input: { operation_id: known, ...proposedIn(last) } }
    })
    const created = linesOf(stage, 'seen').filter(line => line.includes('took effect')).length
    const isThere = second.calls.some(({ answer }) => answer.includes('created issue'))
    return `queued ${id ?? 'nothing'}, notices ${told}, second session ${isThere ? 'has the result' : 'has no result'} after ${second.calls.length} calls, issues created ${created}, ${ended(first)}, ${ended(second)}`
  },
  'slow start (14 s)': async stage => {
    writeFileSync(join(stage.folder, 'slow'), '14000')
    const call: Script = results =>
      results.length === 0 ? { tool: 'list_labels', input: {} } : { say: `labels: ${results[0]}` }
    const first = await play(stage, 0, call)
    const starts = linesOf(stage, 'starts').length
    const second = await play(stage, 0, call)
    return `first session ${labels(first)} with ${starts} start(s), second ${labels(second)}, ${ended(first)}, ${ended(second)}`
  },
  'dead server': async stage => {
    const once: Script = results =>
      results.length === 0 ? { tool: 'list_labels', input: {} } : { say: `labels: ${results[0]}` }
    await play(stage, 0, once)
    const dead = join(stage.folder, 'dead')
    writeFileSync(dead, '')
    const second = await play(stage, 0, results => {
      const last = results.at(-1) ?? ''
      if (last.includes('bug, docs')) return { say: `labels: ${last}` }
      if (results.length > MOST_LOOKS) return { say: 'It did not come.' }
      if (results.length === 0) return { tool: 'list_labels', input: {} }
      // Somebody repairs it while the agent works.
      rmSync(dead, { force: true })
      const id = /op_\d+/.exec(results[0] ?? '')?.[0]
      if (id === undefined) return { tool: 'list_labels', input: {} }
      return { tool: 'mulligan_result', input: { operation_id: id, ...proposedIn(last) } }
    })
    return `${labels(second)} after ${second.calls.length} calls, ${ended(second)}; first answer: ${(second.calls[0]?.answer ?? 'the tool was not offered').slice(0, 160)}`
  },
}

function play(
  { name, bin, command, isWrapped, folder }: Stage,
  seconds: number,
  script: Script,
): Promise<Session> {
  const server = [process.execPath, SERVER, folder, `${seconds}`]
  const wrap = [...command, 'mcp', 'wrap', '--name', 'tracker', '--atomic', 'create_issue']
  const argv = isWrapped ? [...wrap, '--data', join(folder, 'data'), '--', ...server] : server
  return session(name, bin, folder, { server: 'tracker', tools: TOOLS, prompt: 'do it', argv }, () => script)
}

/** How many notices are in any inbox. */
async function noticesOf({ command, folder }: Stage): Promise<number> {
  const argv = [...command, 'notices', 'ls', '--json', '--data', join(folder, 'data')]
  const { stdout } = await run({
    argv: argv as unknown as [string, ...string[]],
    cwd: folder,
    env: { ...process.env, HOME: join(folder, 'home') },
  })
  return stdout.match(/"notice_\d+"/g)?.length ?? 0
}

function linesOf({ folder }: Stage, file: string): string[] {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

function labels({ calls }: Session): string {
  return calls.some(({ answer }) => answer.includes('bug, docs')) ? 'has the labels' : 'has NO labels'
}

function ended({ result, ms }: Session): string {
  return `exit ${result.exitCode} after ${Math.round(ms / 1_000)} s`
}
