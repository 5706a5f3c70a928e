import { type Asking, row } from './asking.ts'

/** A value that all processes share, by name, stored as JSON. */
export function* settingOf(name: string): Asking<unknown> {
  const found = yield* row<{ value: string }>('SELECT value FROM settings WHERE name = $1', name)
  return found && (JSON.parse(found.value) as unknown)
}

/** @param value undefined deletes the setting */
export function* setSetting(name: string, value: unknown): Asking<void> {
  if (value === undefined) yield* row('DELETE FROM settings WHERE name = $1', name)
  else
    yield* row(
      'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
      name,
      JSON.stringify(value),
    )
  yield { known: true }
}
