import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const NOW = Date.UTC(2026, 10, 17, 12)
const read = (text: string) => classify(new Error(text), { now: NOW, timeZone: 'UTC' })

describe('what services of other countries answer most', () => {
  it.each([
    ['permanent/auth', 'Phiên của bạn đã hết hạn'],
    ['permanent/auth', 'Ваша сессия истекла, войдите снова'],
    ['permanent/auth', 'Twoja sesja wygasła'],
    ['permanent/auth', 'Oturumunuzun süresi doldu'],
    ['permanent/auth', 'Sua sessão expirou'],
    ['permanent/auth', 'La sesión ha caducado'],
    ['permanent/auth', 'Die Sitzung ist abgelaufen'],
    ['permanent/forbidden', 'Dostęp zabroniony'],
    ['permanent/forbidden', 'Erişim reddedildi'],
    ['permanent/forbidden', 'Toegang geweigerd'],
    ['permanent/forbidden', 'Akses ditolak'],
    ['permanent/forbidden', 'Доступ к документу запрещён'],
    ['permanent/forbidden', 'Permisos insuficientes'],
    ['permanent/not_found', 'Müşteri bulunamadı'],
    ['permanent/not_found', 'Клиент не найден'],
    ['permanent/not_found', 'Zákazník nenalezen'],
    ['permanent/not_found', 'No se ha encontrado el cliente'],
    ['permanent/not_found', 'Kunde nicht gefunden'],
    ['permanent/invalid_request', 'Le prix doit être supérieur à zéro'],
    ['permanent/invalid_request', 'Cena musi być większa od zera'],
    ['permanent/invalid_request', 'Das Feld "Name" ist erforderlich'],
    ['permanent/invalid_request', 'O campo nome é obrigatório'],
    ['transient/overloaded', 'Сервер перегружен, попробуйте позже'],
    ['transient/overloaded', 'Máy chủ đang bận'],
    ['transient/overloaded', 'El servidor está ocupado'],
    ['throttle/rate_limit', 'Překročen limit dotazů'],
    ['throttle/rate_limit', 'İstek limiti aşıldı'],
    ['throttle/rate_limit', 'Batas permintaan tercapai'],
  ])('%s: %s', (kind, text) => {
    const failure = read(text)
    expect(`${failure?.class}/${failure?.kind}`).toBe(kind)
  })

  it.each([
    ['Limite de solicitações atingido, aguarde 2 minutos', 120_000],
    ['Demasiadas peticiones, espere 1 hora', 3_600_000],
    ['Troppe richieste, attendere 10 secondi', 10_000],
    ['Troppe richieste, riprova tra 2 ore', 7_200_000],
    ['Terlalu banyak permintaan, tunggu 5 menit', 300_000],
    ['Quá nhiều yêu cầu, chờ 30 giây', 30_000],
  ])('states when to come back: %s', (text, wait) => {
    expect(read(text)?.retryAfterMs).toBe(wait)
  })

  it('in fields with names of their language', () => {
    const answer = { status: 429, headers: {}, body: { fehler: 'Zu viele Anfragen, in 2 Minuten wieder' } }
    expect(classify(answer, { now: NOW })?.retryAfterMs).toBe(120_000)
    const poor = { status: 400, headers: {}, body: { mensaje: 'Saldo insuficiente' } }
    expect(classify(poor)?.kind).toBe('billing')
  })
})

describe('causes that sound like a limit or an outage, and stay until somebody acts', () => {
  it.each([
    ['permanent/disk_full', 'rpc error: code = ResourceExhausted desc = mvcc: database space exceeded'],
    ['permanent/disk_full', '552 5.2.2 Mailbox full: quota exceeded'],
    ['permanent/auth', 'No access token stored. Start the oauth flow'],
    ['permanent/invalid_request', "500 Internal Server Error: this endpoint doesn't support audio input"],
    ['throttle/rate_limit', 'Too many concurrent pipelines for this repository'],
  ])('%s: %s', (kind, text) => {
    const failure = read(text)
    expect(`${failure?.class}/${failure?.kind}`).toBe(kind)
  })

  it('but a code of somebody behind the service that is down passes, also under a 400', () => {
    const answer = (body: object) => classify({ status: 400, headers: {}, body })
    expect(answer({ error_code: 'ISSUER_UNAVAILABLE', message: 'Request refused' })).toMatchObject({
      class: 'transient',
      effect: 'maybe',
    })
    const rule = { type: 'invalid_request_error', message: 'The carrier is not available in this list' }
    expect(answer({ error: rule })?.class).toBe('permanent')
  })

  it('is a mutation that holds nothing but what the user did wrong', () => {
    const answer = (payload: object) =>
      classify({ data: { orderCreate: payload } }, { returned: true })?.class
    const userErrors = [{ field: ['email'], message: 'Email is invalid' }]
    expect(answer({ order: null, userErrors })).toBe('permanent')
    expect(answer({ order: { id: 7 }, userErrors })).toBeUndefined()
    expect(answer({ order: null, userErrors: [] })).toBeUndefined()
  })
})
