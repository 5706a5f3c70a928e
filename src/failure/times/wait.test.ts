import { afterEach, describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const now = Date.parse('2026-10-05T14:00:00Z')

function waitOf(input: unknown, context: object = { now }) {
  const failure = classify(input, context)
  return failure?.retryAfterMs
}

const answer = (headers: Record<string, string>, body: unknown = '') => ({ status: 429, headers, body })

describe('a wait in headers', () => {
  it.each([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'Retry-After': 'Mon, 05 Oct 2026 14:00:40 GMT' }, 40_000],
    [{ 'retry-after-ms': '40', 'retry-after': '1' }, 40],
    [{ 'retry-after': 'Monday, 05-Oct-26 14:00:40 GMT' }, 40_000],
    [{ 'retry-after': 'Mon Oct  5 14:00:40 2026' }, 40_000],
    [{ 'retry-after': '2026-10-05T16:00:40+02:00' }, 40_000],
    [{ 'x-ms-retry-after-ms': '1500' }, 1_500],
    [{ 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-remaining-requests': '0' }, 360_000],
    [{ 'x-ratelimit-reset': '1791208860', 'x-ratelimit-remaining': '0' }, 60_000],
    [{ 'x-ratelimit-reset': '1791208860000' }, 60_000],
    [{ 'x-ratelimit-reset': '45' }, 45_000],
    [{ 'x-ratelimit-reset-after': '1.25' }, 1_250],
    [
      {
        'anthropic-ratelimit-requests-reset': '2026-10-05T14:00:07Z',
        'anthropic-ratelimit-requests-remaining': '0',
      },
      7_000,
    ],
    [
      { 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': '1791212400' },
      3_600_000,
    ],
    [{ ratelimit: '"api";r=0;t=55' }, 55_000],
    [{ 'x-codex-primary-used-percent': '100', 'x-codex-primary-reset-at': '1791208900' }, 100_000],
  ])('is read from %j', (headers, ms) => {
    expect(waitOf(answer(headers))).toBe(ms)
  })

  it('is ignored if the bucket has quota left', () => {
    expect(
      waitOf(answer({ 'x-ratelimit-reset': '1791208860', 'x-ratelimit-remaining': '14' })),
    ).toBeUndefined()
  })

  it('takes Retry-After over resets of other buckets', () => {
    expect(waitOf(answer({ 'retry-after': '2', 'x-ratelimit-reset-tokens': '7.66s' }))).toBe(2_000)
  })

  it('is ignored for a date without now, in the past, or beyond 35 days', () => {
    expect(waitOf(answer({ 'retry-after': 'Mon, 05 Oct 2026 14:00:40 GMT' }), {})).toBeUndefined()
    expect(waitOf(answer({ 'retry-after': 'Mon, 05 Oct 2026 13:00:00 GMT' }))).toBeUndefined()
    expect(waitOf(answer({ 'retry-after': String(36 * 86_400) }))).toBeUndefined()
  })
})

describe('a date without a zone', () => {
  const before = process.env.TZ
  afterEach(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })

  it.each(['UTC', 'Asia/Tokyo', 'America/New_York'])(
    'does not depend on the zone of the machine: %s',
    zone => {
      process.env.TZ = zone
      const at = (value: string, context: object = { now }) =>
        waitOf(answer({ 'retry-after': value }), context)
      expect(at('Mon Oct  5 14:00:40 2026')).toBe(40_000)
      expect(at('Mon, 05 Oct 2026 14:00:40')).toBeUndefined()
      expect(at('Mon, 05 Oct 2026 16:00:40', { now, timeZone: 'Europe/Berlin' })).toBe(40_000)
      expect(at('2026-10-05T14:00:40')).toBeUndefined()
      expect(at('2026-10-05 16:00:40', { now, timeZone: 'Europe/Berlin' })).toBe(40_000)
      expect(waitOf(answer({ 'x-ratelimit-reset': '2026-10-05T14:00:40' }))).toBeUndefined()
      expect(waitOf(answer({}, { error: { message: 'x', reset_at: '2026-10-05 14:00:40' } }))).toBeUndefined()
      expect(waitOf(answer({}, { error: { message: 'x', reset_at: '2026-10-05T14:00:40Z' } }))).toBe(40_000)
    },
  )
})

describe('a wait of several tries', () => {
  it('is the last one', () => {
    const tries = [5, 30].map(seconds =>
      Object.assign(new Error('429'), { status: 429, headers: { 'retry-after': String(seconds) } }),
    )
    expect(waitOf(new AggregateError(tries, 'gave up'))).toBe(30_000)
    const bodies = [5, 30].map(retry_after => ({ code: 'rate_limit_exceeded', retry_after }))
    expect(waitOf({ name: 'E', message: 'gave up', errors: bodies })).toBe(30_000)
    const said = [5, 30].map(seconds => new Error(`rate limit, try again in ${seconds}s`))
    expect(waitOf(new AggregateError(said, 'gave up'))).toBe(30_000)
  })
})

describe('a reset without a sign that its bucket is empty', () => {
  it('counts for throttles only', () => {
    const headers = { 'x-ratelimit-reset': '1791208860' }
    expect(waitOf({ status: 429, headers, body: '' })).toBe(60_000)
    expect(waitOf({ status: 503, headers, body: '' })).toBeUndefined()
  })
})

describe('a wait in a body', () => {
  it.each([
    [
      {
        error: {
          code: 429,
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }],
        },
      },
      34_070,
    ],
    [
      { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 35 } },
      35_000,
    ],
    [{ error: { type: 'usage_limit_reached', resets_at: 1791208860 } }, 60_000],
    [
      {
        error: {
          message: 'x',
          metadata: { headers: { 'X-RateLimit-Reset': '1791208860000', 'X-RateLimit-Remaining': '0' } },
        },
      },
      60_000,
    ],
    [{ error: { message: 'All at capacity', availability: { retry_after: 40 } } }, 40_000],
  ])('is read from %j', (body, ms) => {
    expect(waitOf(answer({}, body))).toBe(ms)
  })
})

describe('a wait in a text', () => {
  it.each([
    ['Rate limit reached. Please try again in 7.5s.', 7_500],
    ['Please retry in 34.07s', 34_070],
    ['Your quota will reset after 2h10m4s.', 7_804_000],
    ['Your rate limit resets in ~30s.', 30_000],
    ['Too Many Requests: retry after 1746', 1_746_000],
    ['rate limited, retry-after: 60', 60_000],
    ['rate limit: please wait 45 seconds before trying again', 45_000],
    ["You've hit your limit · resets 4:50pm (Europe/London)", 6_600_000],
    ['usage limit reached|1791208860', 60_000],
    ['rate limit, try again in an hour', 3_600_000],
    ['rate limit, try again in half an hour', 1_800_000],
    ['rate limit, try again in one minute.', 60_000],
    ['rate limit, retry after 1,000 seconds', 1_000_000],
    ['rate limit. The model is available at 2026-10-05T14:00:30Z.', 30_000],
    ['rate limit, retry after 5 seconds\nrate limit, retry after 30 seconds', 30_000],
    ["You've hit your usage limit. Try again at Oct 5th, 2026 2:30 PM (UTC)", 1_800_000],
  ])('is read from %j', (text, ms) => {
    expect(waitOf(text)).toBe(ms)
  })

  it.each([
    'API Error (429 rate limit) · Retrying in 4 seconds… (attempt 2/10)',
    'rate limited; retrying 1/5 in 210ms…',
    'Rate limit exceeded. Please wait a few minutes before you try again.',
    "You've hit your limit · resets 4:50pm",
  ])('is none in %j', text => {
    expect(waitOf(text)).toBeUndefined()
  })

  it('sets both fields with now, and only the duration without', () => {
    expect(classify('rate limit, try again in 10s', { now })).toMatchObject({
      retryAfterMs: 10_000,
      resetAt: now + 10_000,
    })
    expect(classify('rate limit, try again in 10s')).toMatchObject({ retryAfterMs: 10_000 })
    expect(classify('rate limit, try again in 10s')).not.toHaveProperty('resetAt')
  })
})

describe('a reset stated to the minute', () => {
  const run = (resetsAt: number) => ({
    exitCode: 1,
    stdout: [
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt },
        session_id: 's',
        uuid: 'u',
      },
      {
        type: 'result',
        subtype: 'success',
        is_error: true,
        api_error_status: 429,
        result: "You've hit your 5-hour limit · resets 5pm (UTC)",
        session_id: 's',
        total_cost_usd: 0.1,
      },
    ]
      .map(line => JSON.stringify(line))
      .join('\n'),
    stderr: '',
  })
  const fivePm = Date.parse('2026-10-05T17:00:00Z')

  it.each([
    ['counts to the second where an event of the run says it', 41, 41],
    ['stays where an event says another one', 600, 0],
    ['stays where an event says an earlier one', -1, 0],
  ])('%s', (_name, saidSeconds, countsSeconds) => {
    const failure = classify(run(fivePm / 1_000 + saidSeconds), { now, provider: 'claude' })
    expect(failure).toMatchObject({ kind: 'usage_limit', resetAt: fivePm + countsSeconds * 1_000 })
  })

  it.each([
    ['counts to the second within that minute too', 48, 48],
    ['is the end of that minute where no event says it', undefined, 60],
  ])('%s', (_name, saidSeconds, countsSeconds) => {
    const { stdout, ...rest } = run(fivePm / 1_000 + (saidSeconds ?? 0))
    const lines = saidSeconds === undefined ? stdout.split('\n').slice(1).join('\n') : stdout
    const failure = classify({ ...rest, stdout: lines }, { now: fivePm + 4_000, provider: 'claude' })
    expect(failure).toMatchObject({ kind: 'usage_limit', resetAt: fivePm + countsSeconds * 1_000 })
  })
})
