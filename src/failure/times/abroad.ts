import { matchesOf } from '../text/matches.ts'

interface Forms {
  readonly behind: RegExp
  readonly before: RegExp
  readonly part: RegExp
  readonly units: readonly (readonly [number, RegExp])[]
}

/** Made when first needed: they are slow to make, and few programs meet other languages. */
let made: Forms | undefined

/** Beginnings of units of time in languages whose throttles are known (pages/abroad.ts), besides those of duration.ts. */
const UNITS: readonly (readonly [number, string])[] = [
  [
    1_000,
    '^(?:seconden|sekund|sekúnd|sekunn|saniye|másodperc|secunde|giây|detik|δευτερόλεπτ|секунд|segons|segundo|วินาที|ثاني|ثوان|שני|सेक|সেকেন্ড|வினாடி|سیکنڈ)',
  ],
  [
    60_000,
    '^(?:minut|minút|minuut|dakika|perc|phút|menit|minit|λεπτ|минут|хвилин|минути|นาที|دقيق|دقائق|דקות|मिनट|মিনিট|நிமிட|منٹ|دقیقه)',
  ],
  [
    3_600_000,
    '^(?:uur|timm|time[nr]?|tunn|saat|hodin|hodín|óra|óranegyed|or[eă]|giờ|jam|ώρ|годин|час|sat|hores|oras|ชั่วโมง|ساع|שעות|घंट|ঘন্ট|மணி|گھنٹ)',
  ],
  [
    86_400_000,
    '^(?:dagen|dagar|dage|dager|päiv|gün|dní|nap|zile|ngày|hari|ημέρ|дн|дан|dies|araw|วัน|أيام|ימים|दिन|দিন|நாட்|دن|روز)',
  ],
]

const ONE = String.raw`\d{1,6}(?:[.,]\d{1,3})?\s?(?:de )?\p{L}[\p{L}\p{M}]{0,14}`
const LENGTH = String.raw`(${ONE}(?:,?\s(?:\p{L}{1,3}\s)?${ONE}){0,2})`
/** "om 30 sekunder", "sau 30 giây", "بعد 30 ثانية". */
const BEHIND = String.raw`(ใน|อีก|(?<!\p{L})(?:om|over|binnen|za|o|în|peste|en|d'aquí a|ng|sau|trong|dalam|selepas|setelah|tunggu|chờ|vänta|vent|подождите|odczekaj|počkejte|σε|след|через|за|بعد|خلال|בעוד|پس از|تا))\s{0,2}${LENGTH}`
/** "30 saniye sonra", "30 másodperc múlva", "30 सेकंड बाद". */
const BEFORE = String.raw`${LENGTH}\s?(?:sonra|içinde|múlva|kuluttua|päästä|बाद|में|পরে|பிறகு|கழித்து|بعد|میں|دیگر)(?!\p{L})`
const PART = String.raw`(\d{1,6}(?:[.,]\d{1,3})?)\s?(?:de )?(\p{L}[\p{L}\p{M}]{0,14})`

function forms(): Forms {
  return {
    behind: new RegExp(BEHIND, 'iu'),
    before: new RegExp(BEFORE, 'iu'),
    part: new RegExp(PART, 'gu'),
    units: UNITS.map(([ms, beginnings]) => [ms, new RegExp(beginnings, 'iu')]),
  }
}

/** What a text in ASCII needs for one of the patterns. Counts such as "30,000 tokens per minute" are mostly English. */
const IN_ASCII =
  /(?<![a-z])(?:om|over|binnen|za|o|peste|en|ng|sau|trong|dalam|selepas|setelah|tunggu|vent|odczekaj)\s{0,2}\d|sonra|kuluttua/i

/** A duration from now as other languages state it, in milliseconds; undefined if there is none. */
export function lengthAbroad(text: string): number | undefined {
  if (!/[\u0080-\uffff]/.test(text) && !IN_ASCII.test(text)) return undefined
  made ??= forms()
  const { units } = made
  const behind = made.behind.exec(text)
  const found = behind?.[2] ?? made.before.exec(text)?.[1]
  if (found === undefined) return undefined
  let total = 0
  for (const [, amount = '', unit = ''] of matchesOf(made.part, found)) {
    const ms = isMalay(unit, behind?.[1]) ? 1_000 : units.find(([, form]) => form.test(unit))?.[0]
    if (ms === undefined) break
    total += Number(amount.replace(',', '.')) * ms
  }
  return total > 0 ? total : undefined
}

/** An hour in Turkish is a second in Malay. */
function isMalay(unit: string, before: string | undefined): boolean {
  return unit === 'saat' && /^(?:dalam|selepas)$/i.test(before ?? '')
}
