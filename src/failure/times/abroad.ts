import { matchesOf } from '../text/matches.ts'

/** Beginnings of units of time in languages whose throttles are known (pages/abroad.ts), besides those of duration.ts. */
const UNITS: readonly (readonly [number, RegExp])[] = [
  [
    1_000,
    /^(?:seconden|sekund|sekúnd|sekunn|saniye|másodperc|secunde|giây|detik|δευτερόλεπτ|секунд|segons|segundo|วินาที|ثاني|ثوان|שני|सेक|সেকেন্ড|வினாடி|سیکنڈ)/iu,
  ],
  [
    60_000,
    /^(?:minut|minút|dakika|perc|phút|menit|minit|λεπτ|минут|хвилин|минути|นาที|دقيق|دقائق|דקות|मिनट|মিনিট|நிமிட|منٹ|دقیقه)/iu,
  ],
  [
    3_600_000,
    /^(?:uur|timm|time[nr]?|tunn|saat|hodin|hodín|óra|óranegyed|or[eă]|giờ|jam|ώρ|годин|час|sat|hores|oras|ชั่วโมง|ساع|שעות|घंट|ঘন্ট|மணி|گھنٹ)/iu,
  ],
  [
    86_400_000,
    /^(?:dagen|dagar|dage|dager|päiv|gün|dní|nap|zile|ngày|hari|ημέρ|дн|дан|dies|araw|วัน|أيام|ימים|दिन|দিন|நாட்|دن|روز)/iu,
  ],
]

const ONE = String.raw`\d{1,6}(?:[.,]\d{1,3})?\s?(?:de )?\p{L}[\p{L}\p{M}]{0,14}`
const LENGTH = String.raw`(${ONE}(?:,?\s(?:\p{L}{1,3}\s)?${ONE}){0,2})`
/** "om 30 sekunder", "sau 30 giây", "بعد 30 ثانية". */
const BEHIND = new RegExp(
  String.raw`(ใน|อีก|(?<!\p{L})(?:om|over|binnen|za|o|în|peste|en|d'aquí a|ng|sau|trong|dalam|selepas|setelah|σε|след|через|за|بعد|خلال|בעוד|پس از|تا))\s{0,2}${LENGTH}`,
  'iu',
)
/** "30 saniye sonra", "30 másodperc múlva", "30 सेकंड बाद". */
const BEFORE = new RegExp(
  String.raw`${LENGTH}\s?(?:sonra|içinde|múlva|kuluttua|päästä|बाद|में|পরে|பிறகு|கழித்து|بعد|میں|دیگر)(?!\p{L})`,
  'iu',
)
const PART = /(\d{1,6}(?:[.,]\d{1,3})?)\s?(?:de )?(\p{L}[\p{L}\p{M}]{0,14})/gu

/** A duration from now as other languages state it, in milliseconds; undefined if there is none. */
export function lengthAbroad(text: string): number | undefined {
  const behind = BEHIND.exec(text)
  const found = behind?.[2] ?? BEFORE.exec(text)?.[1]
  if (found === undefined) return undefined
  let total = 0
  for (const [, amount = '', unit = ''] of matchesOf(PART, found)) {
    const ms = msOf(unit, behind?.[1])
    if (ms === undefined) break
    total += Number(amount.replace(',', '.')) * ms
  }
  return total > 0 ? total : undefined
}

/** An hour in Turkish is a second in Malay. */
function msOf(unit: string, before: string | undefined): number | undefined {
  if (unit === 'saat' && /^(?:dalam|selepas)$/i.test(before ?? '')) return 1_000
  return UNITS.find(([, form]) => form.test(unit))?.[0]
}
