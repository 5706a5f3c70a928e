/** A duration for people, in its two largest units. */
export function durationInWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ]
  const first = units.findIndex(([size]) => ms >= size)
  const [size, name] = units[first] as [number, string]
  const next = units[first + 1]
  const whole = Math.floor(ms / size)
  if (!next) return `${Number((ms / size).toFixed(1))} ${name}`
  const rest = Math.floor((ms - whole * size) / next[0])
  return rest > 0 ? `${whole} ${name} ${rest} ${next[1]}` : `${whole} ${name}`
}
