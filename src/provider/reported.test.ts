import { describe, expect, it } from 'vitest'
import { reportedIn } from './reported.ts'

const now = Date.UTC(2026, 0, 1)
const seconds = (ms: number) => (now + ms) / 1_000

describe('what a vendor says about its windows', () => {
  it('is read from the headers of OpenAI and compatible APIs', () => {
    const headers = new Headers({
      'x-ratelimit-limit-requests': '100',
      'x-ratelimit-remaining-requests': '15',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '29000',
      'x-ratelimit-reset-tokens': '12ms',
    })
    expect(reportedIn(new Response('{}', { headers }), now)).toEqual([
      {
        use: {
          window: 'requests',
          unit: 'requests',
          used: 85,
          limit: 100,
          level: 'near',
          source: 'reported',
          until: now + 360_000,
        },
        isOfQuota: false,
      },
      {
        use: {
          window: 'tokens',
          unit: 'tokens',
          used: 1_000,
          limit: 30_000,
          level: 'within',
          source: 'reported',
          until: now + 12,
        },
        isOfQuota: false,
      },
    ])
  })

  it("is read from Anthropic's headers, plan windows included", () => {
    const found = reportedIn(
      {
        headers: {
          'anthropic-ratelimit-input-tokens-limit': '1000',
          'anthropic-ratelimit-input-tokens-remaining': '0',
          'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30Z',
          'anthropic-ratelimit-unified-status': 'allowed_warning',
          'anthropic-ratelimit-unified-5h-utilization': '0.83',
          'anthropic-ratelimit-unified-5h-reset': String(seconds(3_600_000)),
          'anthropic-ratelimit-unified-7d-utilization': '0.2',
        },
      },
      now,
    )
    expect(found.map(({ use, isOfQuota }) => [use.window, use.level, use.until, isOfQuota])).toEqual([
      ['input-tokens', 'exhausted', now + 30_000, false],
      ['5h', 'near', now + 3_600_000, true],
      ['7d', 'within', undefined, true],
    ])
  })

  it('is read from the codex route, GitHub and a bare list of headers', () => {
    const codex = {
      'x-codex-primary-used-percent': '91',
      'x-codex-primary-reset-at': String(seconds(60_000)),
    }
    expect(reportedIn({ response: { headers: codex } }, now)[0]?.use).toMatchObject({
      window: 'primary',
      level: 'near',
      until: now + 60_000,
    })
    const github = {
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(seconds(900_000)),
    }
    expect(reportedIn(github, now)[0]?.use).toMatchObject({ level: 'exhausted', until: now + 900_000 })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['allowed', { status: 'allowed' }, 'within'],
    ['a warning', { status: 'allowed_warning' }, 'near'],
    ['refused', { status: 'rejected' }, 'exhausted'],
    ['refused, but paid beyond the plan', { status: 'rejected', overageStatus: 'allowed' }, 'near'],
  ])('is read from a claude event: %s', (_title, info, level) => {
    const event = {
      type: 'rate_limit_event',
      rate_limit_info: { ...info, resetsAt: seconds(7_200_000), rateLimitType: 'five_hour' },
    }
    const expected = { window: 'five_hour', level, until: now + 7_200_000 }
    expect(reportedIn(event, now)[0]?.use).toMatchObject(expected)
    const stdout = `{"type":"system"}\n${JSON.stringify(event)}\n{"type":"rate_limit_event", cut`
    expect(reportedIn({ exitCode: 0, stdout, stderr: '' }, now).map(({ use }) => use.level)).toEqual([level])
  })

  it('about one model family does not apply to the whole quota', () => {
    const event = {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', rateLimitType: 'seven_day_opus' },
    }
    expect(reportedIn(event, now)[0]?.isOfQuota).toBe(false)
  })

  it.each([
    undefined,
    null,
    'x-ratelimit-remaining-requests: 0',
    {},
    { headers: {} },
    { headers: { 'x-ratelimit-remaining-requests': '5' } },
    { headers: { 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-limit-requests': '0' } },
    { headers: { 'x-ratelimit-remaining-requests': 'many', 'x-ratelimit-limit-requests': '10' } },
    { type: 'rate_limit_event' },
    { stdout: 'talks about a rate_limit_event' },
  ])('is empty if nothing is said: %j', input => {
    expect(reportedIn(input, now)).toEqual([])
  })
})
