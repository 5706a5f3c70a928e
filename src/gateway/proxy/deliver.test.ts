import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { PushedBody } from '../../call/stream/pushed.ts'
import { deliver } from './deliver.ts'
import { UpstreamAnswer } from './upstream-answer.ts'
import { WholeEvents } from './whole-events.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A client that has the head of an answer and reads none of its body yet. */
async function delivering(body: PushedBody, events?: WholeEvents): Promise<IncomingMessage> {
  const answer = new UpstreamAnswer(200, {}, body)
  const server = createServer((_, to) => void deliver(answer, to, events).catch(() => {}))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return new Promise(resolve => get({ port }, resolve))
}

async function textOf(answer: IncomingMessage): Promise<string> {
  return Buffer.concat(await answer.toArray()).toString()
}

const idle = { pause: () => {}, resume: () => {}, destroy: () => {} }

it('an answer comes no faster than its client reads, and all of it', async () => {
  const [PIECE, MOST] = [65_536, 300]
  let isPaused = false
  let pushed = 0
  const go = () => {
    for (isPaused = false; !isPaused && pushed < MOST; pushed++) body.push(Buffer.alloc(PIECE))
    if (pushed === MOST) body.ended()
  }
  const pause = () => {
    isPaused = true
  }
  const body = new PushedBody({ ...idle, pause, resume: go })
  const answer = await delivering(body)
  expect(isPaused).toBe(true)
  expect(pushed).toBeLessThan(MOST)
  expect((await textOf(answer)).length).toBe(PIECE * MOST)
})

it('the last event comes even if nothing ends it but the stream', async () => {
  const body = new PushedBody(idle)
  const answer = await delivering(body, new WholeEvents())
  body.push(Buffer.from('data: 1\n\ndata: '))
  body.push(Buffer.from('[DONE]'))
  body.ended()
  expect(await textOf(answer)).toBe('data: 1\n\ndata: [DONE]')
})
