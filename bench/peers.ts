import Anthropic from '@anthropic-ai/sdk'
import { AsyncCaller } from '@langchain/core/utils/async_caller'
import { isServerError, isThrottlingError, isTransientError } from '@smithy/service-error-classification'
import { APICallError } from 'ai'
import { defaultShouldRetryThisError } from 'ai-fallback'
import axiosRetry from 'axios-retry'
import isNetworkError from 'is-network-error'
import OpenAI from 'openai'
import pRetry from 'p-retry'

/** A failure with every field that a peer's real caller would have, not only its text. */
export interface PeerInput {
  error: Error & { status?: number; code?: unknown; headers?: Record<string, string> }
  status: number | undefined
  headers: Record<string, string>
  body: string
}

/** True to retry, false to stop, undefined where the peer cannot judge such an input. */
export type Peer = (input: PeerInput) => boolean | undefined | Promise<boolean | undefined>

const openai = new OpenAI({ apiKey: 'x' }) as unknown as {
  shouldRetry: (response: Response) => Promise<boolean>
}
const anthropic = new Anthropic({ apiKey: 'x' }) as unknown as {
  shouldRetry: (response: Response, options: object) => Promise<boolean>
}
const langchain = new AsyncCaller({}) as unknown as { onFailedAttempt?: (error: unknown) => void }

const responseOf = ({ status, headers, body }: PeerInput) =>
  new Response(body, { status: status as number, headers })
const hasStatus = (input: PeerInput) =>
  input.status !== undefined && input.status >= 200 && input.status <= 599

export const PEERS: Record<string, Peer> = {
  'p-retry (default)': async ({ error }) => {
    let calls = 0
    const attempt = () => {
      calls++
      throw error
    }
    await pRetry(attempt, { retries: 1, minTimeout: 0 }).catch(() => undefined)
    return calls > 1
  },
  'is-network-error': ({ error }) => isNetworkError(error),
  'AI SDK isRetryable': input => {
    if (!hasStatus(input)) return undefined
    return new APICallError({
      message: input.error.message,
      url: 'http://x',
      requestBodyValues: {},
      statusCode: input.status as number,
      responseBody: input.body,
      responseHeaders: input.headers,
    }).isRetryable
  },
  'OpenAI SDK': input => (hasStatus(input) ? openai.shouldRetry(responseOf(input)) : undefined),
  'Anthropic SDK': input => (hasStatus(input) ? anthropic.shouldRetry(responseOf(input), {}) : undefined),
  'AWS SDK (smithy)': ({ error, status }) => {
    const sdkError = Object.assign(error, { $metadata: { httpStatusCode: status } }) as never
    return isThrottlingError(sdkError) || isTransientError(sdkError) || isServerError(sdkError)
  },
  'axios-retry': ({ error, status }) => {
    const response = status === undefined ? {} : { response: { status } }
    const axiosError = Object.assign(error, response, {
      isAxiosError: true,
      config: { method: 'get' },
    }) as never
    return axiosRetry.isNetworkOrIdempotentRequestError(axiosError)
  },
  'ai-fallback (switches model)': ({ error, status }) =>
    defaultShouldRetryThisError(Object.assign(error, { statusCode: status }) as never),
  'LangChain.js': ({ error }) => {
    try {
      langchain.onFailedAttempt?.(error)
      return true
    } catch {
      return false
    }
  },
}
