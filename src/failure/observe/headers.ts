import { dataOf, isList, isObject, ownKeys } from './read.ts'

const MOST_HEADERS = 128
/** No header that states a cause or a time is longer. */
const LONGEST_VALUE = 4_096

/**
 * Reads headers in any form that clients use: a Headers object, a Map, pairs, a plain object.
 * @param wanted of their names, in lower case; default all
 */
export function readHeaders(value: unknown, wanted?: RegExp): [string, string][] {
  if (!isObject(value)) return []
  const read: [string, string][] = []
  let seen = 0
  try {
    for (const pair of pairsOf(value)) {
      if (seen++ === MOST_HEADERS) break
      const [given, content] = pair
      if (typeof given !== 'string') continue
      const name = given.toLowerCase()
      if (wanted && !wanted.test(name)) continue
      const text = isList(content) ? String((content as unknown[])[0]) : content
      if (typeof text === 'string' || typeof text === 'number')
        read.push([name, String(text).slice(0, LONGEST_VALUE)])
    }
  } catch {
    // Half of the headers are better than none.
  }
  return read
}

function pairsOf(value: object): Iterable<[unknown, unknown]> {
  if (isList(value)) return (value as unknown[]).slice(0, MOST_HEADERS).filter(isList) as [unknown, unknown][]
  const tag = Object.prototype.toString.call(value)
  if (tag === '[object Headers]' || value instanceof Map) return value as Iterable<[unknown, unknown]>
  return ownKeys(value, MOST_HEADERS).map(name => [name, dataOf(value, name)])
}
