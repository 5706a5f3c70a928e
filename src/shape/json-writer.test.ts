import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { classify } from '../failure/classify.ts'
import { failureToJson } from '../failure/json.ts'
import { verdictToJson } from '../verdict/json.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { failure, verdict } from './failure.ts'
import { jsonWriter } from './json-writer.ts'
import { moment } from './value.ts'

const inner = z.object({ started_at: moment, cost_usd: z.number().exactOptional() })
const shape = z.object({
  id: z.string(),
  max_cost_usd: z.number().exactOptional(),
  next_at: moment.nullable(),
  last: inner.nullable(),
  runs: z.array(inner),
  by_name: z.record(z.string(), inner).exactOptional(),
  params: z.unknown(),
})
const write = jsonWriter(shape)

it('writes names in snake_case and times as text, at any depth', () => {
  const run = { startedAt: 0, costUsd: 2 }
  expect(
    write({
      id: 'a',
      maxCostUsd: 1,
      nextAt: 0,
      last: run,
      runs: [run],
      byName: { camelCase: run },
      params: { camelCase: 1 },
    }),
  ).toEqual({
    id: 'a',
    max_cost_usd: 1,
    next_at: '1970-01-01T00:00:00.000Z',
    last: { started_at: '1970-01-01T00:00:00.000Z', cost_usd: 2 },
    runs: [{ started_at: '1970-01-01T00:00:00.000Z', cost_usd: 2 }],
    by_name: { camelCase: { started_at: '1970-01-01T00:00:00.000Z', cost_usd: 2 } },
    params: { camelCase: 1 },
  })
})

it('leaves out what is absent, says null where the shape can, and writes nothing that the shape does not have', () => {
  const given = { id: 'a', runs: [], params: null, secret: 'x' }
  expect(JSON.stringify(write(given))).toBe('{"id":"a","next_at":null,"last":null,"runs":[],"params":null}')
})

it('writes a time of a damaged row as it is, instead of failing the whole list', () => {
  expect(write({ id: 'a', nextAt: Number.NaN, runs: [], params: 1 }).next_at).toBe('NaN')
})

it('writes in the order of the shape', () => {
  const run = fc.record({ startedAt: fc.integer(), costUsd: fc.double() }, { requiredKeys: ['startedAt'] })
  const given = fc.record(
    { id: fc.string(), maxCostUsd: fc.integer(), nextAt: fc.integer(), last: run, runs: fc.array(run) },
    { requiredKeys: ['id', 'runs'] },
  )
  fc.assert(
    fc.property(given, value => {
      const json = JSON.parse(JSON.stringify(write({ ...value, params: 1 })))
      expect(Object.keys(json)).toEqual(Object.keys(shape.shape).filter(name => name in json))
    }),
  )
})

it('writes failures and verdicts as the library does, and has all their fields', () => {
  const made = classify(Object.assign(new Error('Too many requests'), { status: 429 }), { provider: 'work' })
  const full = {
    ...made,
    resetAt: 5,
    sessionId: 's',
    exitCode: 1,
    did: 'acted',
    text: 'x',
  } as NonNullable<typeof made>
  expect(JSON.stringify(jsonWriter(failure)(full))).toBe(JSON.stringify(failureToJson(full)))
  expect(failure.parse(jsonWriter(failure)(full))).toEqual(failureToJson(full))
  const verdicts: Verdict[] = [
    { action: 'retry', delayMs: 1, mode: 'again', reason: 'r', rule: 'x' },
    { action: 'failover', reason: 'r', rule: 'x' },
    { action: 'snooze', until: 5, mode: 'resume', held: true, reason: 'r', rule: 'x' },
    { action: 'park', for: 'login', reason: 'r', rule: 'x' },
    { action: 'cancel', as: 'refused', reason: 'r', rule: 'x' },
  ]
  for (const each of verdicts)
    expect(JSON.stringify(jsonWriter(verdict)(each))).toBe(JSON.stringify(verdictToJson(each)))
})
