import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const now = Date.parse('2026-10-05T14:00:00Z')
const waitOf = (text: string, more: object = {}) => classify(text, { now, ...more })?.retryAfterMs
const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('a wait that a terminal has wrapped', () => {
  it.each([
    ['You have hit your usage limit. Try again in 2 hours 11\nminutes.', 131 * MINUTE],
    ['You have hit your usage limit. Try again in 2 hours\n11 minutes.', 131 * MINUTE],
    ['Usage limit reached. Try again in 5 days 22 hours 11\n  minutes.', 8_531 * MINUTE],
    ['Rate limit reached, please try again in\n20s.', 20_000],
    ['429 Quota exceeded [links {\n}\n, retry_delay {\n  seconds: 41\n}\n]', 41_000],
    ["Too many requests. Please try after '120' seconds.", 2 * MINUTE],
    ['Usage limit reached for m. Access resets at 1:57 PM GMT-3.', 178 * MINUTE],
    ['Usage limit reached, resets at\n3pm (UTC)', HOUR],
    ['Usage limit reached. Your quota will reset after 1 hour and\n5 minutes', 65 * MINUTE],
  ])('is read whole from %j', (text, ms) => {
    expect(waitOf(text)).toBe(ms)
  })
})

describe('a wait that was cut, or that contradicts itself', () => {
  it.each([
    'You have hit your usage limit. Try again in 5 days 22 hours 11',
    'You have hit your usage limit. Try again in 2 hours 1…',
    'Rate limit reached: try again in 5 minutes. Rate limit reached: try again in 3 hours.',
  ])('is not stated in %j', text => {
    expect(waitOf(text)).toBeUndefined()
  })

  it('counts if it is only repeated', () => {
    expect(waitOf('Rate limit: try again in 5 minutes. Please try again in 5 minutes.')).toBe(5 * MINUTE)
  })
})

describe('a duration next to a point in time', () => {
  const text =
    'Rate limit exceeded, please retry after 25s, resets at Mon Oct 05 2026 14:00:25 GMT+0000 (UTC)'
  it('counts without a clock too', () => {
    expect(classify(text)).toMatchObject({ retryAfterMs: 25_000 })
    expect(waitOf(text)).toBe(25_000)
    expect(
      classify('Usage limit reached. Come back in 3h 47m, it resets at midnight Pacific.')?.retryAfterMs,
    ).toBe(227 * MINUTE)
  })

  it('is not needed for a JavaScript date', () => {
    expect(waitOf('Rate limit exceeded, resets at Mon Oct 05 2026 14:00:25 GMT+0000 (UTC)')).toBe(25_000)
  })
})

describe('a numeric date as Americans write it', () => {
  const limit = 'Usage limit reached, resets on'
  it('counts in the zone of the caller', () => {
    const zone = { timeZone: 'America/New_York' }
    expect(waitOf(`${limit} 10/05/2026, 11:00 AM`, zone)).toBe(HOUR)
    expect(waitOf(`${limit} 10/5/26 at 11:30`, zone)).toBe(90 * MINUTE)
    expect(waitOf(`${limit} 10/6/2026`, { timeZone: 'UTC' })).toBe(10 * HOUR)
  })

  it('is ignored without a zone, or if the month is impossible', () => {
    expect(waitOf(`${limit} 10/05/2026, 11:00 AM`)).toBeUndefined()
    expect(waitOf(`${limit} 25/10/2026`, { timeZone: 'UTC' })).toBeUndefined()
  })
})

describe('a wait in other languages', () => {
  it.each([
    ['リクエスト数が上限を超えました。30秒後に再試行してください。', 30_000],
    ['利用上限に達しました。1時間30分後にお試しください。', 90 * MINUTE],
    ['요청이 너무 많습니다. 5분 후 다시 시도하세요.', 5 * MINUTE],
    ['요청 한도를 초과했습니다. 2시간 30분 뒤에 다시 시도하세요.', 150 * MINUTE],
    ['请求过于频繁，请在 20 秒后重试', 20_000],
    ['Trop de requêtes. Réessayez dans 2 h.', 2 * HOUR],
    ['Quota dépassé, nouvel essai possible dans 2 h 15 min', 135 * MINUTE],
    ['Zu viele Anfragen. Bitte in 5 Minuten erneut versuchen.', 5 * MINUTE],
    ['Kontingent aufgebraucht. Wieder verfügbar in 3 Stunden.', 3 * HOUR],
    ['Demasiadas solicitudes, inténtelo de nuevo en 10 minutos', 10 * MINUTE],
    ['Muitas solicitações, tente novamente em 30 segundos', 30_000],
    ['Слишком много запросов, повторите через 5 минут', 5 * MINUTE],
    ['Przekroczono limit 20 żądań na godzinę. Spróbuj ponownie po 50 minutach i 36 sekundach.', 3_036_000],
  ])('is read from %j', (text, ms) => {
    expect(waitOf(text)).toBe(ms)
  })
})

describe('a wait shorter than a millisecond', () => {
  it('is not taken for seconds', () => {
    expect(waitOf('toomanyrequests: retry-after: 985.86µs, allowed: 44000/minute')).toBe(1)
  })
})

describe('the present', () => {
  it('may be a Date', () => {
    const text = 'Usage limit reached, resets at 3pm (UTC)'
    expect(classify(text, { now: new Date(now) })).toMatchObject({ retryAfterMs: HOUR, resetAt: now + HOUR })
    expect(classify(text, { now: new Date(Number.NaN) })).not.toHaveProperty('resetAt')
  })
})
