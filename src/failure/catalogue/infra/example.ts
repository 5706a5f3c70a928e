/** Building blocks of the infrastructure rules and their examples. */

/** The words of a list, each with the same prefix: `words('a b', 'error=')`. */
export const words = (list: string, prefix = '') =>
  list
    .trim()
    .split(/\s+/)
    .map(word => prefix + word)

/** Codes that are numbers: `numbered('curl=', 6, 7)`. */
export const numbered = (prefix: string, ...numbers: number[]) => numbers.map(number => `${prefix}${number}`)

/** An error with a `code`, as runtimes and drivers throw it. */
export const coded = (code: string, message: string, extra: object = {}) =>
  Object.assign(new Error(message), { code, ...extra })

/** An error with its own `name`, as libraries throw it. */
export const named = (name: string, message: string, extra: object = {}) =>
  Object.assign(new Error(message), { name, ...extra })

/** An HTTP answer as clients return it. */
export const answer = (status: number, body: unknown = '', headers: object = {}) => ({
  status,
  headers,
  body,
})

/** A finished program that printed an error. */
export const printed = (stderr: string, exitCode: number | null = 1) => ({
  exitCode,
  signal: null,
  stdout: '',
  stderr,
})
