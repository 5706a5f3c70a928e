import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Stubs } from '../agent/stub.ts'

/** The real Claude Code, if `npm run lab:matrix` has installed it. For tests. */
const REAL = fileURLToPath(new URL('../../.cache/lab-clis/node_modules/.bin/claude', import.meta.url))
export const realClaude = existsSync(REAL) ? REAL : undefined

/** The `env` of a provider's config that points Claude Code at the lab, with a subscription login. */
export function envOfLab(url: string): string {
  const env = {
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_OAUTH_TOKEN: 'lab',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  }
  return `{ ${Object.entries(env)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ')} }`
}

/**
 * Makes a stand-in for Claude Code, for machines without it: it calls the lab, uses the requested tool, keeps and resumes
 * its session in the home folder, and reports refusals in the words of the real one.
 * @returns its path
 */
export function makeClaude(stubs: Stubs): string {
  return stubs.make(
    'claude',
    `const resumed = args.includes('--resume') ? args[args.indexOf('--resume') + 1] : undefined
const session_id = resumed ?? require('node:crypto').randomUUID()
const file = process.env.HOME + '/session-' + session_id + '.json'
const messages = resumed ? JSON.parse(fs.readFileSync(file, 'utf8')) : []
const keep = message => { messages.push(message); fs.writeFileSync(file, JSON.stringify(messages)) }
const tools = [{ name: 'Read', input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] } }]
const ended = (num_turns, rest) =>
  out({ type: 'result', subtype: 'success', session_id, num_turns, total_cost_usd: 0.01 * num_turns, ...rest })
const work = async () => {
  out({ type: 'system', subtype: 'init', session_id, model: 'claude-lab-1' })
  keep({ role: 'user', content: input })
  for (let turns = 1; ; turns++) {
    const body = JSON.stringify({ model: 'claude-lab-1', max_tokens: 64, messages, tools })
    const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body })
    const message = await response.json()
    if (!response.ok) {
      const resetsAt = Number(response.headers.get('anthropic-ratelimit-unified-reset'))
      out({ type: 'rate_limit_event', session_id, rate_limit_info: { status: 'rejected', resetsAt, rateLimitType: 'five_hour' } })
      ended(turns, { is_error: true, api_error_status: response.status, result: "You've hit your 5-hour limit" })
      return 1
    }
    out({ type: 'assistant', session_id, message })
    keep({ role: 'assistant', content: message.content })
    const use = message.content.find(({ type }) => type === 'tool_use')
    if (!use) {
      ended(turns, { is_error: false, result: message.content.map(({ text }) => text).join('') })
      return 0
    }
    const result = { type: 'tool_result', tool_use_id: use.id, content: 'an empty folder' }
    out({ type: 'user', session_id, message: { role: 'user', content: [result] } })
    keep({ role: 'user', content: [result] })
  }
}
work().then(end)`,
  )
}
