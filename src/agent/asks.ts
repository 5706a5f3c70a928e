import type { Asks } from './connection-look.ts'

/** A path below a base URL, which may end in a slash. */
export function under(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`
}

/** A key as most vendors take it. */
export function bearer(key: string | undefined): Record<string, string | undefined> {
  return { authorization: key ? `Bearer ${key}` : undefined }
}

/** The headers that have a value; undefined if none has. A reference such as `{env:KEY}` is no key. */
export function keyIn(headers: Readonly<Record<string, string | undefined>>): Asks['key'] {
  const given = Object.entries(headers).filter(
    (entry): entry is [string, string] => !!entry[1] && !/[{$]/.test(entry[1]),
  )
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
