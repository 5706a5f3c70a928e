import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { proposedIn, type Scene } from './scene.ts'

const SERVER = fileURLToPath(new URL('./throttled-server.ts', import.meta.url))

/** How long the tool refuses, from its first call, in seconds. */
const THROTTLED_S = 60

const MOST_LOOKS = 20

/** An agent calls a wrapped tool that is throttled for a minute, does other work, and asks until the result is there. */
export const WRAP_SCENE: Scene = {
  server: 'tracker',
  tools: ['create_issue', 'list_labels', 'mulligan_result'],
  prompt: 'create an issue',
  result: 'created issue 1',
  prepare: folder => [
    ...['mcp', 'wrap', '--name', 'tracker', '--wait', '2s', '--atomic', 'create_issue'],
    ...['--data', join(folder, 'data'), '--', process.execPath, SERVER, folder, `${THROTTLED_S}`],
  ],
  script: own => results => {
    const [first = '', , , ...looks] = results
    if (results.length === 0) return { tool: 'create_issue', input: { title: 'Broken link' } }
    const id = /op_\d+/.exec(first)?.[0]
    if (id === undefined) return { say: `It was not queued: ${first}` }
    // The limit holds for the one tool.
    if (results.length === 1) return { tool: 'list_labels', input: {} }
    if (results.length === 2) return own
    if (looks.at(-1)?.includes('created issue 1')) return { say: 'In the end: created issue 1' }
    if (looks.length > MOST_LOOKS) return { say: 'It did not come.' }
    return { tool: 'mulligan_result', input: { operation_id: id, ...proposedIn(looks.at(-1) ?? '') } }
  },
  seen: folder => {
    const file = join(folder, 'seen')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  },
}
