import { type Facts, goDuration, rfc3339 } from '../facts.ts'
import type { StatusFault } from './fault.ts'
import {
  anthropicError,
  anthropicWindows,
  errorInfo,
  geminiError,
  openaiError,
  quotaFailure,
  retryInfo,
  secondsOf,
} from './vendor-error.ts'

const HOUR_MS = 3_600_000

/** How long a used-up window of a subscription stays closed: 3 h, unless the step says otherwise. */
function windowOf({ windowMs = 3 * HOUR_MS }: Facts): number {
  return windowMs
}

/** The provider says: not now, you used too much. */
export const LIMITS = {
  rate_limit: {
    does: 'refuse',
    summary: 'too many requests this minute; says how long to wait in headers and body',
    expected: { class: 'throttle', kind: 'rate_limit' },
    states: { anthropic: 'wait', openai: 'wait', gemini: 'wait' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          429,
          'rate_limit_error',
          "This request would exceed your organization's rate limit of 50 requests per minute. For details, refer to: https://docs.anthropic.com/en/api/rate-limits.",
          { headers: anthropicWindows(facts) },
        ),
      openai: facts => {
        const { waitMs, request } = facts
        return openaiError(
          facts,
          429,
          'tokens',
          'rate_limit_exceeded',
          `Rate limit reached for ${request.model} in organization org-lab on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. Please try again in ${goDuration(waitMs)}. Visit https://platform.openai.com/account/rate-limits to learn more.`,
          {
            headers: {
              'retry-after': secondsOf(waitMs),
              'retry-after-ms': String(waitMs),
              'x-ratelimit-limit-requests': '500',
              'x-ratelimit-remaining-requests': '499',
              'x-ratelimit-reset-requests': '120ms',
              'x-ratelimit-limit-tokens': '30000',
              'x-ratelimit-remaining-tokens': '500',
              'x-ratelimit-reset-tokens': goDuration(waitMs),
            },
          },
        )
      },
      gemini: ({ waitMs, request: { model } }) =>
        geminiError(
          429,
          'RESOURCE_EXHAUSTED',
          `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 10\nPlease retry in ${Number((waitMs / 1_000).toFixed(3))}s.`,
          [
            quotaFailure('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', model, '10'),
            retryInfo(waitMs),
          ],
        ),
    },
  },
  usage_limit: {
    does: 'refuse',
    summary: "a subscription's window is used up; says when it opens again, hours away",
    expected: { class: 'throttle', kind: 'usage_limit' },
    states: { anthropic: 'time', openai: 'time', gemini: 'time' },
    error: {
      anthropic: facts => {
        const wait = windowOf(facts)
        const reset = Math.ceil((facts.now + wait) / 1_000)
        return anthropicError(
          facts,
          429,
          'rate_limit_error',
          "This request would exceed your account's rate limit. Please try again later.",
          {
            headers: {
              'retry-after': secondsOf(wait),
              'x-should-retry': 'false',
              'anthropic-ratelimit-unified-status': 'rejected',
              'anthropic-ratelimit-unified-reset': String(reset),
              'anthropic-ratelimit-unified-representative-claim': 'five_hour',
              'anthropic-ratelimit-unified-5h-status': 'rejected',
              'anthropic-ratelimit-unified-5h-reset': String(reset),
              'anthropic-ratelimit-unified-5h-utilization': '1',
              'anthropic-ratelimit-unified-overage-status': 'rejected',
              'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
            },
          },
        )
      },
      openai: facts => {
        const wait = windowOf(facts)
        const resets_at = Math.ceil((facts.now + wait) / 1_000)
        return openaiError(facts, 429, 'usage_limit_reached', null, 'The usage limit has been reached', {
          more: { plan_type: 'plus', resets_at, resets_in_seconds: Math.ceil(wait / 1_000) },
          headers: {
            'x-codex-primary-used-percent': '100',
            'x-codex-primary-window-minutes': '300',
            'x-codex-primary-reset-at': String(resets_at),
            'x-codex-secondary-used-percent': '41',
            'x-codex-secondary-window-minutes': '10080',
            'x-codex-secondary-reset-at': String(resets_at + 4 * 86_400),
          },
        })
      },
      gemini: facts => {
        const wait = windowOf(facts)
        return geminiError(
          429,
          'RESOURCE_EXHAUSTED',
          `You have exhausted your capacity on this model. Your quota will reset after ${goDuration(wait)}.`,
          [
            errorInfo(
              'QUOTA_EXHAUSTED',
              {
                quotaResetDelay: goDuration(wait),
                quotaResetTimeStamp: rfc3339(facts.now + wait),
                uiMessage: 'true',
              },
              'cloudcode-pa.googleapis.com',
            ),
            retryInfo(wait),
          ],
        )
      },
    },
  },
  daily_quota: {
    does: 'refuse',
    summary: "today's requests are used up",
    expected: { class: 'throttle', kind: 'quota' },
    states: { openai: 'time' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          429,
          'rate_limit_error',
          'Number of request tokens has exceeded your daily rate limit (https://docs.anthropic.com/en/api/rate-limits). Please try again later or contact sales to discuss your options for a rate limit increase.',
        ),
      openai: facts =>
        openaiError(
          facts,
          429,
          'requests',
          'rate_limit_exceeded',
          `Rate limit reached for ${facts.request.model} in organization org-lab on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
          { headers: { 'x-ratelimit-limit-requests': '200', 'x-ratelimit-remaining-requests': '0' } },
        ),
      gemini: ({ request: { model } }) =>
        geminiError(
          429,
          'RESOURCE_EXHAUSTED',
          'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 250',
          [quotaFailure('GenerateRequestsPerDayPerProjectPerModel-FreeTier', model, '250')],
        ),
    },
  },
} satisfies Record<string, StatusFault>
