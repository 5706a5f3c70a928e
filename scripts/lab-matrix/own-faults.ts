import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerOf } from '../../lab/answer/answer.ts'
import type { Facts } from '../../lab/facts.ts'
import { faultReply } from '../../lab/fault/apply.ts'
import { FAULTS, type FaultName } from '../../lab/fault/table.ts'
import { ANSWER_DEFAULT, WAIT_DEFAULT_MS } from '../../lab/lab.ts'
import { HTML_TYPE } from '../../lab/reply.ts'
import { readRequest } from '../../lab/request.ts'
import { send } from '../../lab/send.ts'
import { sideAnswer } from '../../lab/side-answers.ts'
import { realTime, sleep } from '../../src/time/time.ts'
import { ACCOUNT_FAULTS } from './account-faults.ts'
import { EDGE_FAULTS } from './edge-faults.ts'
import { FIELD_FAULTS, type ReplyFault } from './field-faults.ts'
import { GATEWAY_FAULTS } from './gateway-faults.ts'
import { PLACE_FAULTS, type PlaceFault } from './place-faults.ts'
import { ROAD_FAULTS } from './road-faults.ts'
import { WAY_FAULTS } from './way-faults.ts'

/** A fault seen in the field that the lab does not have; most happen between a CLI and its vendor. */
export type OwnFault = ReplyFault | PlaceFault

const HOURS_MS = 2 * 3_600_000
const healthy = (facts: Facts) => answerOf(facts, { ends: 'stop', text: ANSWER_DEFAULT })

/** Faults of the matrix in addition to the lab's. */
export const OWN_FAULTS = {
  gzip_garbage: {
    summary: '200 whose body claims to be gzip but is not',
    expected: { class: 'transient', kind: 'bad_json' },
    reply: facts => {
      const reply = healthy(facts)
      return { ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' } }
    },
  },
  proxy_login: {
    summary: '407: a proxy requires a login',
    expected: { class: 'permanent', kind: 'auth' },
    reply: () => ({
      status: 407,
      headers: { 'content-type': HTML_TYPE, 'proxy-authenticate': 'Basic realm="corporate"' },
      parts: ['<html><head><title>407 Proxy Authentication Required</title></head><body></body></html>'],
    }),
  },
  empty_answer: {
    summary: 'a well-formed answer without text',
    expected: { class: 'transient', kind: 'bad_json' },
    reply: facts => answerOf(facts, { ends: 'stop', text: '' }),
  },
  cut_to_nothing: {
    summary: 'the answer is cut off at the output limit before its first word',
    expected: { class: 'rail', kind: 'max_tokens' },
    reply: facts => answerOf(facts, { ends: 'length', text: '' }),
  },
  filtered_amid: {
    summary: '200 whose answer a content filter ends halfway',
    expected: { class: 'permanent', kind: 'content_policy' },
    reply: facts => answerOf(facts, { ends: 'refusal', text: ANSWER_DEFAULT.slice(0, 30) }),
  },
  long_wait: {
    summary: '429 that asks to wait two hours',
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: facts => faultReply({ ...facts, waitMs: HOURS_MS }, { fault: 'rate_limit' }, ANSWER_DEFAULT),
  },
  ...FIELD_FAULTS,
  ...PLACE_FAULTS,
  ...GATEWAY_FAULTS,
  ...WAY_FAULTS,
  ...ACCOUNT_FAULTS,
  ...EDGE_FAULTS,
  ...ROAD_FAULTS,
} satisfies Record<string, OwnFault>

export type OwnFaultName = keyof typeof OWN_FAULTS
export const OWN_FAULT_NAMES = Object.keys(OWN_FAULTS) as OwnFaultName[]

/** A fault of the lab, or one of the matrix itself. */
export type MatrixFault = FaultName | OwnFaultName

export function isOfLab(fault: MatrixFault): fault is FaultName {
  return Object.hasOwn(FAULTS, fault)
}

/** A stand-in for the vendor. */
export interface StandIn {
  url: string
  /** More variables of the CLI. */
  env?: Record<string, string>
  /** Number of model calls so far. */
  calls(): number
  close(): Promise<void>
}

/** Starts a stand-in for the vendor that always fails this way. It refuses WebSockets. */
export async function startFaulty(fault: OwnFault): Promise<StandIn> {
  if ('open' in fault) return { calls: () => 0, ...(await fault.open()) }
  const { reply, afterMs } = fault
  const closing = new AbortController()
  let requests = 0
  let calls = 0
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const asked = readRequest(++requests, {
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: request.headers,
      text: Buffer.concat(chunks).toString('utf8'),
    })
    const facts = { request: asked, now: realTime.now(), waitMs: WAIT_DEFAULT_MS }
    const isCall = asked.wants.what === 'answer'
    if (isCall) calls++
    const options = { time: realTime, slowMs: 100, signal: closing.signal }
    if (isCall && afterMs !== undefined) await sleep(realTime, afterMs, closing.signal)
    await send(response, isCall ? reply(facts) : sideAnswer(facts), options)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    close: async () => {
      closing.abort()
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
