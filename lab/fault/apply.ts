import { answerOf, frame, streamReply } from '../answer/answer.ts'
import { numbered, responseHead } from '../answer/responses.ts'
import type { Facts } from '../facts.ts'
import { JSON_TYPE, type Reply } from '../reply.ts'
import type { StatusFault, VendorError } from './fault.ts'
import { FAULTS, type FaultName } from './table.ts'

/** How one fault strikes. */
export interface Strike {
  fault: FaultName
  /** Send a refusal as an event inside a 200 stream, if the caller streams. Default false. */
  inStream?: boolean | undefined
}

/** The reply to a model call that a fault strikes. `text` is what the model would have said. */
export function faultReply(facts: Facts, { fault: name, inStream = false }: Strike, text: string): Reply {
  const fault = FAULTS[name]
  switch (fault.does) {
    case 'refuse':
      return refusal(facts, fault, inStream, text)
    case 'refuse in stream':
      return refusal(facts, FAULTS[fault.of as FaultName] as StatusFault, true, text)
    case 'answer':
      return answerOf(facts, fault.answer(facts, text))
    case 'spoil':
      return fault.spoil(answerOf(facts, { ends: 'stop', text }), facts)
  }
}

/** The refusal of a request that asks for no model answer: lists, counts, or a missing key. */
export function plainRefusal(facts: Facts, name: FaultName): Reply {
  const fault = FAULTS[name]
  if (fault.does === 'refuse') return asReply(fault.error[facts.request.vendor](facts))
  if (fault.does === 'refuse in stream') return plainRefusal(facts, fault.of as FaultName)
  const empty: Reply = { status: 200, headers: { 'content-type': JSON_TYPE }, parts: ['{}'] }
  return fault.does === 'spoil' ? fault.spoil(empty, facts) : empty
}

function refusal(facts: Facts, fault: StatusFault, inStream: boolean, text: string): Reply {
  const { vendor, wants } = facts.request
  const error = fault.error[vendor](facts)
  if (wants.what !== 'answer' || wants.framing === 'json' || typeof error.body === 'string')
    return asReply(error)
  const { headers = {}, body } = error
  // A refusal that the vendor sends as a 200 has the requested form.
  if (error.status === 200) return streamReply([{ data: body }], wants.framing, headers)
  if (!inStream) return asReply(error)
  const begun = answerOf(facts, { ends: 'stop', text })
  const half = begun.parts.slice(0, Math.ceil(begun.parts.length / 2))
  const failed = wants.framing === 'array' ? `,\r\n${JSON.stringify(body)}]` : errorText(facts, body)
  const delivery = wants.api === 'generate' ? { lastAfterMs: APART_MS } : {}
  return { ...begun, parts: [...half, failed], delivery: { kind: 'whole', ...delivery } }
}

/** Google's client sees an error only if it arrives in a chunk of its own, which takes a moment on a busy machine. */
const APART_MS = 100

/** An error as each API sends it after its 200. Google's is not an event, but bare JSON. */
function errorText(facts: Facts, body: Record<string, unknown>): string {
  const { wants } = facts.request
  const api = wants.what === 'answer' ? wants.api : 'generate'
  switch (api) {
    case 'messages':
      return frame({ event: 'error', data: body })
    case 'chat':
      return frame({ data: body })
    case 'generate':
      return `${JSON.stringify(body, null, 2)}\n`
    case 'responses': {
      const { code, type, message } = body.error as { code: string | null; type: string; message: string }
      const error = { code: code ?? type, message }
      const response = { ...responseHead(facts), status: 'failed', output: [], error }
      return numbered([{ type: 'response.failed', response }])
        .map(frame)
        .join('')
    }
  }
}

function asReply({ status, headers = {}, body }: VendorError): Reply {
  return {
    status,
    headers: { 'content-type': JSON_TYPE, ...headers },
    parts: [typeof body === 'string' ? body : JSON.stringify(body)],
  }
}
