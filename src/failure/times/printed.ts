/**
 * Durations as programs print them: .NET time spans (`22.14:18:12`, `00:04:12.5`), Python's (`1 day, 2:03:04`), ISO 8601
 * (`PT1H30M`, `P1D`).
 */
const SPAN = String.raw`(?:\d{1,3}\.|\d{1,3} days?, )?\d{1,3}:\d\d:\d\d(?:\.\d{1,9})?`
const ISO = String.raw`P(?=T?\d)(?:\d{1,4}D)?(?:T(?=\d)(?:\d{1,5}H)?(?:\d{1,6}M)?(?:\d{1,8}(?:\.\d{1,9})?S)?)?`

/** Any of them, for use in larger patterns. */
export const PRINTED_SOURCE = `${SPAN}|${ISO}`

const WHOLE_SPAN = /^(?:(\d{1,3})(?:\.| days?, ))?(\d{1,3}):(\d\d):(\d\d(?:\.\d{1,9})?)$/i
const WHOLE_ISO =
  /^P(?=T?\d)(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8}(?:\.\d{1,9})?)S)?)?$/i

/** Parses such a duration into milliseconds; undefined if the text is not one. */
export function parsePrinted(text: string): number | undefined {
  const parts = WHOLE_SPAN.exec(text) ?? WHOLE_ISO.exec(text)
  if (!parts) return undefined
  const [days, hours, minutes, seconds] = parts.slice(1).map(part => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ]
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000
}
