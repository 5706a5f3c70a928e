import { describe, expect, it } from 'vitest'
import type { Attempt, LedgerEvent, Operation, Overview, Provider } from '../api/answers.ts'
import { needsOf } from './needs.ts'
import { segmentsOf, widthsOf } from './segments.ts'
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
    runners: [{ id: 'r', capabilities: [], started_at: at(0), seen_at: at(0) }],
    schedules: [],
    data: '/tmp',
    ...more,
  },
  agenda: { from: at(0), step_ms: 1, overdue: 0, due: [], later: 0, held: {}, waiting: {} },
  unknowns: [],
  questions: [],
  last_event: 0,
  ...rest,
})

describe('the sentence of state', () => {
  it('says who can serve, who waits and for how long, what waits for them, and what needs somebody', () => {
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
      /^2 of 3 providers can serve; claude waits until .*, and 12 operations wait for it; 2 running; 1 thing needs you\.$/,
    )
  })

  it('is short when all is well', () => {
    expect(stateSentence(overview({ providers: [provider('codex')] }), NOW)).toBe(
      'codex can serve; nothing waits; nothing needs you.',
    )
  })

  it('tells one that waits for a person, and one that is paused', () => {
    const providers = [
      provider('a', { admits: false, login_refused: true }),
      provider('b', { admits: false, paused: { at: at(0) } }),
    ]
    const said = stateSentence(overview({ providers }), NOW)
    expect(said).toContain('a waits for a person; b is paused')
    expect(said).toContain('1 thing needs you')
  })
})

describe('needs', () => {
  it('are what a person has to do, each with a place to do it', () => {
    const needs = needsOf(
      overview(
        {
          runners: [],
          retry_queue: { queued: 3 },
          parked: { total: 4, for: { secret: 1, label: 3 } },
          paused: { queue: true, capabilities: [], providers: [] },
        },
        {
          unknowns: [
            { fingerprint: 'fp1:a', count: 3, outcomes: { parked: 3 }, last_seen_at: at(0), message: 'odd' },
          ],
          questions: [{ run: 'wf_1', workflow: 'release', step: 'ok', question: 'Go?' }],
        },
      ),
    )
    expect(needs.map(({ key }) => key)).toEqual([
      'no_runner',
      'paused',
      'unknown:fp1:a:',
      'question:wf_1:ok',
      'parked:secret',
    ])
    expect(needs.map(({ href }) => href)).toContain('/unknowns/fp1%3Aa')
  })

  it('are none when everything goes on by itself', () => {
    expect(needsOf(overview({ retry_queue: { queued: 3 }, running: 1 }))).toEqual([])
  })
})

describe('the life of an operation', () => {
  const event = (type: string, second: number, more: Partial<LedgerEvent> = {}): LedgerEvent => ({
    id: second,
    at: at(second),
    type,
    ...more,
  })
  const attempt: Attempt = { number: 1, run: 1, started_at: at(1), ended_at: at(2) }

  it('is stretches without a gap: runs, and what it waited for in between', () => {
    const segments = segmentsOf(
      [
        event('submitted', 0),
        event('claimed', 1, { run: 1 }),
        event('retrying', 3, { run: 1, data: { class: 'transient', reason: 'overloaded' } }),
        event('held', 5),
        event('claimed', 9, { run: 2 }),
        event('succeeded', 10, { run: 2 }),
      ],
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

  it('goes on until now while it has not ended', () => {
    const segments = segmentsOf([event('submitted', 0), event('parked', 1)], [], NOW + 9_000)
    expect(segments.at(-1)).toMatchObject({ what: 'parked', to: NOW + 9_000, isOpen: true })
  })

  it('is drawn so that short stretches can be seen beside long ones', () => {
    const widths = widthsOf([50, 3_600_000])
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(1)
    expect(widths[0]).toBeGreaterThan(0.01)
    expect(widths[1]).toBeGreaterThan(widths[0] as number)
  })
})

describe('why an operation stands where it stands', () => {
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
    [{ due_at: at(30) }, /^Runs again by itself at .*, in 30 s\. 4 retries left\.$/],
    [{ due_at: at(-1), attempts: 0 }, /^Due, and waits for a free runner\.$/],
    [{ due_at: at(-1), held_by: 'claude' }, /^Held until claude can serve/],
    [{ due_at: at(30), mode: 'resume' }, /^Continues its session/],
    [{ state: 'parked', parked_for: 'label' }, /until somebody says what the failure is\. Then it goes on/],
    [{ state: 'running', started_at: at(-5), cancel_requested: true }, /^A cancel was requested/],
    [{ state: 'succeeded', ended_at: at(0) }, /^Succeeded after 1 try, 1 min after/],
    [{ state: 'dead', dead_as: 'exhausted' }, /^Ended as exhausted\. Nothing more happens/],
  ] as [Partial<Operation>, RegExp][])('%o', (more, words) => {
    expect(whyInWords(operation(more), NOW)).toMatch(words)
  })
})

describe('samples', () => {
  it('show what varies between them, and numbers that all have', () => {
    const varying = (samples: string[]) =>
      piecesOfSamples(samples).map(pieces =>
        pieces
          .filter(({ isVarying }) => isVarying)
          .map(({ text }) => text.trim())
          .join('|'),
      )
    expect(varying(['desk 4: seat is taken by ann', 'desk 9: seat is taken by bob'])).toEqual([
      '4:|ann',
      '9:|bob',
    ])
    expect(varying(['seat 12 of /var/run/x is taken'])).toEqual(['12|/var/run/x'])
    const texts = piecesOfSamples(['a  b\nc', 'a x c'])
    expect(texts.map(pieces => pieces.map(({ text }) => text).join(''))).toEqual(['a  b\nc', 'a x c'])
  })
})

it('writes out what could not be seen', () => {
  expect(visibleText('a\u202eb\u001b[31m\u200bc\td\n')).toBe('a\\u202eb\\u001b[31m\\u200bc\td\n')
})
