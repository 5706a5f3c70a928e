import { type Facts, idOf, rfc3339 } from '../facts.ts'
import type { VendorError } from './fault.ts'

/** Anthropic: `type` says what it is, `details.error_code` what exactly. */
export function anthropicError(
  facts: Facts,
  status: number,
  type: string,
  message: string,
  { headers = {}, errorCode }: { headers?: Record<string, string>; errorCode?: string } = {},
): VendorError {
  const id = idOf('req_', facts)
  return {
    status,
    headers: { 'request-id': id, ...headers },
    body: {
      type: 'error',
      error: { type, message, ...(errorCode === undefined ? {} : { details: { error_code: errorCode } }) },
      request_id: id,
    },
  }
}

/** OpenAI: `code` says what it is, `type` which family it belongs to. */
export function openaiError(
  facts: Facts,
  status: number,
  type: string,
  code: string | null,
  message: string,
  {
    headers = {},
    param = null,
    more = {},
  }: { headers?: Record<string, string>; param?: string | null; more?: Record<string, unknown> } = {},
): VendorError {
  return {
    status,
    headers: { 'x-request-id': idOf('req_', facts), ...headers },
    body: { error: { message, type, param, code, ...more } },
  }
}

/** Google: a status word, and details with their type. */
export function geminiError(
  status: number,
  word: string,
  message: string,
  details: readonly Record<string, unknown>[] = [],
): VendorError {
  return {
    status,
    body: { error: { code: status, message, status: word, ...(details.length > 0 ? { details } : {}) } },
  }
}

const RPC = 'type.googleapis.com/google.rpc.'

export function errorInfo(
  reason: string,
  metadata: Record<string, string> = {},
  domain = 'googleapis.com',
): Record<string, unknown> {
  return { '@type': `${RPC}ErrorInfo`, reason, domain, metadata }
}

export function retryInfo(ms: number): Record<string, unknown> {
  return { '@type': `${RPC}RetryInfo`, retryDelay: `${Number((ms / 1_000).toFixed(3))}s` }
}

export function quotaFailure(quotaId: string, model: string, quotaValue: string): Record<string, unknown> {
  return {
    '@type': `${RPC}QuotaFailure`,
    violations: [
      {
        quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
        quotaId,
        quotaDimensions: { location: 'global', model },
        quotaValue,
      },
    ],
  }
}

/** Whole seconds, at least one, because `retry-after` has no finer unit. */
export function secondsOf(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1_000)))
}

/** Anthropic's window headers when the requests of this minute are used up. */
export function anthropicWindows({ now, waitMs }: Facts): Record<string, string> {
  const reset = rfc3339(now + Math.ceil(waitMs / 1_000) * 1_000)
  return {
    'retry-after': secondsOf(waitMs),
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': reset,
    'anthropic-ratelimit-tokens-limit': '80000',
    'anthropic-ratelimit-tokens-remaining': '61000',
    'anthropic-ratelimit-tokens-reset': reset,
  }
}
