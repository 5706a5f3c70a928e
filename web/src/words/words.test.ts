import { describe, expect, it } from 'vitest'
import { nextStepFor } from '../../../src/provider/next-step.ts'
import type { Attempt, LedgerEvent, Operation, Overview, Provider } from '../api/answers.ts'
import { pageOfChange } from './change.ts'
import { cronInWords } from './cron.ts'
import { countOfNeeds, needsOf } from './needs.ts'
import { bodyOf } from './notice-body.ts'
import { titleInWords } from './notice-title.ts'
import { outagesInWords, outagesOf, pacedOf } from './outages.ts'
import { changesOf, paramsInWords } from './params.ts'
import { segmentsOf, widthsOf } from './segments.ts'
import { sentence } from './sentence.ts'
import { stateSentence } from './state-sentence.ts'
import { distanceInWords, lengthInWords } from './time.ts'
import { piecesOfSamples } from './varying.ts'
import { visibleText } from './visible.ts'
import { whyInWords } from './why.ts'

const NOW = Date.parse('2026-11-17T12:00:00Z')
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()

describe('lengths and distances', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [9_800, '9.8 s'],
    [59_000, '59 s'],
    [67_000, '1 min 7 s'],
    [600_000, '10 min'],
    [7_500_000, '2 h 5 min'],
    [3 * 86_400_000, '3 d'],
  ])('%d ms are %s', (ms, words) => {
    expect(lengthInWords(ms)).toBe(words)
  })

  it('say which side of now they are on', () => {
    expect(distanceInWords(NOW + 5_000, NOW)).toBe('in 5 s')
    expect(distanceInWords(NOW - 180_000, NOW)).toBe('3 min ago')
    expect(distanceInWords(NOW + 400, NOW)).toBe('now')
  })
})

const provider = (id: string, more: Partial<Provider> = {}): Provider => ({
  id,
  quota: id,
  admits: true,
  breaker: { state: 'closed', failures: 0, probe_in_flight: false },
  model_breakers: [],
  login_refused: false,
  blocks: [],
  paced: [],
  level: 'within',
  windows: [],
  has_probe: false,
  ...more,
})

const overview = (more: Partial<Overview['status']> = {}, rest: Partial<Overview> = {}): Overview => ({
  at: at(0),
  status: {
    retry_queue: { queued: 0 },
    due: 0,
    held: 0,
    running: 0,
    parked: { total: 0, for: {} },
    succeeded: 0,
    dead: 0,
    dead_as: {},
    paused: { queue: false, capabilities: [], providers: [] },
    providers: [],
    runners: [{ id: 'r', capabilities: [], started_at: at(0), seen_at: at(0), running: [] }],
    schedules: [],
    proxy: null,
    spent_today: [],
    data: '/tmp',
    ...more,
  },
  agenda: { from: at(0), step_ms: 1, overdue: 0, due: [], later: 0, held: {}, waiting: {} },
  unknowns: [],
  questions: [],
  notices: { to_act_on: 0, causes: [], more_causes: 0, failed_runs: [] },
  last_event: 0,
  ...rest,
})

describe('the sentence of state', () => {
  it('says which providers can serve, until when others wait, what waits for them, and what needs a person', () => {
    const providers = [
      provider('claude', { admits: false, until: at(7200) }),
      provider('codex'),
      provider('gemini'),
    ]
    const said = stateSentence(
      overview(
        { providers, running: 2, parked: { total: 1, for: { parameters: 1 } } },
        {
          agenda: {
            from: at(0),
            step_ms: 1,
            overdue: 0,
            due: [],
            later: 0,
            held: { claude: 10 },
            waiting: { claude: 2 },
          },
        },
      ),
      NOW,
    )
    expect(said).toMatch(
      /^2 of 3 providers can serve; claude cannot serve until .*; 12 operations wait for it; 2 running; 1 thing needs you\.$/,
    )
  })

  it('names three providers that cannot serve, and counts the rest', () => {
    const providers = ['a', 'b', 'c', 'd', 'e'].map(id => provider(id, { admits: false, until: at(60) }))
    const said = stateSentence(overview({ providers }), NOW)
    expect(said).toMatch(
      /^None of 5 providers can serve; a cannot serve until [^,;]*, b until [^,;]*, c until [^,;]*; 2 more cannot serve;/,
    )
  })

  it('counts what waits for several providers once, after naming them', () => {
    const providers = [
      provider('a', { admits: false, until: at(60) }),
      provider('b', { admits: false, login_refused: true, until: at(60) }),
    ]
    const agenda = {
      from: at(0),
      step_ms: 1,
      overdue: 0,
      due: [],
      later: 0,
      held: { a: 3 },
      waiting: { b: 1 },
    }
    expect(stateSentence(overview({ providers }, { agenda }), NOW)).toMatch(
      /^None of 2 providers can serve; a cannot serve until [^;]*; b's login is refused; 4 operations wait for them;/,
    )
  })

  it('is short when all is well', () => {
    expect(stateSentence(overview({ providers: [provider('codex')] }), NOW)).toBe(
      'codex can serve; nothing waits; nothing needs you.',
    )
  })

  it('distinguishes a provider that waits for a person from a paused one', () => {
    const providers = [
      provider('a', { admits: false, login_refused: true }),
      provider('b', { admits: false, paused: { at: at(0) } }),
    ]
    const said = stateSentence(overview({ providers }), NOW)
    expect(said).toContain("a's login is refused; b is paused")
    expect(said).toContain('1 thing needs you')
  })

  it('does not count a provider among those that serve while its login is refused, even if a call may test it', () => {
    const providers = [provider('a', { login_refused: true }), provider('b')]
    expect(stateSentence(overview({ providers }), NOW)).toMatch(
      /^1 of 2 providers can serve; a's login is refused/,
    )
  })

  it('says until when a provider is paused, if it is not for good', () => {
    const paused = provider('a', { admits: false, paused: { at: at(0), until: at(3600) } })
    expect(stateSentence(overview({ providers: [paused, provider('b')] }), NOW)).toMatch(
      /^1 of 2 providers can serve; a is paused until \d/,
    )
  })

  it('counts the questions that wait in the proxy, and names nobody by the mark of a key', () => {
    const own = provider('anthropic~7b919687', { admits: false, until: at(1_200) })
    const proxy = { url: 'http://127.0.0.1:1', holds: 2 }
    const said = stateSentence(overview({ providers: [own, provider('anthropic')], proxy }), NOW)
    expect(said).toMatch(
      /^1 of 2 providers can serve; anthropic \(a caller's own key\) cannot serve until [^;]+; 2 questions wait in the proxy; nothing needs you\.$/,
    )
    const refused = provider('anthropic~7b919687', { admits: false, login_refused: true })
    expect(needsOf(overview({ providers: [refused] }))[0]).toMatchObject({
      title: "anthropic (a caller's own key) is refused",
      detail: expect.stringContaining("reset 'anthropic~7b919687'"),
    })
  })

  it('does not count surfaces for notices among the providers', () => {
    const providers = [provider('a'), provider('b'), provider('surface:chat', { admits: false })]
    expect(stateSentence(overview({ providers }), NOW)).toMatch(/^Both providers can serve; nothing waits/)
  })
})

describe('needs', () => {
  it('are what a person must do, each with a link', () => {
    const needs = needsOf(
      overview(
        {
          runners: [],
          retry_queue: { queued: 3 },
          parked: { total: 4, for: { secret: 1, label: 3 } },
          paused: { queue: true, capabilities: [], providers: [] },
        },
        {
          unknowns: [{ fingerprint: 'fp1:a', count: 5, parked: 3, last_seen_at: at(0), message: 'odd' }],
          questions: [{ run: 'wf_1', workflow: 'release', step: 'ok', question: 'Go?' }],
          notices: {
            to_act_on: 2,
            causes: [
              {
                notice: 'notice_9',
                event: 'dead',
                title: 'crunch failed too often',
                count: 61,
                at: at(0),
                operation: 'op_2',
                dead_as: 'exhausted',
                message: 'connect ECONNREFUSED',
                filter: { state: ['dead'], capability: ['crunch'], fingerprint: 'fp2:1' },
              },
              {
                notice: 'notice_8',
                event: 'dead',
                title: 'pay may have taken effect, and that cannot be checked',
                count: 3,
                at: at(0),
                operation: 'op_1',
                dead_as: 'unverifiable',
                filter: { state: ['dead'], capability: ['pay'], as: 'unverifiable' },
              },
            ],
            more_causes: 0,
            failed_runs: [{ run: 'wf_2', workflow: 'nightly', reason: 'build failed', at: at(0) }],
          },
        },
      ),
    )
    expect(needs.map(({ key }) => key)).toEqual([
      'no_runner',
      'paused',
      'unknown:fp1:a:',
      'question:wf_1:ok',
      'parked:secret',
      'failed:wf_2',
      'cause:notice_9',
      'cause:notice_8',
    ])
    expect(needs.map(({ href }) => href)).toContain('/unknowns/fp1%3Aa')
    // Operations that wait now, not all that ever waited.
    expect(needs[2]?.detail).toBe('Seen 5 times. 3 operations wait for your label.')
    const [crunch, pay] = needs.slice(-2)
    expect(crunch).toMatchObject({
      title: '61 operations died: crunch failed too often',
      message: 'connect ECONNREFUSED',
      retry: { fingerprint: 'fp2:1' },
      href: `/operations?q=${encodeURIComponent('state:dead capability:crunch fingerprint:fp2:1')}`,
    })
    // Each of these needs a look of its own.
    expect(pay?.retry).toBeUndefined()
    expect(pay?.href).toContain(encodeURIComponent('as:unverifiable'))
  })

  it('for a login or a payment name the next step that every other place names', () => {
    const billing = [{ failure: { kind: 'billing' } }]
    const providers = [provider('a', { login_refused: true }), provider('b', { blocks: billing } as never)]
    expect(needsOf(overview({ providers })).map(({ detail }) => detail.trim())).toEqual([
      nextStepFor('login', 'a'),
      nextStepFor('payment', 'b'),
    ])
  })

  it('are listed up to a limit, and counted beyond it', () => {
    const unknowns = ['a', 'b', 'c', 'd', 'e'].map(name => ({
      fingerprint: `fp1:${name}`,
      count: 1,
      parked: 0,
      last_seen_at: at(0),
      message: name,
    }))
    const many = overview({}, { unknowns })
    expect(needsOf(many).at(-1)).toMatchObject({ title: '2 more unknown failures', href: '/unknowns' })
    expect(needsOf(many)).toHaveLength(4)
    expect(countOfNeeds(many)).toBe(5)
  })

  it('are empty when everything continues automatically', () => {
    expect(needsOf(overview({ retry_queue: { queued: 3 }, running: 1 }))).toEqual([])
  })
})

describe('the life of an operation', () => {
  const event = (
    type: LedgerEvent['type'],
    second: number,
    more: Partial<LedgerEvent> = {},
  ): LedgerEvent => ({
    id: second,
    at: at(second),
    type,
    ...more,
  })
  const attempt: Attempt = { number: 1, run: 1, started_at: at(1), ended_at: at(2) }

  it('is periods without gaps: runs, and the waits between them', () => {
    const segments = segmentsOf(
      [
        event('submitted', 0),
        event('claimed', 1, { run: 1 }),
        event('retrying', 3, { run: 1, data: { class: 'transient', reason: 'overloaded' } }),
        event('provider_blocked', 5, { data: { provider: 'p' } }),
        event('claimed', 9, { run: 2 }),
        event('succeeded', 10, { run: 2 }),
      ],
      ['p'],
      [attempt],
      NOW + 60_000,
    )
    expect(segments.map(({ what, from, to }) => [what, (from - NOW) / 1000, (to - NOW) / 1000])).toEqual([
      ['queued', 0, 1],
      ['run', 1, 3],
      ['retry', 3, 5],
      ['held', 5, 9],
      ['run', 9, 10],
    ])
    expect(segments[1]).toMatchObject({ class: 'transient', attempts: [attempt], run: 1 })
    expect(segments[2]).toMatchObject({ class: 'transient', reason: 'overloaded' })
  })

  it('lasts until now while it has not ended', () => {
    const segments = segmentsOf([event('submitted', 0), event('parked', 1)], [], [], NOW + 9_000)
    expect(segments.at(-1)).toMatchObject({ what: 'parked', to: NOW + 9_000, isOpen: true })
  })

  it.each([
    [['p'], ['paused:p', 'resumed:p'], ['queued', 'held', 'queued']],
    [['p'], ['provider_freed:p'], ['held', 'queued']],
    [['p', 'q'], ['paused:p'], ['queued']],
    [['p', 'q'], ['provider_freed:p'], ['queued']],
    [
      ['p', 'q'],
      ['paused:p', 'provider_blocked:q', 'resumed:p'],
      ['queued', 'held', 'queued'],
    ],
  ])('shows what held an operation of %j: %j', (providers, changes, whats) => {
    const events = changes.map((change, n) => {
      const [type, provider] = change.split(':') as ['paused', string]
      return event(type, n + 1, { data: { provider } })
    })
    const segments = segmentsOf([event('submitted', 0), ...events], providers, [], NOW + 9_000)
    expect(segments.map(({ what }) => what)).toEqual(whats)
  })

  it('shows the hold by a provider that was closed before it was submitted', () => {
    const whats = (events: LedgerEvent[], providers: string[]) =>
      segmentsOf(events, providers, [], NOW + 9_000, true).map(({ what }) => what)
    expect(whats([event('submitted', 0)], ['p'])).toEqual(['held'])
    const closed = event('provider_blocked', 4, { data: { provider: 'q' } })
    expect(whats([event('submitted', 0), closed], ['p', 'q'])).toEqual(['queued', 'held'])
  })

  it('is drawn so that short periods are visible beside long ones', () => {
    const widths = widthsOf([50, 3_600_000])
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(1)
    expect(widths[0]).toBeGreaterThan(0.01)
    expect(widths[1]).toBeGreaterThan(widths[0] as number)
  })
})

describe('why an operation is in its state', () => {
  const operation = (more: Partial<Operation>): Operation => ({
    id: 'op_1',
    capability: 'a',
    state: 'scheduled',
    params: {},
    providers: [],
    priority: 0,
    source: 'submit',
    created_at: at(-60),
    updated_at: at(0),
    run: 1,
    attempts: 1,
    retries: 1,
    remaining_retries: 4,
    waits: 0,
    snoozes: 0,
    retrying_ms: 0,
    snoozed_ms: 0,
    cost_usd: 0,
    ...more,
  })

  it.each([
    [{ due_at: at(30) }, /^Runs again automatically at .*, in 30 s\. 4 retries left\.$/],
    [{ due_at: at(-1), attempts: 0 }, /^Due; waiting for a free runner\.$/],
    [{ due_at: at(-1), held_by: 'claude' }, /^Held until claude can serve/],
    [{ due_at: at(30), mode: 'resume' }, /^Continues its session/],
    [
      { state: 'parked', parked_for: 'label' },
      /until a person labels its failure\. Then it runs again, waits or ends/,
    ],
    [{ state: 'running', started_at: at(-5), cancel_requested: true }, /^A cancel was requested/],
    [{ state: 'succeeded', ended_at: at(0) }, /^Succeeded after 1 try, 1 min after/],
    [{ state: 'dead', dead_as: 'exhausted' }, /^Stopped: no retries are left\. It is not retried/],
    [{ state: 'dead', dead_as: 'unverifiable' }, /^Stopped: cannot be verified\./],
  ] as [Partial<Operation>, RegExp][])('%o', (more, words) => {
    expect(whyInWords(operation(more), NOW)).toMatch(words)
  })

  it('says until when its provider cannot serve, if that is known', () => {
    expect(whyInWords(operation({ due_at: at(-1), held_by: 'claude' }), NOW, at(60))).toMatch(
      /^Held until claude can serve, at .*\d; then|^Held until claude can serve, at .*M; then/,
    )
  })
})

describe('samples', () => {
  it('mark what varies between them, and numbers that all share', () => {
    const varying = (samples: string[]) =>
      piecesOfSamples(samples).map(pieces =>
        pieces
          .filter(({ isVarying }) => isVarying)
          .map(({ text }) => text.trim())
          .join('|'),
      )
    expect(varying(['desk 4: seat is taken by ann', 'desk 9: seat is taken by bob'])).toEqual([
      '4|ann',
      '9|bob',
    ])
    expect(varying(['seat 12 of /var/run/x is taken'])).toEqual(['12|/var/run/x'])
    const texts = piecesOfSamples(['a  b\nc', 'a x c'])
    expect(texts.map(pieces => pieces.map(({ text }) => text).join(''))).toEqual(['a  b\nc', 'a x c'])
  })
})

describe('a provider that was paced', () => {
  const span = { from: 0, to: 350, stepMs: 100 }

  it('is shown where calls were refused for their rate, except in an outage', () => {
    expect(pacedOf([1, 2, 0, 3], span, [])).toEqual([
      { from: 0, to: 200 },
      { from: 300, to: 350 },
    ])
    expect(pacedOf([1, 2, 0, 3], span, [{ from: 120, to: 350 }])).toEqual([{ from: 0, to: 100 }])
    expect(pacedOf([0, 0, 0, 0], span, [])).toEqual([])
  })

  it('is shown where calls waited for their turn, and not as one that could not serve', () => {
    const at = (ms: number) => new Date(ms).toISOString()
    const changes = [
      { at: at(230), type: 'provider_freed' as const },
      {
        at: at(220),
        type: 'provider_blocked' as const,
        data: {
          class: 'throttle',
          cause: 'limit',
          reason: 'calls go one after another: slow down',
          paced: true,
        },
      },
    ]
    expect(pacedOf([], span, [], changes)).toEqual([{ from: 200, to: 300 }])
    expect(outagesOf(changes, 0, 350)).toEqual([])
  })

  it('is said in words', () => {
    expect(outagesInWords([], [], 0, 3_600_000)).toBe('could serve for all of the last 1 h')
    expect(outagesInWords([{ from: 0, to: 60_000 }], [{ from: 60_000, to: 90_000 }], 0, 3_600_000)).toBe(
      'in the last 1 h: could not serve for 1 min (1 outage); was paced for 30 s',
    )
  })
})

describe('a cron expression', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['30 2 * * *', 'At 02:30, every day'],
    ['0 3 * * MON-FRI', 'At 03:00, Monday through Friday'],
    ['0 9 1 * *', 'At 09:00, on day 1 of the month'],
    ['0 3 * * 9', undefined],
    ['nonsense', undefined],
  ])('%s is %s', (cron, words) => {
    expect(cronInWords(cron, true)).toBe(words)
  })

  it("tells its hours as the viewer's clock does", () => {
    expect(cronInWords('30 14 * * *', false)).toBe('At 02:30 PM, every day')
  })
})

describe('the body of a notice', () => {
  it('separates ids and commands from what happened', () => {
    expect(bodyOf('wf_2\nit failed\nDetails: mulligan workflow show wf_2')).toEqual({
      run: 'wf_2',
      lines: ['it failed'],
      more: ['Details: mulligan workflow show wf_2'],
      isMore: false,
    })
    expect(bodyOf('op_1\na\nb\nc\nd')).toEqual({ lines: ['a', 'b', 'c'], more: ['d'], isMore: true })
    // Text from outside that looks like an id is not one.
    expect(bodyOf('wf_2 is mine')).toEqual({ lines: ['wf_2 is mine'], more: [], isMore: false })
  })
})

it('retries first what may succeed as things are, and says what else helps', () => {
  const causeOf = (dead_as: 'exhausted' | 'refused' | 'stopped' | 'unverifiable', count: number) => ({
    notice: `notice_${dead_as}`,
    event: 'dead' as const,
    title: 'pay failed',
    at: at(0),
    count,
    operation: 'op_1',
    dead_as,
    filter: { state: ['dead' as const], capability: ['pay'] },
  })
  const causes = [
    causeOf('exhausted', 1),
    causeOf('refused', 2),
    causeOf('stopped', 1),
    causeOf('unverifiable', 1),
  ]
  const needs = needsOf(overview({}, { notices: { to_act_on: 4, causes, more_causes: 0, failed_runs: [] } }))
  expect(
    needs.map(({ retry, isRetryLikely, detail }) => [retry !== undefined, isRetryLikely, detail]),
  ).toEqual([
    [true, true, 'It is not retried automatically.'],
    [true, false, 'They would be refused again: fix the cause, then retry them.'],
    [true, false, 'A limit that you set stopped it: raise the limit, then retry it.'],
    [false, undefined, 'Check whether it happened, then mark it as done or run it again.'],
  ])
})

describe('outages of a provider', () => {
  const change = (second: number, type: LedgerEvent['type'], data: Record<string, unknown> = {}) => ({
    at: at(second),
    type,
    data,
  })

  it('last from a block to its end, within the period shown', () => {
    const changes = [
      change(50, 'paused', { reason: 'invoice unpaid' }),
      change(40, 'provider_freed'),
      change(30, 'provider_blocked', { class: 'throttle', cause: 'limit' }),
      change(20, 'provider_freed'),
      change(-10, 'provider_blocked', { class: 'transient', cause: 'breaker' }),
    ]
    expect(outagesOf(changes, NOW, NOW + 60_000)).toEqual([
      { from: NOW, to: NOW + 20_000, class: 'transient' },
      { from: NOW + 30_000, to: NOW + 40_000, class: 'throttle' },
      { from: NOW + 50_000, to: NOW + 60_000, reason: 'invoice unpaid' },
    ])
  })
})

it('shows a refused login as one outage until something is served, also while a call may test it', () => {
  const change = (second: number, type: LedgerEvent['type'], data: Record<string, unknown> = {}) => ({
    at: at(second),
    type,
    data,
  })
  const refused = { class: 'permanent', cause: 'login' }
  const changes = [
    change(300, 'provider_freed'),
    change(240, 'provider_blocked', refused),
    change(30, 'provider_freed'),
    change(0, 'provider_blocked', refused),
  ]
  const outage = { from: NOW, class: 'permanent' }
  expect(outagesOf(changes, NOW, NOW + 400_000, true)).toEqual([{ ...outage, to: NOW + 400_000 }])
  // After a reset.
  expect(outagesOf(changes, NOW, NOW + 400_000)).toEqual([{ ...outage, to: NOW + 300_000 }])
  const served = [change(310, 'provider_served', { by: 'success' }), ...changes]
  expect(outagesOf(served, NOW, NOW + 400_000)).toEqual([{ ...outage, to: NOW + 300_000 }])
})

it('counts eight parallel refusals, and tries that fail after each wait, as one outage', () => {
  const change = (second: number, type: LedgerEvent['type'], data: Record<string, unknown> = {}) => ({
    at: at(second),
    type,
    data,
  })
  const blocked = { class: 'transient', cause: 'breaker' }
  const changes = [
    change(1_000, 'provider_freed'),
    change(900, 'provider_blocked', blocked),
    change(50, 'provider_served', { by: 'success' }),
    change(41, 'provider_freed'),
    ...[31, 21, 11].flatMap(second => [
      change(second, 'provider_blocked', blocked),
      change(second - 1, 'provider_freed'),
    ]),
    ...Array.from({ length: 8 }, () => change(1, 'provider_blocked', blocked)),
  ]
  expect(outagesOf(changes, NOW, NOW + 2_000_000)).toEqual([
    { from: NOW + 1_000, to: NOW + 41_000, class: 'transient' },
    { from: NOW + 900_000, to: NOW + 1_000_000, class: 'transient' },
  ])
})

it("shows the times in a notice's title in the viewer's time zone", () => {
  const time = (iso: string) =>
    new Date(iso).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  const title = 'claude is at its limit until 21:30 UTC; 2 operations wait for it'
  expect(titleInWords(title, NOW)).toBe(title.replace('21:30 UTC', time('2026-11-17T21:30:00Z')))
  expect(titleInWords('codex is at its limit until 2026-11-19 06:30 UTC', NOW)).toMatch(
    new RegExp(`^codex is at its limit until .*19.*${time('2026-11-19T06:30:00Z')}$`),
  )
  expect(titleInWords('says 99:99 UTC', NOW)).toBe('says 99:99 UTC')
})

it('begins a message as a sentence, unless it begins with an id', () => {
  expect(sentence('there is no operation "op_9"')).toBe('There is no operation "op_9"')
  expect(sentence('op_9 may happen twice')).toBe('op_9 may happen twice')
})

it('shows parameters on one line', () => {
  expect(paramsInWords({ branch: 'main\n', n: 3, deep: { a: 1 } })).toBe(
    'branch: main · n: 3 · deep: {"a":1}',
  )
  expect(paramsInWords({ text: 'x'.repeat(500) })).toHaveLength(161)
  expect(paramsInWords({})).toBe('')
})

describe('edited parameters', () => {
  it('are sent only if changed, so a hidden secret stays the same', () => {
    const before = { branch: 'main', token: '***REDACTED***', deep: { a: 1 } }
    const text = '{"branch":"next","token":"***REDACTED***","deep":{"a":1},"added":2}'
    expect(changesOf(before, text)).toEqual({ branch: 'next', added: 2 })
  })

  it.each([
    ['{', 'This is not JSON'],
    ['[]', 'Parameters are a JSON object'],
    ['{}', 'branch is missing; a parameter can be changed, not removed'],
  ])('%s is refused, with what would be right', (text, words) => {
    expect(() => changesOf({ branch: 'main' }, text)).toThrow(words)
  })
})

it('writes out invisible characters', () => {
  expect(visibleText('a\u202eb\u001b[31m\u200bc\td\n')).toBe('a\\u202eb\\u001b[31m\\u200bc\td\n')
})

describe('a change in the audit', () => {
  it.each([
    ['retryOperation', 'op_1a', '/operations/op_1a'],
    ['advanceStep', 'wf_3 approve', '/workflows/wf_3'],
    ['setLabel', 'fp1:ab/c', '/unknowns/fp1%3Aab%2Fc'],
    ['providers pause', 'claude', '/providers/claude'],
    ['retryOperations', 'state:dead class:throttle', undefined],
    ['resetProvider', '2 providers', undefined],
  ])('%s of %s leads to %s', (action, subject, page) => {
    expect(pageOfChange(action, subject)).toBe(page)
  })
})
