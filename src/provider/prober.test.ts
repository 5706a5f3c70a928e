import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { call } from '../call/call.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { isGroupAlive } from '../process/guard.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { Choice } from './gate.ts'
import { isAnswer, type ProbeSettings } from './probe.ts'
import { withoutCall } from './without-call.ts'

const NONE: ReadonlySet<string> = new Set()
const error = (status: number, message: string) => Object.assign(new Error(message), { status })

/** A health whose provider failed with this, and has this probe. */
function broken(probe: ProbeSettings, failures: unknown[], time = new FakeTime()) {
  const health = new Health({ time, providers: [{ id: 'a', probe }] })
  const choose = () => health.choose({ pool: ['a'], tried: NONE, triesLeft: 3 }) as Choice
  for (const input of failures) {
    const failure = classify(input, { provider: 'a', now: time.now() }) as Failure
    choose().permit?.failed(failure, defaultPolicy.health(failure, withoutCall(time.now())))
  }
  return { health, time, choose }
}

const OVERLOADS = Array.from({ length: 5 }, () => error(529, 'overloaded'))
const node = (script: string): ProbeSettings => ({ command: [process.execPath, '-e', script] })

describe('an answer', () => {
  it.each<[string, unknown, boolean]>([
    ['nothing', '', false],
    ['blanks', '   \n\t ', false],
    ['only the beginning', '{"type":"step_start","timestamp":1779536017463,"sessionID":"ses_x"}', false],
    ['a beginning and a text', '{"type":"step_start","x":1}\n{"type":"text","text":"pong"}\n', true],
    ['a beginning and an end', '{"type":"step_start","x":1}\n{"type":"step_finish","reason":"stop"}\n', true],
    ['only how claude begins', '{"type":"system","subtype":"init"}\n', false],
    ['a word', 'hello world\n', true],
    ['undefined', undefined, false],
    ['null', null, false],
    ['no', false, false],
    ['an object', { id: 'msg_1' }, true],
  ])('is recognised or not: %s', (_title, value, expected) => {
    expect(isAnswer(value)).toBe(expected)
  })
})

describe('a probe', () => {
  it('of a command that prints an answer ends blocks that wait to be cleared', async () => {
    const { health, choose } = broken(node('console.log("pong")'), [error(401, 'invalid x-api-key')])
    expect(choose().permit).toBeUndefined()
    const result = await health.probe('a')
    expect(result).toMatchObject({ provider: 'a', outcome: 'answered' })
    expect(choose().permit).toBeDefined()
  })

  it('needs an answer: exit code 0 alone is not enough', async () => {
    const { health, choose } = broken(node('0'), [error(401, 'invalid x-api-key')])
    expect(await health.probe('a')).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'eof', message: 'the probe ended without an answer' },
    })
    expect(choose().permit).toBeUndefined()
  })

  it('that fails counts like a failed call', async () => {
    const { health } = broken(node('console.error("Error: 529 overloaded_error"); process.exit(1)'), [])
    for (let i = 0; i < 4; i++) expect((await health.probe('a')).outcome).toBe('failed')
    expect((await health.status())[0]?.breaker).toMatchObject({ state: 'closed', failures: 4 })
    await health.probe('a')
    expect((await health.status())[0]?.breaker.state).toBe('open')
  })

  it.each<[string, ProbeSettings]>([
    ['that is unknown', { run: () => ({ exitCode: 1, stdout: '', stderr: 'nope' }) }],
    ['that is of the request', { run: () => Promise.reject(error(400, 'invalid request: bad field')) }],
    [
      'with no wait at all',
      {
        run: () =>
          Promise.reject(Object.assign(error(429, 'slow down'), { headers: { 'retry-after': '0' } })),
      },
    ],
  ])(
    'that fails with something %s opens the breaker again, instead of being asked again at once',
    async (_title, probe) => {
      let asked = 0
      const run: ProbeSettings['run'] = context => {
        // An endless loop of promises would keep the test's own timeout from firing.
        if (++asked > 9) throw error(529, 'asked again and again')
        return probe.run?.(context)
      }
      const { health, time } = broken({ run }, OVERLOADS)
      await time.advance(31_000)
      void health.choose({ pool: ['a'], tried: NONE })
      await time.advance(400)
      expect(asked).toBe(1)
      await time.advance(10_000)
      expect(asked).toBeLessThan(6)
      expect((await health.status())[0]?.breaker.state).toBe('open')
    },
  )

  it.each(['open', 'half_open'])(
    'that hangs does not cost a call its tries, while the breaker is %s',
    async state => {
      const { health, time } = broken({ run: () => new Promise(() => {}) }, OVERLOADS)
      if (state === 'half_open') await time.advance(31_000)
      expect((await health.status())[0]?.breaker.state).toBe(state)
      const answer = call(() => 'answered', { health, time, provider: 'a', budgetMs: 14_000 })
      await time.advance(14_000)
      expect(await answer).toMatchObject({ value: 'answered' })
    },
  )

  it('that cannot be made because of our setup leaves it to a call to find out', async () => {
    let asked = 0
    const run = () => {
      if (++asked > 9) throw error(529, 'asked again and again')
      throw Object.assign(new Error('spawn pinger ENOENT'), { code: 'ENOENT', syscall: 'spawn pinger' })
    }
    const { health, time } = broken({ run }, OVERLOADS)
    await time.advance(31_000)
    const choice = await time.until(Promise.resolve(health.choose({ pool: ['a'], tried: NONE })), 10_000)
    expect(asked).toBe(1)
    choice.permit?.succeeded()
    expect((await health.status())[0]?.breaker.state).toBe('closed')
  })

  it('that finds a login refused blocks it', async () => {
    const probe = { run: () => Promise.reject(error(401, 'authentication failed')) }
    const { health } = broken(probe, [])
    expect(await health.probe('a')).toMatchObject({ outcome: 'failed', failure: { kind: 'auth' } })
    expect((await health.status())[0]?.blocks).toMatchObject([{ scope: { provider: 'a' } }])
  })

  it('that cannot be run says nothing about the provider', async () => {
    const { health, choose } = broken({ command: ['/nowhere/claude', '--version'] }, [])
    for (let i = 0; i < 6; i++)
      expect(await health.probe('a')).toMatchObject({
        outcome: 'environment',
        failure: { kind: 'binary_not_found' },
      })
    expect(choose().permit).toBeDefined()
  })

  it('that hangs is ended with all its processes', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mulligan-probe-')), 'pid')
    const script = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1e9)`
    const time = new FakeTime()
    const health = new Health({
      time,
      providers: [{ id: 'a', probe: { command: [process.execPath, '-e', script], timeoutMs: 60_000 } }],
    })
    const probing = health.probe('a')
    // The clock does not move until the program runs.
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await time.advance(0)
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isGroupAlive(pid)).toBe(true)
    await time.advance(60_000)
    expect(await probing).toMatchObject({ outcome: 'failed', failure: { class: 'timeout' } })
    expect(isGroupAlive(pid)).toBe(false)
    rmSync(dirname(file), { recursive: true })
  })

  it('of a function that ignores its signal is not waited for beyond its time limit', async () => {
    const { health, time } = broken({ run: () => new Promise(() => {}), timeoutMs: 2_000 }, [])
    const result = await time.until(health.probe('a'))
    expect(result).toMatchObject({ outcome: 'failed', durationMs: 2_000, failure: { class: 'timeout' } })
    expect(time.pending).toBe(0)
  })

  it('that is aborted counts for nothing', async () => {
    const controller = new AbortController()
    const { health } = broken({ run: () => new Promise(() => {}) }, [])
    const result = health.probe('a', controller.signal)
    controller.abort()
    expect(await result).toMatchObject({ outcome: 'environment', failure: { class: 'aborted' } })
    expect((await health.status())[0]?.breaker.failures).toBe(0)
  })

  it('is skipped while a breaker is open, a block has an end, the provider is paused, or it has no probe', async () => {
    let asked = 0
    const probe = { run: () => ++asked }
    const open = broken(probe, OVERLOADS)
    expect(await open.health.probe('a')).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('its breaker is open'),
    })
    const limited = broken(probe, [Object.assign(error(429, 'slow'), { headers: { 'retry-after': '60' } })])
    expect((await limited.health.probe('a')).outcome).toBe('skipped')
    const paused = broken(probe, [error(401, 'invalid x-api-key')])
    await paused.health.pause('a')
    expect((await paused.health.probe('a')).outcome).toBe('skipped')
    expect(await paused.health.probe('nobody')).toMatchObject({ outcome: 'skipped' })
    expect(asked).toBe(0)
  })

  it('finds out whether a provider is back, so no call is spent on it', async () => {
    let isBack = false
    const probe = { run: () => (isBack ? 'pong' : Promise.reject(error(503, 'unavailable'))) }
    const { health, time, choose } = broken(probe, OVERLOADS)
    await time.advance(30_000)
    const behind = Promise.resolve(choose())
    await time.advance(20_000)
    isBack = true
    const admitted = await time.until(behind)
    expect(admitted.permit?.provider).toBe('a')
    expect(time.monotonic()).toBeLessThan(56_000)
    expect((await health.status())[0]?.breaker.state).toBe('closed')
  })

  it('runs once for any number of callers', async () => {
    let asked = 0
    const { health } = broken({ run: async () => ++asked }, [])
    const results = await Promise.all([health.probe('a'), health.probe('a'), health.probeAll()])
    expect(asked).toBe(1)
    expect(results[0]).toBe(results[1])
  })
})
