import { describe, expect, it } from 'vitest'
import { operationSample } from '../../test/notice/samples.ts'
import { type Vector, vectorsOf } from '../../test/vectors.ts'
import { readConfig } from '../config/read.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { NewNotice, Notice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { noticesAboutOperation } from './about-operation.ts'
import { NoticeMaker } from './notice-maker.ts'
import { failedInARow } from './schedule-streak.ts'
import { FAILING_AFTER_SETTING } from './schedule-tidings.ts'
import { preventsEnd } from './session-end.ts'
import { tellingRuleOf } from './telling-rule.ts'
import { isWanted } from './wanted.ts'

/**
 * The system that this one descends from sent messages to sessions: a success as an acknowledgement that starts out
 * resolved, exhaustion as something to act on. The same holds here. Its consent requests and its guess of a disposition
 * from the subject do not: every notice here states its own.
 */
const NOW = Date.parse('2026-05-01T12:00:00Z')

const event = (type: LedgerEvent['type'], data: Record<string, unknown> = {}, run = 2): LedgerEvent => ({
  id: 7,
  at: NOW,
  type,
  operation: 'op_1',
  run,
  data,
})
const only = (notices: readonly NewNotice[]): Notice => {
  expect(notices).toHaveLength(1)
  return { ...(notices[0] as NewNotice), id: 'notice_1', createdAt: NOW }
}
const told = (source: string) =>
  only(
    noticesAboutOperation(
      event('dead', { as: 'exhausted' }),
      operationSample({ source, session: 'test-session-123', state: 'dead', deadAs: 'exhausted' }),
    ),
  )

const { surfaces, scheduleFailsAfter = 0 } = tellingRuleOf(
  readConfig(
    '[policy]\npreset = "work_buddy"\n[[surface]]\nname = "s"\nkind = "desktop"\n',
    undefined,
  ).trust().config,
)
const isQuiet = (notice: Notice, source: string) =>
  !isWanted(surfaces[0] as SurfaceConfig, notice, operationSample({ source }))

/** Queue reasons of that system, as sources of operations here. */
const SOURCES: Record<string, string> = { retry: 'run', deferred_submit: 'submit', scheduled_job: 'cron' }
const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const

function sequence({ message, sequence }: { message: Record<string, unknown>; sequence: string[] }) {
  const notice: { readAt?: number; shownAt?: number } = {}
  const disposition =
    message.disposition === 'acknowledgement' ? 'information' : (message.disposition as null | 'actionable')
  const priority = PRIORITIES.find(known => known === message.priority) ?? 'normal'
  return sequence.map(step => {
    if (step === 'resolve') notice.readAt = NOW
    if (step !== 'stop') return null
    const isHeld = preventsEnd({ ...notice, disposition, priority })
    if (isHeld) notice.shownAt = NOW
    return isHeld
  })
}

describe('a session that wants to end', () => {
  it.each([
    ['high', 'actionable', ['stop', 'stop', 'resolve', 'stop'], [true, true, null, false]],
    ['urgent', 'actionable', ['stop', 'stop', 'resolve', 'stop'], [true, true, null, false]],
    ['normal', 'actionable', ['stop', 'stop'], [true, false]],
    ['high', 'acknowledgement', ['stop', 'stop'], [false, false]],
    ['high', null, ['stop'], [true]],
  ])('is held back by %s, %s: %j', (priority, disposition, steps, expected) => {
    expect(sequence({ message: { priority, disposition }, sequence: steps })).toEqual(expected)
  })

  const vectors = vectorsOf('workbuddy', 'message_blocking')
  it.runIf(vectors.length > 0).each(vectors as Vector[])('is held back as before: $id', vector => {
    const { blocks } = vector.expected as { blocks: unknown[] }
    expect(sequence(vector.input as never)).toEqual(blocks)
  })
})

describe('how an operation ended', () => {
  it('well, after its caller left: an informational notice, already read, with the start of its result', () => {
    const operation = operationSample({
      source: 'run',
      session: 'test-session-123',
      state: 'succeeded',
      result: { result: 'x'.repeat(900) },
    })
    const notice = only(noticesAboutOperation(event('succeeded'), operation))
    expect(notice).toMatchObject({
      type: 'succeeded',
      priority: 'normal',
      disposition: 'information',
      session: 'test-session-123',
      readAt: NOW,
      expiresAt: NOW + 3_600_000,
    })
    expect(notice.preview?.length).toBe(500)
    expect(noticesAboutOperation(event('succeeded', {}, 1), operation)).toEqual([])
  })

  const successes = vectorsOf('workbuddy', 'notification').filter(({ input }) => input.event === 'success')
  it.runIf(successes.length > 0).each(successes as Vector[])('well, as before: $id', ({ expected }) => {
    const operation = operationSample({ source: 'run', session: 'test-session-123', state: 'succeeded' })
    const { priority, session, disposition, readAt } = only(
      noticesAboutOperation(event('succeeded'), operation),
    )
    expect(expected.messages).toEqual([
      expect.objectContaining({
        status: readAt === undefined ? 'pending' : 'resolved',
        disposition: disposition === 'information' ? 'acknowledgement' : disposition,
        priority,
        recipient_session: session,
      }),
    ])
  })

  it.each(Object.entries(SOURCES))(
    'badly: an actionable notice, sent to people only for %s = retry',
    (reason, source) => {
      const notice = told(source)
      expect(notice).toMatchObject({ type: 'dead', priority: 'high', disposition: 'actionable' })
      expect(notice.readAt).toBeUndefined()
      expect(notice.expiresAt).toBe(NOW + 30 * 86_400_000)
      expect(isQuiet(notice, source)).toBe(reason !== 'retry')
    },
  )

  const vectors = vectorsOf('workbuddy', 'notification').filter(({ input }) => input.event === 'exhausted')
  it.runIf(vectors.length > 0).each(vectors as Vector[])('badly, as before: $id', ({ input, expected }) => {
    const { queue_reason: given, record } = input as {
      queue_reason?: string
      record?: { queue_reason: string }
    }
    const source = SOURCES[given ?? record?.queue_reason ?? 'retry'] as string
    expect(isQuiet(told(source), source)).toBe(!expected.user_notification)
  })
})

describe('a schedule', () => {
  const ended = (...states: string[]): Operation[] =>
    states
      .map((state, index) =>
        operationSample(
          state === 'ok'
            ? { id: `op_${index}`, state: 'succeeded' }
            : { id: `op_${index}`, state: 'dead', deadAs: 'exhausted' },
        ),
      )
      .reverse()

  it.each([
    [['fail', 'fail', 'fail'], 3],
    [['fail', 'fail', 'ok', 'fail', 'fail'], 2],
    [['fail', 'fail', 'ok'], 0],
    [[], 0],
  ])('that ended as %j has failed %i times in a row', (states, times) => {
    expect(failedInARow(ended(...states))).toHaveLength(times)
  })

  /** The numbers of the operations, from 1, whose end made a new notice of this type. */
  const toldAt = async (states: readonly string[], type: string, failsAfter?: number) => {
    const time = new FakeTime(NOW)
    const ledger = await memoryLedger({ time })
    if (failsAfter !== undefined) await ledger.setSetting(FAILING_AFTER_SETTING, failsAfter)
    const maker = new NoticeMaker({ ledger, time })
    const count = async () => (await ledger.notices({ type }, { limit: 100 })).items.length
    const at: number[] = []
    for (const [index, state] of states.entries()) {
      const before = await count()
      await ledger.transaction(writes => {
        const nightly = { capability: 'work', params: {}, source: 'cron', context: { cron: 'nightly' } }
        const [{ id } = { id: '' }] = writes.insert([nightly])
        writes.start(id)
        writes.settle(
          { id, run: 1 },
          state === 'ok'
            ? { succeeded: true }
            : { verdict: { action: 'cancel', as: 'exhausted', reason: 'no', rule: 'test' } },
        )
      })
      await maker.catchUp()
      if ((await count()) > before) at.push(index + 1)
    }
    await ledger.close()
    return at
  }

  it('makes one notice when it stops succeeding, and one when it succeeds again', async () => {
    const states = ['fail', 'fail', 'fail', 'fail', 'ok', 'ok']
    expect(await toldAt(states, 'schedule_failing')).toEqual([1])
    expect(await toldAt(states, 'schedule_recovered')).toEqual([5])
    expect(await toldAt(states, 'dead')).toEqual([1, 2, 3, 4])
  })

  it('that comes and goes within a day is told again only when it fails three times in a row', async () => {
    const states = ['fail', 'ok', 'fail', 'ok', 'fail', 'fail', 'fail', 'ok']
    expect(await toldAt(states, 'schedule_failing')).toEqual([1, 7])
    expect(await toldAt(states, 'schedule_recovered')).toEqual([2, 8])
  })

  it('is told of the third time with the preset workBuddy', async () => {
    const states = ['fail', 'fail', 'fail', 'fail', 'ok', 'ok']
    expect(await toldAt(states, 'schedule_failing', scheduleFailsAfter)).toEqual([3])
    expect(await toldAt(states, 'schedule_recovered', scheduleFailsAfter)).toEqual([5])
    expect(
      await toldAt(['fail', 'fail', 'ok', 'fail', 'fail'], 'schedule_failing', scheduleFailsAfter),
    ).toEqual([])
  })

  // The threshold was configurable there; here it is fixed.
  const vectors = vectorsOf('workbuddy', 'dispatch_cycle').filter(
    ({ input, expected }) => input.threshold === scheduleFailsAfter && expected.messages_at !== undefined,
  )
  it.runIf(vectors.length > 0).each(vectors as Vector[])(
    'tells as before: $id',
    async ({ input, expected }) => {
      const { sequence: states, failures } = input as { sequence?: string[]; failures?: number }
      const ends = states ?? Array(failures).fill('fail')
      expect(await toldAt(ends, 'schedule_failing', scheduleFailsAfter)).toEqual(expected.messages_at)
    },
  )
})
