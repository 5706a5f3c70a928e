import { describe, expect, it } from 'vitest'
import { type Vector, vectorsOf } from '../../test/vectors.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import type { Unknown } from '../ledger/unknown.ts'
import { escalationOf } from './escalation.ts'

const AT = Date.parse('2026-11-16T20:00:00Z')

function unknown(text: string, more: Partial<Unknown> = {}): Unknown {
  const failure = classify(text, { provider: 'kimi-for-coding', model: 'k2p5', now: AT }) as Failure
  return {
    fingerprint: failure.fingerprint,
    provider: 'kimi-for-coding',
    count: 2,
    outcomes: { parked: 1, failover: 0, ended: 1 },
    firstSeenAt: AT - 1_000,
    lastSeenAt: AT,
    models: ['k2p5'],
    samples: [{ at: AT, failure }],
    ...more,
  }
}

describe('an escalation', () => {
  it('names provider and model, and ends with the command that labels it', () => {
    const notice = escalationOf({ unknowns: [unknown('weird failure')], waiting: 3, event: 4, at: AT })
    expect(notice).toMatchObject({
      type: 'unknown',
      disposition: 'actionable',
      priority: 'high',
      provider: 'kimi-for-coding',
      expiresAt: AT + 30 * 86_400_000,
    })
    expect(notice.title).toBe('Unknown failure of kimi-for-coding/k2p5: weird failure')
    expect(notice.body).toContain('3 operations wait for it.')
    expect(notice.body).toContain('kimi-for-coding/k2p5: seen 2 times')
    expect(notice.body).toContain(`mulligan unknowns label ${notice.fingerprint} CLASS`)
  })

  it('says when it was seen: once, or first and last', () => {
    const bodyFor = (count: number) =>
      escalationOf({ unknowns: [unknown('weird failure', { count })], waiting: 0, at: AT }).body
    expect(bodyFor(1)).toMatch(/: seen once, at 2026-11-16T20:00:00(?:\.000)?Z\n/)
    expect(bodyFor(2)).toMatch(/: seen 2 times, first 2026-11-16T19:59:59\S+, last 2026-11-16T20:00:00\S+\n/)
  })

  it('promises nothing to operations if none waits for the label', () => {
    const bodyFor = (waiting: number) =>
      escalationOf({ unknowns: [unknown('weird failure')], waiting, at: AT }).body
    expect(bodyFor(1)).toContain('everything that waits for it is decided by the label')
    expect(bodyFor(0)).toContain('Label it, and the next such failure is recognised:')
    expect(bodyFor(0)).not.toContain('everything that waits')
  })

  it('is the same notice forever, no matter which provider the failure comes from next', () => {
    const keys = ['a', 'b'].map(
      provider =>
        escalationOf({ unknowns: [unknown('weird failure', { provider })], waiting: 0, at: AT }).key,
    )
    expect(new Set(keys).size).toBe(1)
  })

  it.each([1, 3, 40])('has at most 4,000 characters, the command among them: %i long samples', samples => {
    const long = unknown(`odd thing ${'word \u{1f600} '.repeat(3_000)}`)
    const unknowns = [{ ...long, samples: Array.from({ length: samples }, () => long.samples[0] as never) }]
    const { body, title } = escalationOf({ unknowns, waiting: 1, at: AT })
    expect(body.length).toBeLessThanOrEqual(4_000)
    expect(title.length).toBeLessThanOrEqual(160)
    expect(body).toContain('mulligan unknowns label')
    expect(body.isWellFormed() && title.isWellFormed()).toBe(true)
  })

  it('shows no secret of a sample', () => {
    const { body, title } = escalationOf({
      unknowns: [unknown('weird token=ghp_abcdefghijklmnopqrstuvwxyz0123456789 thing')],
      waiting: 0,
      at: AT,
    })
    expect(`${title}\n${body}`).not.toContain('ghp_abc')
  })

  const vectors = vectorsOf('terraphim', 'escalation').filter(({ input }) => 'times' in input)
  it.runIf(vectors.length > 0).each(vectors as Vector[])(
    'says what it said before: $id',
    ({ input, expected }) => {
      const {
        provider,
        model,
        stderr_lines: lines,
      } = input as {
        provider: string
        model: string
        stderr_lines: string[]
      }
      const of = unknown(lines.join('\n'), { provider, models: [model] })
      const { title, body } = escalationOf({ unknowns: [of], waiting: 0, at: AT })
      expect(title).toContain(String(expected.title).split(' on ')[1])
      expect(body).toContain(lines[0])
      expect(body.length).toBeLessThanOrEqual(expected.body_stderr_max_chars as number)
    },
  )
})
