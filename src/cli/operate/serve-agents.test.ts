import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Lab } from '../../../lab/lab.ts'
import { startLab } from '../../../lab/start.ts'
import { Stubs } from '../../../test/agent/stub.ts'
import { Site } from '../../../test/cli/daemon.ts'
import { envOfLab, makeClaude, realClaude } from '../../../test/cli/lab-claude.ts'

let stubs: Stubs
let site: Site
let lab: Lab
/** The full bodies of the model calls, by request number. */
let said: Map<number, string>
beforeEach(async () => {
  stubs = new Stubs()
  site = new Site(stubs.folder)
  said = new Map()
  lab = await startLab({
    answer: ({ number, body }) => {
      said.set(number, JSON.stringify(body.messages))
      return 'All tests pass.'
    },
  })
})
afterEach(async () => {
  await site.close()
  await lab.close()
})

const HOUR_MS = 3_600_000
/** The calls that got a full answer and contain these words. */
const answered = (words: string) =>
  lab.requests
    .filter(({ asked, fault }) => asked === 'messages' && fault === undefined)
    .map(({ number }) => said.get(number) ?? '')
    .filter(messages => messages.includes(words))
const refused = () => lab.requests.filter(({ fault }) => fault === 'usage_limit')

/** A provider that the lab plays. */
const provider = (id: string, program: string) => `[[provider]]
id = "${id}"
cli = "claude"
command = ${JSON.stringify(program)}
models = [{ id = "claude-lab-1" }]
env = ${envOfLab(lab.url)}
`

describe.each([
  { name: 'Claude Code', program: () => realClaude as string, isThere: realClaude !== undefined },
  { name: 'a stand-in for Claude Code', program: () => makeClaude(stubs), isThere: true },
])('$name that meets its usage limit', ({ program, isThere }) => {
  it.skipIf(!isThere)(
    'is queued and held, and its session resumes after the reset, for one answer',
    async () => {
      site.configure(`${provider('claude', program())}
[[capability]]
name = "ask"
agent = { prompt = "another question" }
provider = "claude"
[[capability]]
name = "ping"
argv = ["echo", "pong"]
retry = "none"
`)
      // The limit is reached after the agent used a tool; the vendor lifts it in three hours.
      lab.inject([{ fault: 'tool_loop' }, { after: 1, fault: 'usage_limit', times: 'always' }])
      const daemon = await site.serveWithClock()
      const started = Date.now()
      const handedOver = await site.run(
        'run',
        '--queue',
        '--budget',
        '1m',
        '--provider',
        'claude',
        '--',
        'fix it',
      )
      expect(handedOver).toMatchObject({ code: 75, stdout: 'op_1\n' })
      expect(handedOver.stderr).toContain('Not done yet: it is queued and runs again automatically at ')
      await daemon.event('provider_blocked')
      const waiting = await site.json('ops', 'show', 'op_1')
      expect(waiting).toMatchObject({
        state: 'scheduled',
        mode: 'resume',
        agent_session: expect.any(String),
        remaining_retries: 5,
        history: [{ failure: { class: 'throttle', kind: 'usage_limit', effect: 'none', did: 'read' } }],
      })
      const dueAt = Date.parse(waiting.due_at as string)
      expect(dueAt).toBeGreaterThanOrEqual(started + 3 * HOUR_MS)
      // While the provider is blocked, operations that need it are held and not tried.
      const asked = (await site.run('submit', 'ask')).stdout.trim()
      expect(await site.json('ops', 'show', asked)).toMatchObject({ state: 'scheduled', held_by: 'claude' })
      expect(refused()).toHaveLength(1)

      // Not a minute earlier, although the daemon runs other work meanwhile.
      daemon.advance(3 * HOUR_MS - 120_000)
      expect(await site.run('submit', 'ping', '--wait')).toMatchObject({ stdout: 'pong\n' })
      expect(await site.json('ops', 'show', 'op_1')).toMatchObject({ state: 'scheduled', run: 1 })
      expect(refused()).toHaveLength(1)
      lab.clear()
      daemon.advance(240_000)
      await daemon.event('succeeded', 'op_1')
      expect(await site.run('ops', 'wait', 'op_1')).toMatchObject({ code: 0, stdout: 'All tests pass.\n' })
      const session = waiting.agent_session
      expect(await site.json('ops', 'show', 'op_1')).toMatchObject({
        state: 'succeeded',
        agent_session: session,
        retries: 0,
        snoozes: 1,
        history: [{ session_id: session, failure: { kind: 'usage_limit' } }, { session_id: session }],
      })
      // One session: the answered call includes the task and the tool use from before the limit.
      const [last, ...others] = answered('fix it')
      expect(others).toEqual([])
      expect(last).toContain(lab.requests[0]?.answer.body.match(/toolu_\w+/)?.[0])
      expect(last).toContain('tool_result')
      expect(last).toContain('You were interrupted')

      await daemon.event('succeeded', asked)
      expect(answered('another question')).toHaveLength(1)
      expect(refused()).toHaveLength(1)
    },
  )
})

describe('a provider limit that one process met', () => {
  let other: Lab
  beforeEach(async () => {
    other = await startLab({ answer: 'the other one did it' })
    const program = makeClaude(stubs)
    site.configure(`${provider('first', program)}${provider('second', program).replace(lab.url, other.url)}
[[pool]]
id = "both"
providers = ["first", "second"]
[[capability]]
name = "ask"
agent = { prompt = "go" }
pool = "both"
[[capability]]
name = "ask-first"
agent = { prompt = "go" }
provider = "first"
`)
    lab.inject({ fault: 'usage_limit', times: 'always' })
  })
  afterEach(() => other.close())

  it('keeps the daemon from calling the provider in the next run', async () => {
    const daemon = await site.serve()
    // The daemon has used both providers, so it knows the health of each.
    lab.clear()
    expect(await site.run('submit', 'ask', '--wait')).toMatchObject({ stdout: 'All tests pass.\n' })
    lab.inject({ fault: 'usage_limit', times: 'always' })
    expect((await site.run('run', '--provider', 'first', '--', 'x')).code).toBe(75)
    expect(await site.run('submit', 'ask', '--wait')).toMatchObject({
      code: 0,
      stdout: 'the other one did it\n',
    })
    expect(refused()).toHaveLength(1)
    expect(other.requests).toHaveLength(1)
    await daemon.event('provider_blocked')
  })

  it('keeps a command from calling the provider if the daemon met it', async () => {
    const daemon = await site.serve()
    await site.run('submit', 'ask-first')
    await daemon.event('provider_blocked')
    expect(await site.run('run', '--pool', 'both', '--', 'x')).toMatchObject({
      code: 0,
      stdout: 'the other one did it\n',
    })
    expect(refused()).toHaveLength(1)
    expect(other.requests).toHaveLength(1)
  })
})
