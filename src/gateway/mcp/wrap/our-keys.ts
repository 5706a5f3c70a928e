import { isObject, type RpcResponse, readMessage } from '../json-rpc.ts'
import { replaced, spanOf } from '../json-text.ts'

/** Keys under which Mulligan tells a client about a call. Only Mulligan may use them. */
const OUR_KEYS: readonly string[] = [
  'mulligan',
  'queued_for_retry',
  'operation_id',
  'retry_at',
  'retry_hint',
  'parked_for',
]

/** Where Mulligan writes them. */
const PLACES = [
  ['result', '_meta'],
  ['error', 'data'],
] as const

/** A server's answer without what it says in Mulligan's name; the same object if it says nothing. */
export function withoutOurKeys<A extends { line: Buffer; response: RpcResponse }>(answered: A): A {
  const { response } = answered
  const given = [response.result?._meta, response.error?.data]
  if (!given.some(value => isObject(value) && OUR_KEYS.some(key => Object.hasOwn(value, key))))
    return answered
  const text = answered.line.toString('utf8').trimEnd()
  const changes = PLACES.flatMap((path, at) => {
    const span = spanOf(text, path)
    const value = given[at]
    return span && isObject(value) ? [{ ...span, by: JSON.stringify(without(value)) }] : []
  })
  const changed = replaced(text, changes)
  return { ...answered, line: Buffer.from(`${changed}\n`), response: readMessage(changed) as RpcResponse }
}

function without(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !OUR_KEYS.includes(key)))
}
