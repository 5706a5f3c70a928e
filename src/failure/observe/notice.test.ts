import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import {
  isBareNotice,
  isErrorLine,
  isLoneComplaint,
  isSignedNotice,
  isStopNotice,
  lastComplaint,
  lastWords,
} from './notice.ts'

/** Answers of agents that did their work: short, and about failures. */
const ANSWERS = [
  'Server error: fixed by adding a null check in the session handler.',
  'Rate limit handling: I added backoff to client.ts.',
  'The timeout was caused by a missing await in the poller.',
  'Rate limit exceeded: handled with a token bucket.',
  'Request failed: the test asserted the wrong status, corrected.',
  'Authentication error: the middleware compared the wrong header. Corrected.',
  'Context length exceeded: the summariser truncates the history before each call.',
  'API Error: the class was renamed to ApiFailure across the package.',
  'Execution error: resolved by pinning node to 24.',
  'Credits exhausted: this message is shown when the balance reaches zero.',
  "You've hit your limit: that text comes from the billing page, line 40.",
  'Invalid API key · that string is produced by validateKey in auth.ts.',
  'The usage limit reached banner renders in red.',
  'Usage limit reached messages are translated into German.',
  'Quota exceeded errors are mapped to 429.',
  'Insufficient credits is the message to show; the copy is in place.',
  'The rate limit is 60 requests per minute.',
  'The model is overloaded on Mondays, according to the dashboard.',
  'Prompt is too long: the guard rejects anything above 8000 tokens.',
  'Connection refused means that the port is closed; start redis first.',
  'Too many requests come from the crawler; blocked its address range.',
  'The certificate has expired in the fixture, so the fixture was renewed.',
  'Maximum turns reached is what the loop reports after ten rounds.',
  'The server error was a typo in the route.',
  'Context overflow cannot happen here, since the input is capped at 4 KB.',
  'Not logged in · shows the login button, as the design asks.',
  'Billing: the account balance is too low warning appears below 5 dollars.',
  'Your organization is out of date in the seed data; refreshed it.',
  'Request timed out three times in CI, then passed. The flaky test is quarantined.',
  'A rate limit error is thrown by fetchPage, and retried twice.',
  'The quota exceeded test passes.',
  'Disk full: freed 3 GB by pruning old images.',
  'Database is locked no more: WAL mode is on.',
  'Summary: "usage limit reached" is retried after the reset time.',
  '429 Too Many Requests responses carry Retry-After, verified with curl.',
  'Overloaded functions were split in two.',
  'Model not found: the alias is registered under the new name in models.json.',
  'Error: 401 came from an old token in .env; replaced.',
  'Payment required pages redirect to /billing.',
  'Content policy: the linked document explains which prompts are refused.',
  "I've reached the maximum number of actions the toolbar can hold, so the rest moved into a menu.",
  'Please add credits to your account is the new wording of the empty state.',
]

/** What they print in place of an answer, with exit code 0. */
const NOTICES: [text: string, failure: string, provider?: string][] = [
  ['Claude AI usage limit reached|1760000400', 'throttle/usage_limit'],
  ['Claude usage limit reached. Your limit will reset at 3pm (UTC).', 'throttle/usage_limit'],
  ["You've hit your limit · resets 4:50pm (Europe/London)", 'throttle/usage_limit'],
  ["You've hit your session limit · resets 3am (UTC)", 'throttle/usage_limit'],
  ["You've hit your usage limit. Upgrade to Pro or try again at 5:01 PM.", 'throttle/usage_limit'],
  ["You've reached your weekly limit for this model. Try again on Monday.", 'throttle/usage_limit'],
  ['You have exhausted your daily quota on this model.', 'throttle/quota'],
  ['You have exceeded your monthly usage limit. Please upgrade your plan.', 'throttle/usage_limit'],
  ['Usage limit reached', 'throttle/usage_limit'],
  ['Your monthly quota has been exceeded.', 'throttle/usage_limit'],
  ['Rate limit exceeded. Please try again later.', 'throttle/rate_limit'],
  ['Error: Rate limit reached', 'throttle/rate_limit'],
  ['Too many requests, please try again in 30 seconds', 'throttle/rate_limit'],
  [
    'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"Too many"}}',
    'throttle/rate_limit',
  ],
  ['Credit balance is too low', 'throttle/billing'],
  [
    'Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade.',
    'throttle/billing',
  ],
  ['Insufficient credits. Add more at https://example.com/credits', 'throttle/billing'],
  ["You're out of credits. Please add more to continue.", 'throttle/billing'],
  ['Out of Credits\nAdd credits to continue', 'throttle/billing'],
  ['Credits exhausted: Please add credits to your account', 'throttle/billing', 'goose'],
  [
    'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    'transient/overloaded',
  ],
  ['API Error: Repeated 529 Overloaded errors', 'transient/overloaded'],
  ['The model is overloaded. Please try again later.', 'transient/overloaded'],
  ['API Error: Connection error.', 'transient/network'],
  [
    'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}',
    'transient/server_error',
  ],
  ['Server error: 502 Bad Gateway', 'transient/server_error', 'goose'],
  ['Request timed out', 'timeout/timeout'],
  ['API Error: Request timed out.', 'timeout/timeout'],
  ['Invalid API key · Please run /login', 'permanent/auth'],
  ['Not logged in · Please run /login', 'permanent/auth'],
  [
    'Failed to authenticate. API Error: 401 {"type":"error","error":{"type":"authentication_error"}}',
    'permanent/auth',
  ],
  ['OAuth token revoked · Please run /login', 'permanent/auth'],
  ['Authentication error: invalid key', 'permanent/auth', 'goose'],
  ['Prompt is too long', 'permanent/context_overflow'],
  ['Context length exceeded: 210000 tokens', 'permanent/context_overflow', 'goose'],
  ['[API Error: You have exhausted your capacity on this model.]', 'throttle/quota', 'gemini-cli'],
  ['Error: Reached max turns (10)', 'rail/max_turns'],
  ['Exceeded USD budget (2)', 'rail/max_budget'],
  [
    'Ran into this error: Rate limit exceeded\n\nPlease retry if you think this is a transient or recoverable error.',
    'throttle/rate_limit',
    'goose',
  ],
  [
    "I've reached the maximum number of actions I can do without user input. Would you like me to continue?",
    'rail/max_turns',
    'goose',
  ],
  ['The model response was blocked due to safety settings', 'permanent/content_policy', 'gemini-cli'],
  ['Agent stopped due to max iterations.', 'rail/max_steps'],
]

const ended = (stdout: string) => ({ exitCode: 0, signal: null, stdout, stderr: '' })
const result = (text: string) =>
  ended(
    `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text, session_id: 's' })}\n`,
  )
const PROVIDERS = ['claude', 'codex', 'gemini-cli', 'opencode', 'goose', undefined]

describe('an answer', () => {
  it.each(ANSWERS)('is not a notice, from any agent: %s', answer => {
    for (const provider of PROVIDERS) expect(classify(ended(answer), { provider })).toBeNull()
  })

  it.each(ANSWERS)('is not a failure in a result either: %s', answer => {
    expect(classify(result(answer))).toBeNull()
  })
})

describe('a notice in place of an answer', () => {
  const kindOf = (input: unknown, provider?: string) => {
    const failure = classify(input, { provider })
    return failure && `${failure.class}/${failure.kind}`
  }

  it.each(NOTICES)('is the failure that it names: %s', (text, failure, provider) => {
    expect(kindOf(ended(text), provider)).toBe(failure)
    expect(kindOf(ended(`${text}\n`), provider)).toBe(failure)
  })

  it.each(NOTICES)('is an answer if the agent went on speaking: %s', text => {
    const report = `I fixed the banner. It used to say:\n\n${text}\n\nNow it is translated, and all tests pass.`
    expect(kindOf(ended(report))).toBeNull()
  })
})

describe('a stop notice', () => {
  it.each([
    ['Usage limit reached'],
    ['"Usage limit reached"'],
    ['"API Error: 502 from acme"'],
    ['My Agent v1.2\n\nUsage limit reached'],
    ['API Error: 502 from acme'],
    ['API Error: Overloaded'],
    ['[API Error: whatever it was]'],
  ])('is one: %j', text => {
    expect(isStopNotice(text)).toBe(true)
  })

  it.each([
    ['what is longer than any notice', `Usage limit reached. ${'Please try again later. '.repeat(20)}`],
    ['a value under its name', 'Rate limit exceeded: 10'],
    ['a report, although it begins like a notice', 'Ran into this error: fixed it by adding a check'],
    ['a requested piece of text, without a capital', 'usage limit reached'],
    ['work that is told behind the beginning of an error', 'API Error: 502 is handled, tests passed'],
    ['an answer that explains the beginning of an error', 'API Error: the class in client.ts'],
  ])('is none of %s', (_what, text) => {
    expect(isStopNotice(text)).toBe(false)
  })

  it("may begin in its own CLI's words, and no other's", () => {
    const text = 'Zap error: 502 from acme'
    expect(isStopNotice(text, [/^Zap error: /])).toBe(true)
    expect(isStopNotice(text, [/^Something else: /])).toBe(false)
    expect(isStopNotice(text)).toBe(false)
  })
})

describe('a text that a rule recognised is a bare notice', () => {
  it.each([['Rate limit exceeded'], ['(Rate limit exceeded)'], ['[Rate limit exceeded]']])('%j', text => {
    expect(isBareNotice(text)).toBe(true)
  })

  it.each([
    ['not as a value under its name', 'Max retries exceeded: no'],
    ['not as rows of data', 'error,limit\nexceeded'],
    ['not when it is long', `Rate limit exceeded. ${'Please try again later. '.repeat(20)}`],
    ['not as a fact', 'The rate limit'],
  ])('%s', (_how, text) => {
    expect(isBareNotice(text)).toBe(false)
  })
})

describe('one line that is an error', () => {
  it.each([
    ['Error: connect ECONNREFUSED'],
    ['ValueError: bad literal'],
    ['Traceback (most recent call last):\nValueError: bad literal'],
  ])('is known: %j', text => {
    expect(isErrorLine(text)).toBe(true)
  })

  it.each([
    ['one of several lines', 'Error: connect ECONNREFUSED\nI looked into it.'],
    ['long', `Error: ${'x'.repeat(400)}`],
    ['an explanation', 'Error: ENOENT means that there is no such file'],
    ['a report', 'Error: fixed'],
    ['no error at all', 'Error: none'],
  ])('is none if it is %s', (_what, text) => {
    expect(isErrorLine(text)).toBe(false)
  })
})

describe('the last words of a run', () => {
  const notices = { lastWords: /^Gave in: /, lastComplaint: /^Oops: / }

  it('begin where its CLI starts to report a failure', () => {
    expect(lastWords('I looked.\nGave in: a novel', notices)).toBe('Gave in: a novel')
    expect(lastWords('Gave in: HTTP 502', notices)).toBe('Gave in: HTTP 502')
  })

  it('are an answer if nothing else was said and they name no error', () => {
    expect(lastWords('Gave in: a novel', notices)).toBeUndefined()
  })

  it('are an answer if they report work', () => {
    expect(lastWords('I looked.\nGave in: fixed it instead', notices)).toBeUndefined()
  })

  it("say in any CLI's words that its own limit stopped it", () => {
    const line = 'Stopped: reached maximum iterations'
    expect(lastWords(`I looked.\n${line}\n`, undefined)).toBe(line)
    expect(lastWords(`I looked.\n${line} ${'again '.repeat(20)}`, undefined)).toBeUndefined()
  })

  it('on stderr are those of its CLI, whether or not it answered', () => {
    expect(lastComplaint('Oops: acme is gone', notices, false)).toBe('Oops: acme is gone')
    expect(lastComplaint('Oops: acme is gone', notices, true)).toBe('Oops: acme is gone')
  })

  it("on stderr are any program's error only if nothing was answered", () => {
    expect(lastComplaint('error: acme is gone', undefined, true)).toBe('error: acme is gone')
    expect(lastComplaint('error: acme is gone', notices, true)).toBe('error: acme is gone')
    expect(lastComplaint('error: acme is gone', undefined, false)).toBeUndefined()
    expect(lastComplaint('error: none', undefined, true)).toBeUndefined()
  })
})

describe('a lone complaint', () => {
  it('names a cause in one sentence', () => {
    expect(isLoneComplaint('The gateway says that the quota for acme is exceeded')).toBe(true)
  })

  it.each([
    ['a remark', 'warning: the quota is exceeded'],
    ['several lines', 'a\nb\nc\nquota exceeded'],
    ['something that went on', 'quota exceeded, using the cache'],
    ['a report', 'quota exceeded: fixed'],
    ['an explanation', 'quota exceeded means that you asked too often'],
    ['without a cause', 'it did not work'],
    ['long', `quota exceeded ${'x'.repeat(400)}`],
  ])('is not %s', (_what, text) => {
    expect(isLoneComplaint(text)).toBe(false)
  })
})

it('a notice may be signed by the gateway that wrote it, in brackets', () => {
  expect(isSignedNotice('[gateway] Rate limit exceeded')).toBe(true)
  expect(isSignedNotice('gateway: Rate limit exceeded')).toBe(false)
  expect(isSignedNotice('[gateway] I raised the rate limit in client.ts')).toBe(false)
  expect(isSignedNotice(`[gateway] Rate limit exceeded. ${'Please try again later. '.repeat(20)}`)).toBe(
    false,
  )
})

describe('a list of commits', () => {
  it('is no notice, although their titles name failures', () => {
    const stdout = 'abc1234 Fix timeout on 429 responses\ndef5678 Handle quota exceeded\n'
    expect(classify({ exitCode: 0, signal: null, stdout, stderr: '' })).toBeNull()
  })
})
