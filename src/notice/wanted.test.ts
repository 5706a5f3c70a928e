import { describe, expect, it } from 'vitest'
import type { Notice } from '../ledger/notice.ts'
import { operationSample } from './test-samples.ts'
import { isWanted, type SurfaceFilter } from './wanted.ts'

const surface = (more: Partial<SurfaceFilter> = {}): SurfaceFilter => ({
  kind: 'telegram',
  enabled: true,
  minPriority: 'low',
  background: false,
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

  it.each(['submit', 'cron', 'workflow'])(
    'gets no notices about operations from %s, unless it asks for them',
    source => {
      const operation = operationSample({ source })
      expect(isWanted(surface(), notice(), operation)).toBe(false)
      expect(isWanted(surface({ background: true }), notice(), operation)).toBe(true)
      const { operation: _, ...ofProvider } = notice({ type: 'login', provider: 'a' })
      expect(isWanted(surface(), ofProvider, undefined)).toBe(true)
    },
  )
})
