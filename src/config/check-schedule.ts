import { nearest } from '../option/nearest.ts'
import type { Checked, Entry } from './check.ts'
import type { Path } from './toml/position.ts'

/** Schedules submit unattended, so every mistake that can be known is reported up front. */
export function checkSchedule(checked: Checked, entry: Entry, path: Path): void {
  const { capability: name } = entry
  if (typeof name !== 'string') return
  const capability = checked.entries('capability').find(({ entry: { name: other } }) => other === name)?.entry
  const modules = checked.table('queue')?.modules
  // A module's capabilities are known only once it runs.
  if (!capability && !(Array.isArray(modules) && modules.length > 0))
    checked.exists(name, [...path, 'capability'], 'capability', 'name')
  // So are the parameters of a module's capability.
  if (capability && capability.module === undefined) checkParams(checked, entry, path, capability)
}

function checkParams(checked: Checked, entry: Entry, path: Path, capability: Entry): void {
  const declared = checked.table('params', capability) ?? {}
  const given = checked.table('params', entry) ?? {}
  const owner = `the capability ${JSON.stringify(entry.capability)}`
  for (const [name, value] of Object.entries(given)) {
    const param = checked.table(name, declared)
    const at = [...path, 'params', name]
    if (param) checkParam(checked, at, param, value)
    else if (!Object.hasOwn(declared, name)) {
      const guess = nearest(name, Object.keys(declared))
      checked.mistake(
        at,
        `is not a parameter of ${owner}${guess === undefined ? '' : `; did you mean ${JSON.stringify(guess)}?`}`,
      )
    }
  }
  for (const name of Object.keys(declared)) {
    const isRequired = checked.table(name, declared)?.required !== false
    if (isRequired && given[name] === undefined)
      checked.mistake(
        given === entry.params ? [...path, 'params'] : path,
        `is missing parameter ${JSON.stringify(name)} of ${owner}`,
      )
  }
}

const TYPES: Record<string, { is: (value: unknown) => boolean; right: string }> = {
  // A date is written without quotes, and stored as its text.
  string: { is: value => typeof value === 'string' || value instanceof Date, right: 'a string' },
  integer: { is: Number.isSafeInteger, right: 'a whole number' },
  number: { is: Number.isFinite, right: 'a number' },
  boolean: { is: value => typeof value === 'boolean', right: 'true or false' },
}

function checkParam(checked: Checked, path: Path, { type = 'string', secret }: Entry, value: unknown): void {
  if (secret === true) {
    // Does not repeat the value: it may be the secret itself.
    if (typeof value !== 'string' || !/^env:[A-Za-z_]\w*$/.test(value))
      checked.mistake(path, 'is a secret and must be "env:NAME"; never put the secret itself in the config')
    return
  }
  const expected = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (expected && !expected.is(value))
    checked.mistake(path, `must be ${expected.right}, as the capability declares`)
}
