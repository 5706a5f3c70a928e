/**
 * The same text with other numbers, ids, times and paths, as in the next occurrence. Three-digit numbers stay, because
 * most are a status, and another status is another failure.
 */
export function varied(text: string, seed: number): string {
  const other = (digits: string) =>
    digits.replace(/\d/g, (digit, at: number) => String((Number(digit) + seed + at) % 9 || 1))
  const hex = (id: string) =>
    id.replace(/[0-9a-f]/g, (digit, at: number) =>
      /\d/.test(digit)
        ? String((Number(digit) + seed + at) % 10)
        : 'abcdef'.charAt(('abcdef'.indexOf(digit) + seed + at) % 6),
    )
  return text
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, hex)
    .replace(
      /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g,
      `2027-0${seed}-1${seed}T0${seed}:2${seed}:3${seed}Z`,
    )
    .replace(/(?<=^|[\s"'(])(?:\/[\w.-]+){2,}/g, path => `/opt/v${seed}${path}`)
    .replace(/(?<![\w.-])(?:\d{2}|\d{4,})(?![\w.])/g, other)
}
