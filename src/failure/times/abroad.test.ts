import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const statedBy = (message: string) =>
  classify({ status: 429, headers: {}, body: { error: { message } } })?.retryAfterMs

describe('a wait that is stated in another language', () => {
  it.each([
    ['Te veel verzoeken. Probeer het over 30 seconden opnieuw.', 30 * SECOND],
    ['För många förfrågningar. Försök igen om 5 minuter.', 5 * MINUTE],
    ['For mange anmodninger. Prøv igen om 2 timer.', 2 * HOUR],
    ['For mange forespørsler. Prøv igjen om 45 sekunder.', 45 * SECOND],
    ['Liian monta pyyntöä. Yritä uudelleen 30 sekunnin kuluttua.', 30 * SECOND],
    ['Çok fazla istek. Lütfen 2 saat sonra tekrar deneyin.', 2 * HOUR],
    ['Příliš mnoho požadavků. Zkuste to znovu za 30 sekund.', 30 * SECOND],
    ['Príliš veľa požiadaviek. Skúste znova o 10 minút.', 10 * MINUTE],
    ['Túl sok kérés. Próbálja újra 30 másodperc múlva.', 30 * SECOND],
    ['Prea multe cereri. Reîncercați peste 30 de secunde.', 30 * SECOND],
    ['Quá nhiều yêu cầu. Vui lòng thử lại sau 30 giây.', 30 * SECOND],
    ['Terlalu banyak permintaan. Coba lagi dalam 5 menit.', 5 * MINUTE],
    ['Terlalu banyak permintaan. Cuba lagi dalam 30 saat.', 30 * SECOND],
    ['Πάρα πολλά αιτήματα. Δοκιμάστε ξανά σε 30 δευτερόλεπτα.', 30 * SECOND],
    ['Забагато запитів. Спробуйте через 5 хвилин.', 5 * MINUTE],
    ['Твърде много заявки. Опитайте след 30 секунди.', 30 * SECOND],
    ['Previše zahtjeva. Pokušajte ponovno za 2 sata.', 2 * HOUR],
    ["Massa sol·licituds. Torneu-ho a provar d'aquí a 30 segons.", 30 * SECOND],
    ['Masyadong maraming kahilingan. Subukan muli sa loob ng 30 segundo.', 30 * SECOND],
    ['คำขอมากเกินไป กรุณาลองใหม่ในอีก 30 วินาที', 30 * SECOND],
    ['تم تجاوز حد المعدل. حاول مرة أخرى بعد 30 ثانية', 30 * SECOND],
    ['יותר מדי בקשות. נסה שוב בעוד 30 שניות', 30 * SECOND],
    ['बहुत अधिक अनुरोध। 30 सेकंड बाद पुनः प्रयास करें।', 30 * SECOND],
    ['অনেক বেশি অনুরোধ। 5 মিনিট পরে আবার চেষ্টা করুন।', 5 * MINUTE],
    ['மிக அதிகமான கோரிக்கைகள். 30 வினாடிகள் கழித்து முயற்சிக்கவும்', 30 * SECOND],
    ['بہت زیادہ درخواستیں۔ 30 سیکنڈ بعد دوبارہ کوشش کریں', 30 * SECOND],
    ['درخواست‌ها بیش از حد است. پس از 5 دقیقه دوباره تلاش کنید', 5 * MINUTE],
    ['Te veel verzoeken. Probeer het over 1 uur en 30 minuten opnieuw.', 90 * MINUTE],
    ['För många förfrågningar. Försök igen om 2 dagar.', 2 * DAY],
  ])('%s', (message, ms) => expect(statedBy(message)).toBe(ms))

  it.each([
    'Te veel verzoeken: 60 per 30 seconden.',
    'Çok fazla istek: 30 saniyede 60 istek.',
    'Quá nhiều yêu cầu: 60 yêu cầu mỗi 30 giây',
    'Too many requests over 30 tokens',
  ])('is not read from the size of a window: %s', message => expect(statedBy(message)).toBeUndefined())
})
