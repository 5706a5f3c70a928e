import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const kindOf = (input: unknown) => {
  const failure = classify(input)
  return `${failure?.class}/${failure?.kind}`
}

describe('a cap that the customer set at the vendor or gateway', () => {
  it.each([
    'Key limit exceeded (total limit). Manage it using https://example.com/settings/keys',
    'Your account [21] has reached the set inference limit for the [m] model, and the model service has been paused. Please adjust or close the "Safe Experience Mode"',
    'The API key has reached the spending limit you configured',
    "This key's monthly limit has been reached. Raise it in your key settings.",
    'Virtual key budget exceeded: spent $10.20 of $10.00',
    'Project budget exceeded. Its owner can raise the budget in settings.',
    'Team member budget has been reached for this billing period',
    'User has exceeded their budget. Current spend 5.01, max budget 5.00',
    'The spend cap you set for this project was reached',
    'User-defined cost limit reached',
    'Your self-imposed monthly cap of $50 has been hit',
    'Request blocked: credit limit of API key reached (limit: $5)',
    'the API key has exceeded its allotted budget',
    'The configured spend limit of $20 is reached; change it in the console',
    'Customer budget has been exceeded',
    'The monthly budget you set has been reached',
  ])('is a rail at any status: %s', message => {
    expect(kindOf(message)).toBe('rail/max_budget')
    for (const status of [402, 403, 429])
      expect(kindOf({ status, headers: {}, body: { error: { message } } })).toBe('rail/max_budget')
  })

  it.each([
    ['You have run out of credits', 'throttle/billing'],
    ['Insufficient balance on your account', 'throttle/billing'],
    ['Your card was declined; update your payment method', 'throttle/billing'],
    ['Out of call volume quota', 'throttle/quota'],
    ['Out of searches for this month', 'throttle/quota'],
    ['You have reached your monthly usage limit', 'throttle/usage_limit'],
    ['You have reached your monthly spending limit.', 'throttle/billing'],
    ['The project exceeded its rate limit', 'throttle/rate_limit'],
    ["This request exceeds your plan's set usage limit", 'throttle/usage_limit'],
    ['API key rate limit exceeded', 'throttle/rate_limit'],
    ['The input tokens exceed the configured limit of 272000 tokens', 'permanent/context_overflow'],
  ])('is not what the vendor allows: %s', (message, expected) => {
    expect(kindOf(message)).toBe(expected)
  })
})

describe('a request that alone exceeds a limit', () => {
  it.each([
    'Rate limit reached for tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.5s.',
    'Rate limit reached for tokens per minute: Limit: 30,000, Requested: 45,000.',
    'Your request needs 12903 tokens but the limit is 7000 tokens per minute',
    'Rate limit: request of 120000 tokens exceeds the limit of 100000 tokens per minute. Try again in 3s',
    'Request too large: 45000 tokens requested, 30000 tokens per minute allowed',
    'This request requires 200 credits but the maximum per request is 100',
    'Query has complexity of 1016020, which exceeds max complexity of 1000000',
    'Too many items: the maximum number of items per request is 100',
    'Batch size 500 exceeds maximum batch size of 100',
  ])('is permanent, although a 429 says try again: %s', message => {
    expect(classify({ status: 429, headers: {}, body: { error: { message } } })?.class).toBe('permanent')
  })

  it.each([
    'Rate limit reached for tokens per minute (TPM): Limit 7000, Used 6900, Requested 200. Please try again in 5s.',
    'You requested 500 tokens; the limit of 1000 tokens per minute is used up. Try again in 5s',
    'Rate limit of 60 requests per minute exceeded, 61 requests sent',
    'Too many requests: maximum of 100 requests per minute',
  ])('is a throttle if it would fit into an empty window: %s', message => {
    expect(classify({ status: 429, headers: {}, body: { error: { message } } })?.class).toBe('throttle')
  })
})

describe('a cause stated together with its consequence', () => {
  it.each([
    [
      "failed open - '/srv/.git/FETCH_HEAD' is locked: Permission denied; class=Os (2); code=Locked (-14)",
      'permanent/permission',
    ],
    ['error: could not lock config file .git/config: Permission denied', 'permanent/permission'],
    [
      'failed to fetch x\n\nCaused by:\n  failed to open /root/.cargo/index: Permission denied (os error 13)',
      'permanent/permission',
    ],
    ['Unable to acquire lock: open /var/lib/dpkg/lock: Permission denied', 'permanent/permission'],
    ['error: could not lock config file .git/config: File exists', 'transient/lock'],
    ['database is locked', 'transient/lock'],
    ['vllm engine process died unexpectedly', 'transient/server_error'],
    ['llama runner process has terminated: exit status 2', 'transient/server_error'],
    ['The inference worker exited unexpectedly with code 139', 'transient/runner_lost'],
  ])('decides: %s', (message, expected) => {
    expect(kindOf(message)).toBe(expected)
  })
})
