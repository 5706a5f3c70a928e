/** Quiet hours as minutes of the day, such as "22:00-07:00"; undefined if they are not. */
export function readQuiet(text: string): { from: number; to: number } | undefined {
  const found = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (!found) return undefined
  const [, hour, minute, toHour, toMinute] = found.map(Number) as [number, number, number, number, number]
  const [from, to] = [hour * 60 + minute, toHour * 60 + toMinute]
  return from === to ? undefined : { from, to }
}
