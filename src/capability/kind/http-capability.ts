import { quote } from '../../failure/quote.ts'
import type { Capability } from '../capability.ts'
import { fail } from '../settings.ts'
import { WorkFailed } from '../work-failed.ts'
import { type DeclaredSettings, declare, type Params } from './declared.ts'
import { isRefusal } from './refusal.ts'
import { type HttpAnswer, isSuccess, type RequestSpec, requestOf } from './request.ts'

/** The declaration of a request. */
export interface HttpDefinition extends DeclaredSettings, RequestSpec {
  /** How the answer is parsed, which becomes the result. Default: JSON if the answer says so and is, else text. */
  output?: 'text' | 'json'
  /** How many bytes of an answer to read. Default 1 MiB. */
  bodyLimitBytes?: number
  /** Further statuses with which this server refuses a request before it does anything, such as 503. Default: none. */
  refusals?: readonly number[]
}

/**
 * An HTTP request that can be sent again. Its result is the body of a 2xx answer; any other answer fails it with status, headers
 * and body. It carries the idempotency key as `Idempotency-Key` and the run number as `Mulligan-Run`.
 */
export function httpCapability(definition: HttpDefinition): Capability<Params> {
  const { method, url, headers, body, output, bodyLimitBytes, refusals = [], ...settings } = definition
  const wrong = refusals.find(status => !(Number.isInteger(status) && status >= 400 && status <= 599))
  if (wrong !== undefined)
    fail(settings.name, `refusals must be statuses from 400 to 599, not ${quote(wrong)}`)
  const spec: RequestSpec = {
    url,
    ...(method && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  }
  // These methods promise that repeating them does no harm.
  const isRead = /^(?:get|head)$/i.test(method ?? '')
  const retry = settings.retry ?? (isRead && settings.verify === undefined ? 'replay' : undefined)
  return declare('http', { ...settings, ...(retry && { retry }) }, facts => {
    const request = requestOf(spec, { ...facts, method: 'POST', bodyLimitBytes })
    return {
      variables: request.variables,
      problems: request.problems,
      run: async (params, context) => {
        const answer = await request.send(params, context)
        if (!isSuccess(answer))
          throw new WorkFailed(
            `${request.title} answered ${answer.status}`,
            answer,
            refusedBy(answer, refusals),
          )
        return resultOf(answer, output)
      },
    }
  })
}

function refusedBy(answer: HttpAnswer, declared: readonly number[]): WorkFailed['refused'] {
  if (declared.includes(answer.status)) return 'as declared'
  return isRefusal(answer) ? 'by status' : undefined
}

/** The request has already taken effect, so an unexpected body is returned unchanged. */
function resultOf({ headers, body }: HttpAnswer, output: HttpDefinition['output']): unknown {
  const isJson =
    output === 'json' || (output === undefined && /\bjson\b/i.test(headers['content-type'] ?? ''))
  if (!isJson) return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
