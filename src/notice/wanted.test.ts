import { describe, expect, it } from 'vitest'
import { operationSample } from '../../test/notice/samples.ts'
import type { Notice } from '../ledger/notice.ts'
import type { ParkReason } from '../verdict/verdict.ts'
import { isWanted, type SurfaceFilter } from './wanted.ts'

const surface = (more: Partial<SurfaceFilter> = {}): SurfaceFilter => ({
  kind: 'telegram',
  enabled: true,
  minPriority: 'low',
  background: true,
  ...more,
})
const notice = (more: Partial<Notice> = {}): Notice => ({
  id: 'notice_1',
  key: 'event:1',
  type: 'dead',
  priority: 'high',
  disposition: 'actionable',
  operation: 'op_1',
  title: 't',
  body: 'b',
  createdAt: 0,
  expiresAt: 1,
  ...more,
})
const ran = operationSample({ source: 'run', failure: { class: 'throttle', kind: 'quota' } })

describe('a surface', () => {
  it.each<[string, Partial<SurfaceFilter>, Partial<Notice>, boolean]>([
    ['everything by default', {}, {}, true],
    ['nothing while it is disabled', { enabled: false }, {}, false],
    ['only its events', { events: ['billing'] }, {}, false],
    ['its events', { events: ['dead'] }, {}, true],
    ['only what matters enough', { minPriority: 'urgent' }, {}, false],
    ['only failures of its classes', { classes: ['timeout'] }, {}, false],
    ['what is just important enough', { minPriority: 'high' }, {}, true],
    ['a test, whatever it asks for', { events: ['billing'] }, { type: 'test' }, true],
    ['of a notice whose class is that of its event', { classes: ['transient'] }, { type: 'down' }, true],
    ['not of one whose event is of another class', { classes: ['timeout'] }, { type: 'billing' }, false],
    ['an unknown failure for the first time', {}, { type: 'unknown', key: 'unknown:fp' }, true],
    ['other notices with such a key', {}, { key: 'event:again:1' }, true],
    ['failures of its classes', { classes: ['throttle'] }, {}, true],
    ['only its providers', { providers: ['a'] }, { provider: 'b' }, false],
    ['what has no provider', { providers: ['a'] }, {}, true],
    ['unknown failures as an issue tracker', { kind: 'github' }, { type: 'unknown' }, true],
    ['nothing else as an issue tracker', { kind: 'github' }, {}, false],
    ['what it asks for as an issue tracker', { kind: 'gitea', events: ['dead'] }, {}, true],
    ['not again of an unknown failure', {}, { type: 'unknown', key: 'unknown:fp:again:day' }, false],
    ['again, as an issue tracker', { kind: 'gitea' }, { type: 'unknown', key: 'unknown:fp:again:day' }, true],
  ])('is told %s', (_what, filter, of, expected) => {
    expect(isWanted(surface(filter), notice(of), ran)).toBe(expected)
  })

  it.each(['run', 'mcp', 'http', 'submit'])('is told of an operation from %s that died', source => {
    expect(isWanted(surface(), notice(), operationSample({ source }))).toBe(true)
  })

  it('is not told of submitted operations if it says so', () => {
    const quiet = surface({ background: false })
    expect(isWanted(quiet, notice(), operationSample({ source: 'submit' }))).toBe(false)
    for (const source of ['run', 'mcp', 'http'])
      expect(isWanted(quiet, notice(), operationSample({ source }))).toBe(true)
    const { operation: _, ...ofProvider } = notice({ type: 'login', provider: 'a' })
    expect(isWanted(quiet, ofProvider, undefined)).toBe(true)
  })

  it('is told of submitted operations unless it says otherwise', () => {
    const { background: _, ...unsaid } = surface()
    expect(isWanted(unsaid, notice(), operationSample({ source: 'submit' }))).toBe(true)
  })

  it('is told of an operation that is gone, whatever its class was', () => {
    expect(isWanted(surface({ classes: ['timeout'], background: false }), notice(), undefined)).toBe(true)
  })

  it('is told of a submitted operation by a notice that is not about it', () => {
    const { operation: _, ...ofProvider } = notice({ type: 'login', provider: 'a' })
    const submitted = operationSample({ source: 'submit' })
    expect(isWanted(surface({ background: false }), ofProvider, submitted)).toBe(true)
  })

  it('is told of what became of a parked operation, whose cause tells only that it is parked', () => {
    const parked = operationSample({ source: 'run', state: 'parked', parkedFor: 'login', providers: ['p'] })
    expect(isWanted(surface(), notice({ type: 'limit' }), parked)).toBe(true)
    const unparked = operationSample({ source: 'run', state: 'scheduled', providers: ['p'] })
    expect(isWanted(surface(), notice({ type: 'parked' }), unparked)).toBe(true)
  })

  it.each(['cron', 'workflow'])('is not told of each run of a %s, which has notices of its own', source => {
    expect(isWanted(surface({ background: true }), notice(), operationSample({ source }))).toBe(false)
  })

  it.each<[ParkReason, string[], boolean]>([
    ['login', ['p'], false],
    ['payment', ['p'], false],
    ['label', [], false],
    ['login', [], true],
    ['runner', ['p'], true],
    ['secret', ['p'], true],
    ['parameters', ['p'], true],
  ])(
    'hears once of what operations are parked for: %s of %j by a notice of the operation: %s',
    (parkedFor, providers, expected) => {
      const operation = operationSample({ source: 'run', state: 'parked', parkedFor, providers })
      expect(isWanted(surface(), notice({ type: 'parked' }), operation)).toBe(expected)
    },
  )

  it('does not hear of late successes, which are for their session, unless it asks for them', () => {
    const success = notice({ type: 'succeeded', disposition: 'information' })
    expect(isWanted(surface(), success, ran)).toBe(false)
    expect(isWanted(surface({ events: ['succeeded'] }), success, ran)).toBe(true)
  })
})
