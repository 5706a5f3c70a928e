import type { Failure } from '../../../failure/failure.ts'
import { present } from '../../../failure/present.ts'
import type { HandedOver } from '../../../queue/run-result.ts'
import { timeToJson } from '../../../time/time-json.ts'
import { verdictToJson } from '../../../verdict/json.ts'
import type { Verdict } from '../../../verdict/verdict.ts'
import type { Era } from '../era.ts'
import { lineOf, type RequestId, resultLine } from '../json-rpc.ts'
import { replaced, spanOf, withFirst } from '../json-text.ts'
import type { Answered } from './exchange.ts'

/** Key of `_meta` that holds the verdict on a failed call. */
export const VERDICT_KEY = 'mulligan'

/** What was decided about a failed call, for programs. */
export interface Decided {
  failure: Failure
  verdict: Verdict
}

function decidedToJson({ failure, verdict }: Decided): Record<string, unknown> {
  const { class: cls, kind, effect, message, status, retryAfterMs, resetAt } = failure
  return {
    failure: {
      class: cls,
      kind,
      effect,
      message,
      ...present({ status, retry_after_ms: retryAfterMs }),
      ...(resetAt === undefined ? {} : { reset_at: timeToJson(resetAt) }),
    },
    verdict: verdictToJson(verdict),
  }
}

/** The server's own answer with the verdict in its `_meta` and, if given, one more sentence. */
export function withVerdict({ line, response }: Answered, decided: Decided, sentence?: string): Buffer {
  const text = line.toString('utf8').trimEnd()
  const member = JSON.stringify(decidedToJson(decided))
  const changed = response.error
    ? withData(withErrorSentence(text, response.error.message, sentence), member)
    : withSentence(withMeta(text, VERDICT_KEY, member), sentence)
  return Buffer.from(`${changed}\n`)
}

/** Adds the verdict to `data` of the error; data that is no object moves below it. */
function withData(text: string, verdict: string): string {
  const member = `${JSON.stringify(VERDICT_KEY)}:${verdict}`
  const data = spanOf(text, ['error', 'data'])
  if (data && text[data.start] === '{') return withFirst(text, data.start, member)
  if (data) return replaced(text, [{ ...data, by: `{${member},"data":${text.slice(data.start, data.end)}}` }])
  const error = spanOf(text, ['error'])
  return error ? withFirst(text, error.start, `"data":{${member}}`) : text
}

function withErrorSentence(text: string, message: string, sentence: string | undefined): string {
  if (sentence === undefined) return text
  const by = JSON.stringify(message === '' ? sentence : `${message}\n\n${sentence}`)
  const span = spanOf(text, ['error', 'message'])
  if (span) return replaced(text, [{ ...span, by }])
  const error = spanOf(text, ['error'])
  return error ? withFirst(text, error.start, `"message":${by}`) : text
}

/** Adds a key to `_meta` of the result; its other bytes stay unchanged. */
function withMeta(text: string, key: string, value: string): string {
  const member = `${JSON.stringify(key)}:${value}`
  const meta = spanOf(text, ['result', '_meta'])
  if (meta && text[meta.start] === '{') return withFirst(text, meta.start, member)
  const result = spanOf(text, ['result'])
  return result ? withFirst(text, result.start, `"_meta":{${member}}`) : text
}

function withSentence(text: string, sentence: string | undefined): string {
  if (sentence === undefined) return text
  const more = JSON.stringify({ type: 'text', text: sentence })
  const content = spanOf(text, ['result', 'content'])
  if (!content) {
    const result = spanOf(text, ['result'])
    return result ? withFirst(text, result.start, `"content":[${more}]`) : text
  }
  if (text[content.start] !== '[') return replaced(text, [{ ...content, by: `[${more}]` }])
  const inner = text.slice(content.start + 1, content.end - 1)
  const by = `[${inner.trim() === '' ? '' : `${inner},`}${more}]`
  return replaced(text, [{ ...content, by }])
}

/** The answer to a failed call that the server did not answer itself. */
export function failedAnswer(id: RequestId, era: Era, sentence: string, decided: Decided): Buffer {
  return resultLine(
    id,
    JSON.stringify({
      ...(era === 'stateless' ? { resultType: 'complete' } : {}),
      content: [{ type: 'text', text: sentence }],
      isError: true,
      _meta: { [VERDICT_KEY]: decidedToJson(decided) },
    }),
  )
}

/** The same for requests other than tool calls: models do not see them, so it is a protocol error. */
export function failedRequest(id: RequestId, decided: Decided): Buffer {
  return lineOf({
    id,
    error: {
      code: -32000,
      message: decided.failure.message,
      data: { [VERDICT_KEY]: decidedToJson(decided) },
    },
  })
}

/** The answer to a call that is stored and runs when it can. */
export function queuedAnswer(
  id: RequestId,
  era: Era,
  handedOver: HandedOver,
  hint: string,
  decided: Decided,
): Buffer {
  const { operationId, retryAt, parkedFor } = handedOver
  return resultLine(
    id,
    JSON.stringify({
      ...(era === 'stateless' ? { resultType: 'complete' } : {}),
      content: [{ type: 'text', text: hint }],
      isError: true,
      _meta: {
        queued_for_retry: true,
        operation_id: operationId,
        ...(retryAt === undefined ? {} : { retry_at: timeToJson(retryAt) }),
        ...present({ parked_for: parkedFor }),
        retry_hint: hint,
        [VERDICT_KEY]: decidedToJson(decided),
      },
    }),
  )
}

/** Tells a model what is known about a call that is not sent again, and what to do. */
export function sentenceFor(tool: string, { failure, verdict }: Decided, isAnswered: boolean): string {
  const what = isAnswered ? '' : `${failure.message}. `
  if (failure.effect === 'none')
    return `${what}The call of ${tool} was not carried out.${remedyOf(failure, verdict)}`
  return `${what}${mayHaveHappened(tool)}`
}

/** Tells a model what to do about a call whose effect is unknown. */
export function mayHaveHappened(tool: string): string {
  return `The call of ${tool} was sent and may have happened: check whether it did before you call ${tool} again.`
}

function remedyOf({ class: cls, kind }: Failure, { reason }: Verdict): string {
  if (kind === 'auth' || kind === 'forbidden')
    return ' A person must log in or grant access first; calling it again will not help.'
  if (cls === 'permanent') return ' Calling it again the same way will not help.'
  return ` It was not sent again: ${reason}.`
}
