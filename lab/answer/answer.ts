import type { Facts } from '../facts.ts'
import { JSON_TYPE, type Reply, SSE_TYPE } from '../reply.ts'
import type { Framing } from '../request.ts'
import { chatAnswer } from './chat.ts'
import { geminiAnswer } from './gemini.ts'
import { messagesAnswer } from './messages.ts'
import { responsesAnswer } from './responses.ts'
import type { Answer, StreamEvent } from './shape.ts'

const SHAPES = {
  messages: messagesAnswer,
  responses: responsesAnswer,
  chat: chatAnswer,
  generate: geminiAnswer,
}

/** The answer of a healthy vendor. */
export function answerOf(facts: Facts, answer: Answer): Reply {
  const { wants } = facts.request
  if (wants.what !== 'answer') throw new TypeError('only a model call has an answer')
  const { whole, events, headers } = SHAPES[wants.api](facts, answer)
  if (wants.framing === 'json')
    return { status: 200, headers: { 'content-type': JSON_TYPE, ...headers }, parts: [JSON.stringify(whole)] }
  return streamReply(events, wants.framing, headers)
}

/** Events as the body of a 200. */
export function streamReply(
  events: readonly StreamEvent[],
  framing: Exclude<Framing, 'json'>,
  headers: Record<string, string>,
): Reply {
  if (framing === 'sse')
    return {
      status: 200,
      headers: { 'content-type': SSE_TYPE, 'cache-control': 'no-cache', ...headers },
      parts: events.map(frame),
    }
  const parts = events.map(({ data }, index) => `${index === 0 ? '[' : ',\r\n'}${JSON.stringify(data)}`)
  return { status: 200, headers: { 'content-type': JSON_TYPE, ...headers }, parts: [...parts, ']'] }
}

/** One event as stream text. */
export function frame({ event, data }: StreamEvent): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}
