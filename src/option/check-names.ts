import { WrongArgument } from '../failure/own-error.ts'
import { nearest } from './nearest.ts'

/** The names of the options of `T`. The compiler checks that the list is complete and exact. */
export function namesOf<T>(names: Record<keyof Required<T>, true>): ReadonlySet<string> {
  return new Set(Object.keys(names))
}

/** How to fix an unknown name, to append to a message: the name that was probably meant, or all known names. */
export function remedyFor(name: string, known: Iterable<string>): string {
  const all = [...known]
  const guess = nearest(name, all)
  return guess === undefined ? `; known: ${all.join(', ')}` : `: did you mean ${guess}?`
}

/**
 * Throws a {@link WrongArgument} for an unknown option, naming the one probably meant, or all known ones. Options that are
 * `undefined` count as not given.
 * @param where what the options belong to, such as `call` or `health, provider "a"`
 */
export function checkNames(where: string, given: object, known: ReadonlySet<string>): void {
  const name = unknownName(given, known)
  if (name !== undefined) throw new WrongArgument(`${where}: unknown option ${name}${remedyFor(name, known)}`)
}

/** The first given option that is unknown; undefined if all are known. */
export function unknownName(given: object, known: ReadonlySet<string>): string | undefined {
  for (const name in given) {
    if (!known.has(name) && (given as Record<string, unknown>)[name] !== undefined) return name
  }
  return undefined
}
