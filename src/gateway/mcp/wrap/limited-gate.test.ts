import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { faultySettings, startWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import type { Choice, Gate, GateRequest } from '../../../provider/gate.ts'
import { FakeTime } from '../../../testing/core/fake-time.ts'
import { LimitedGate } from './limited-gate.ts'

const REQUEST: GateRequest = { pool: ['p'], tried: new Set() }

/** A gate whose answer the test gives. */
function openGate() {
  const answer = Promise.withResolvers<Choice>()
  const asked: GateRequest[] = []
  const gate: Gate = {
    choose: request => {
      asked.push(request)
      return answer.promise
    },
    outlook: () => ({ otherProviderAvailable: false }),
    mayRetry: () => true,
  }
  return { gate, answer, asked }
}

it('refuses a call that cannot wait for its turn, and returns a permit that comes too late', async () => {
  const time = new FakeTime()
  const { gate, answer, asked } = openGate()
  const choosing = new LimitedGate(gate, { provider: 'p', tool: 't' }, () => 20_000, time).choose(REQUEST)
  const signal = asked[0]?.signal
  await time.advance(19_999)
  expect(signal?.aborted).toBe(false)
  await time.advance(1)
  expect(await choosing).toMatchObject({ failure: { class: 'transient', effect: 'none' } })
  expect(signal?.aborted).toBe(true)
  const released = vi.fn()
  const permit = { provider: 'p', succeeded() {}, failed() {}, released }
  answer.resolve({ permit, passedOver: [] })
  await answer.promise
  expect(released).toHaveBeenCalledOnce()
})

it('passes on an answer that comes in time, and the abort of the client', async () => {
  const time = new FakeTime()
  const { gate, answer, asked } = openGate()
  const gone = new AbortController()
  const choosing = new LimitedGate(gate, { provider: 'p', tool: 't' }, () => 20_000, time).choose({
    ...REQUEST,
    signal: gone.signal,
  })
  const signal = asked[0]?.signal
  gone.abort()
  expect(signal?.aborted).toBe(true)
  const choice: Choice = {
    permit: { provider: 'p', succeeded() {}, failed() {}, released() {} },
    passedOver: [],
  }
  answer.resolve(choice)
  expect(await choosing).toBe(choice)
})

it('queues a call whose turn does not come in time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-limited-gate-'))
  const settings = faultySettings(folder, 'both', { concurrency: 1, timeoutMs: 10_000 })
  const { client, close } = await startWrap(join(folder, 'data'), [settings], { waitHereMs: 500 })
  const agent = await client('session')
  await agent.listTools()
  const abort = new AbortController()
  const hanging = agent
    .callTool({ name: 'write', arguments: { id: 'x', fault: 'hang' } }, { signal: abort.signal })
    .catch(() => {})
  const next = await agent.callTool({ name: 'write', arguments: { id: 'y' } })
  expect(next).toMatchObject({ isError: true, _meta: { queued_for_retry: true } })
  abort.abort()
  await hanging
  await close()
  rmSync(folder, { recursive: true, force: true })
})
