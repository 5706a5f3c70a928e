import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scene } from './scene.ts'

const CONFIG = `
[queue]
budget = "1s"

[[capability]]
name = "limited"
description = "Refused with a rate limit for a while"
argv = ["sh", "limited.sh"]
retry = "replay"
`

/** Refuses until 15 seconds after the first try. */
const LIMITED = `[ -f first ] || date +%s > first
if [ $(($(date +%s) - $(cat first))) -lt 15 ]; then
  echo "429 Too Many Requests, retry after 15 seconds" >&2
  exit 1
fi
echo the long awaited result
`

const MOST_LOOKS = 20

/** An agent runs a capability that is throttled, does other work, and looks into its inbox until the result is there. */
export const QUEUE_SCENE: Scene = {
  server: 'mulligan',
  tools: ['run', 'capabilities', 'inbox', 'operations'],
  prompt: 'run limited',
  result: 'the long awaited result',
  prepare: folder => {
    const config = join(folder, 'mulligan.toml')
    writeFileSync(config, CONFIG)
    writeFileSync(join(folder, 'limited.sh'), LIMITED)
    return ['mcp', '--config', config, '--data', join(folder, 'data')]
  },
  script: () => results => {
    const last = results.at(-1) ?? ''
    const id = /op_\d+/.exec(results[0] ?? '')?.[0] ?? 'op_1'
    if (results.length === 0) return { tool: 'run', input: { capability: 'limited' } }
    if (results.length === 1) return { tool: 'capabilities', input: { query: 'limited' } }
    if (last.includes('notices') && last.includes('the long awaited result'))
      return { say: 'In my inbox: the long awaited result' }
    if (results.length > MOST_LOOKS) return { say: 'It did not come.' }
    // Waiting by id only lets time pass; the inbox is what counts.
    if (results.length % 2 === 0) return { tool: 'inbox', input: {} }
    return { tool: 'operations', input: { id, wait_ms: 5_000 } }
  },
}
