import type { StatusFault } from './fault.ts'
import { anthropicError, errorInfo, geminiError, openaiError } from './vendor-error.ts'

/** Failures that only paying, or raising a ceiling, can fix, at any status. */
export const MONEY = {
  insufficient_quota: {
    does: 'refuse',
    summary: 'prepaid credit is used up; waiting does not help, although two of three vendors say 429 or 400',
    expected: { class: 'throttle', kind: 'billing' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          400,
          'invalid_request_error',
          'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
        ),
      openai: facts =>
        openaiError(
          facts,
          429,
          'insufficient_quota',
          'insufficient_quota',
          'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
        ),
      gemini: () =>
        geminiError(
          402,
          'RESOURCE_EXHAUSTED',
          'Your prepayment credits are depleted. Please go to AI Studio to manage your billing.',
        ),
    },
  },
  billing: {
    does: 'refuse',
    summary: 'the account cannot be billed',
    expected: { class: 'throttle', kind: 'billing' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          402,
          'billing_error',
          "There's an issue with your billing or payment information. Please check your payment details in the Console.",
        ),
      openai: facts =>
        openaiError(
          facts,
          429,
          'billing_not_active',
          'billing_not_active',
          'Your account is not active, please check your billing details on our website.',
        ),
      gemini: () =>
        geminiError(
          403,
          'PERMISSION_DENIED',
          'This API method requires billing to be enabled. Please enable billing on project #42 by visiting https://console.developers.google.com/billing/enable?project=42 then retry.',
          [
            errorInfo('BILLING_DISABLED', {
              consumer: 'projects/42',
              service: 'generativelanguage.googleapis.com',
            }),
          ],
        ),
    },
  },
  payment_required: {
    does: 'refuse',
    summary: "the balance is used up, as gateways and resellers say it: 402 in the vendor's shape",
    expected: { class: 'throttle', kind: 'billing' },
    error: {
      anthropic: facts =>
        anthropicError(facts, 402, 'billing_error', 'Insufficient balance. Please top up your account.'),
      openai: facts =>
        openaiError(facts, 402, 'insufficient_balance', 'insufficient_balance', 'Insufficient Balance'),
      gemini: () =>
        geminiError(402, 'FAILED_PRECONDITION', 'Insufficient balance. Please top up your account.'),
    },
  },
  spend_limit: {
    does: 'refuse',
    summary: 'a spending ceiling is reached',
    expected: { class: 'throttle', kind: 'billing' },
    // A ceiling that says when it lifts is waited for; no payment is needed.
    kinds: { anthropic: 'usage_limit' },
    states: { anthropic: 'time' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          400,
          'invalid_request_error',
          `You have reached your specified API usage limits. You will regain access on ${firstOfNextMonth(facts.now)} at 00:00 UTC.`,
        ),
      openai: facts =>
        openaiError(
          facts,
          429,
          'insufficient_quota',
          'project_spend_limit_exceeded',
          'Your project has reached its monthly spend limit. Raise the limit or wait until next month.',
        ),
      gemini: () =>
        geminiError(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', [
          errorInfo('INSUFFICIENT_G1_CREDITS_BALANCE', {}, 'cloudcode-pa.googleapis.com'),
        ]),
    },
  },
} satisfies Record<string, StatusFault>

function firstOfNextMonth(now: number): string {
  const today = new Date(now)
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1)).toISOString().slice(0, 10)
}
