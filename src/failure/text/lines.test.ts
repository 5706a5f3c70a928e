import { describe, expect, it } from 'vitest'
import { isBanner, sortLines } from './lines.ts'

const FINAL = 'Error: invalid api key'

describe('retry banners', () => {
  it.each([
    'Reconnecting... 2/5 (stream disconnected)',
    'Reconnecting... waiting for network',
    'API Error (Connection error.) · Retrying in 4 seconds… (attempt 3/10)',
    'Attempt 1 failed with status 429. Retrying with backoff...',
    'Attempt 10 failed: too slow. Max attempts reached',
    'stream error: cut; retrying 1/5 in 200ms…',
    'Waiting for API response · will retry in 30s',
    'Request failed due to a transient API error. Retrying...',
    '[retrying api request]',
    'Falling back from WebSockets to HTTPS transport.',
    'Switching to the small-1 model for the rest of this session.',
  ])('are not final: %s', banner => {
    expect(isBanner(banner)).toBe(true)
    expect(sortLines(`${banner}\n${FINAL}`)).toMatchObject({ final: FINAL, late: banner, banners: banner })
  })

  it('lose the title that a log gives to every failed request, because it is not a cause', () => {
    const line = 'time=now level=ERROR message="stream error" error="Too Many Requests"'
    const banners = 'time=now level=ERROR error="Too Many Requests"'
    expect(sortLines(`${line}\n${FINAL}`)).toMatchObject({ final: FINAL, late: banners, banners })
  })

  it.each([
    'Retry attempts exhausted',
    'exceeded retry limit, last status: 429 Too Many Requests',
    'LLM API call failed after 10 attempts. Last error: 503',
    'Please retry your request',
    'You attempted to write outside of the folder',
  ])('are not to be confused with the end of trying: %s', line => {
    expect(sortLines(line)).toMatchObject({ final: line, late: '' })
  })

  it('take the error printed above them along', () => {
    const text =
      'litellm.RateLimitError: slow\nThe provider has limited you.\nRetrying in 0.5 seconds...\nlitellm.AuthenticationError: no'
    expect(sortLines(text)).toMatchObject({
      final: 'litellm.AuthenticationError: no',
      banners: 'litellm.RateLimitError: slow\nThe provider has limited you.\nRetrying in 0.5 seconds...',
    })
  })

  it('take nothing along if no error is near', () => {
    const prose = Array.from({ length: 12 }, (_, i) => `line ${i}`).join('\n')
    expect(sortLines(`Error: old\n${prose}\nRetrying in 2 seconds`).final).toBe(`Error: old\n${prose}`)
  })

  it('take the object printed after them along', () => {
    const text = `Attempt 1 failed with status 429. Retrying with backoff... ApiError: {\n  code: 429,\n  status: 'RESOURCE_EXHAUSTED'\n}\n${FINAL}`
    expect(sortLines(text).final).toBe(FINAL)
  })

  it('are all that counts if nothing final is said', () => {
    expect(sortLines('Reconnecting... 1/5')).toMatchObject({ final: '', late: 'Reconnecting... 1/5' })
  })
})

describe('noise', () => {
  it.each([
    '(node:12) ExperimentalWarning: SQLite is an experimental feature',
    '(node:12) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.',
    'npm warn deprecated glob@7',
    'Update available! 1.0.1 -> 1.0.2',
    'Warning: Basic terminal detected',
    '[WARN] rate limit is near',
    'MCP client for `files` timed out after 10 seconds.',
    'MCP server "files" connection timed out after 30000ms',
    'Error during discovery for [MCP] server',
    'OTLP telemetry export failed: 503',
    'Loaded cached credentials.',
    '2026-01-01T00:00:00.000Z  WARN core::auth: 401 Unauthorized',
    '2026-01-01 00:00:00,123 - INFO - retry later',
    "You've used 80% of your weekly limit",
  ])('is neither final nor a banner: %s', noise => {
    expect(sortLines(`${noise}\n${FINAL}`)).toMatchObject({ final: FINAL, banners: '' })
  })

  it('counts late if there is no banner, and not at all if there is one', () => {
    expect(sortLines('npm warn x\nplain').late).toBe('npm warn x')
    expect(sortLines('npm warn x\nReconnecting... 1/5').late).toBe('Reconnecting... 1/5')
  })
})

describe('stack frames', () => {
  it.each([
    '    at run (file:///srv/429.js:12:5)',
    '    at async Promise.all (index 0)\n    at node:internal/main/run_main_module:28:49',
    '  File "/srv/rate_limit.py", line 12, in too_many_requests\n    raise RateLimitError("429")',
    '   4: core::rate_limit::exceeded\n             at /rustc/src/rate_limit.rs:12:5',
    '\t/srv/rate_limit.go:12 +0x1d',
  ])('are dropped: %s', frames => {
    expect(sortLines(`${FINAL}\n${frames}`).final).toBe(FINAL)
  })

  it('that a library draws as a box are dropped whole', () => {
    const text = `╭──── Traceback (most recent call last) ────╮\n│ 12 │ raise RateLimitError("429")           │\n╰───────────────────────────────────────────╯\n${FINAL}`
    expect(sortLines(text).final).toBe(FINAL)
  })

  it('of a timer say that a clock ended it', () => {
    expect(sortLines('AbortError: aborted\n    at Timeout._onTimeout (/srv/a.js:1:2)').timerFired).toBe(true)
    expect(sortLines('AbortError: aborted').timerFired).toBe(false)
  })
})

describe('terminals', () => {
  it('leave no colours, cursor movements or links behind', () => {
    expect(
      sortLines('\x1b[2K\x1b[1G\x1b[31mError:\x1b[0m \x1b]8;;http://x\x07invalid\x1b]8;;\x07 api key').final,
    ).toBe(FINAL)
  })

  it('leave the words of a box, in order', () => {
    const box = '╭──────────────╮\n│ You have hit │\n│ your limit   │\n╰──────────────╯'
    expect(sortLines(box).final.replaceAll(/\s+/g, ' ').trim()).toBe('You have hit your limit')
  })

  it('end lines in any of the three ways', () => {
    expect(sortLines('Reconnecting... 1/5\r\nReconnecting... 2/5\rinvalid api key').final).toBe(
      'invalid api key',
    )
  })
})
