import { nearest } from '../../option/nearest.ts'
import type { RuntimeFlags } from '../runtime/runtime.ts'
import { UsageError } from './arguments.ts'

/** Flags that every subcommand takes. */
const SHARED: readonly (keyof RuntimeFlags | 'json')[] = ['config', 'data', 'database', 'json']

/** Picks a subcommand, such as `ls` of `ops`. Answers an unknown one with the nearest name. */
export function subcommandOf<T>(
  command: string,
  name: string | undefined,
  known: Readonly<Record<string, T>>,
): T {
  const names = Object.keys(known)
  if (name === undefined) throw new UsageError(`missing subcommand; one of: ${names.join(', ')}`)
  const found = Object.hasOwn(known, name) ? known[name] : undefined
  if (found !== undefined) return found
  const guess = nearest(name, names)
  throw new UsageError(
    `unknown command "${command} ${name}"; ${guess ? `did you mean "${command} ${guess}"?` : `one of: ${names.join(', ')}`}`,
  )
}

/** The only argument of a subcommand. */
export function onlyArgument(command: string, what: string, given: readonly string[]): string {
  const [first, second] = given
  if (first === undefined) throw new UsageError(`${command} needs ${what}`)
  if (second !== undefined)
    throw new UsageError(`${command} takes one argument; unexpected ${JSON.stringify(second)}`)
  return first
}

/** Refuses a flag that the subcommand ignores. @param takes flags of each subcommand, besides the shared ones */
export function refuseOtherFlags<N extends string>(
  command: string,
  name: N,
  given: object,
  takes: Readonly<Record<N, readonly string[]>>,
): void {
  const taken: readonly string[] = [...takes[name], ...SHARED]
  const other = Object.keys(given).find(flag => !taken.includes(flag))
  if (other === undefined) return
  const others = Object.keys(takes).filter(known => takes[known as N].includes(other))
  throw new UsageError(`${command} ${name} takes no --${other}, which is for ${command} ${others.join(', ')}`)
}
