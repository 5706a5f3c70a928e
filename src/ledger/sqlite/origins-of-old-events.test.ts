import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import { withOrigin } from '../row/origins-of-old-events.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'

describe('an event from 0.1.0', () => {
  it.each([
    ['a person asked for it', 'person'],
    ['its parameters were changed', 'edit'],
    ['provider vendor can be used again', 'provider'],
    ['a runner that has its capability is there', 'runner'],
    ['what it needs is there now', 'runner'],
    ['a capability that its parameters fit is there now', 'runner'],
    ['labelled as transient', 'caller'],
    [undefined, 'caller'],
  ])('with the reason "%s" was unparked by %s', (reason, by) => {
    expect(withOrigin('unparked', { reason, was: 'login' })).toEqual({ reason, was: 'login', by })
  })

  it.each([
    [{ for: 'login', rule: 'default:login' }, 'provider'],
    [{ for: 'login', rule: 'default:forbidden_unsaid' }, 'provider'],
    [{ for: 'payment', rule: 'default:billing' }, 'provider'],
    [{ for: 'secret', rule: 'capability:secret' }, 'runner'],
    [{ for: 'parameters', rule: 'capability:parameters' }, 'runner'],
    [{ for: 'runner' }, 'runner'],
    [{ for: 'label', rule: 'default:unknown' }, 'decision'],
    [{ for: 'secret', rule: 'mine' }, 'decision'],
    [{ for: 'label' }, 'decision'],
  ])('that was parked with %o has the origin %s', (data, origin) => {
    expect(withOrigin('parked', data)).toEqual({ ...data, origin })
  })

  it.each([
    ['blocked until 2026-11-17T21:45:06.196Z: invalid x-api-key', { said: 'invalid x-api-key' }],
    ['blocked until cleared: no credit', { said: 'no credit' }],
    ['paced: calls go one after another: slow', { reason: 'calls go one after another: slow', paced: true }],
    ['its breaker is open', {}],
  ])('of a provider that was closed because "%s" says %o besides', (reason, more) => {
    expect(withOrigin('provider_blocked', { provider: 'p', reason })).toEqual({
      provider: 'p',
      reason,
      ...more,
    })
  })

  it('has its origin in a timeline and among all events', async () => {
    const ledger = await memoryLedger()
    await ledger.transaction(writes => {
      writes.insert([{ capability: 'work', params: {} }])
      writes.park('op_1', { for: 'login', reason: 'r' })
      writes.unpark('op_1', { by: 'caller', reason: 'r' })
      const { db } = writes as SqliteTransaction
      db.exec(`UPDATE events SET data = '{"for":"login","rule":"default:login","reason":"auth: log in"}'
        WHERE type = 'parked'`)
      db.exec(`UPDATE events SET data = '{"reason":"a person asked for it","was":"login"}'
        WHERE type = 'unparked'`)
    })
    const told = [
      { type: 'parked', data: { origin: 'provider' } },
      { type: 'unparked', data: { by: 'person' } },
    ]
    expect((await ledger.timeline('op_1')).slice(1)).toMatchObject(told)
    expect(await ledger.events({ types: ['parked', 'unparked'] })).toMatchObject(told)
    await ledger.close()
  })
})

describe('any other event', () => {
  it('stays unchanged, whatever its reason', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('person', 'edit', 'caller'), (reason, by) => {
        const unparked = { reason, by }
        expect(withOrigin('unparked', unparked)).toBe(unparked)
        const parked = { reason, rule: 'capability:secret', origin: 'decision' }
        expect(withOrigin('parked', parked)).toBe(parked)
        const dead = { reason }
        expect(withOrigin('dead', dead)).toBe(dead)
      }),
    )
  })
})
