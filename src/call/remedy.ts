const HARMLESS = 'harmless twice? `repeatable: true`'
const ONE_REQUEST = 'one request? `atomic: true`'

/**
 * What would have allowed a second try, in the words of the library.
 * @param mayBeAtomic its last request was refused, and it is not known to be the only one
 */
export function remedyOf(mayBeAtomic: boolean): string {
  return mayBeAtomic ? `${ONE_REQUEST}; ${HARMLESS}` : HARMLESS
}

/** The same reason in the words of a command: its flag in place of the library's options. */
export function withFlag(reason: string, flag: string): string {
  return reason.replace(`${ONE_REQUEST}; `, '').replace(HARMLESS, `harmless twice? ${flag}`)
}
