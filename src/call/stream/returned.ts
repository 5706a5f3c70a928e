import { dataOf, isObject, isPlain, isResponse } from '../../failure/observe/read.ts'
import { watchedResult } from './ai-sdk.ts'
import { shadow, watchedIterable } from './iterable.ts'
import { type NodeReadable, watchedNode } from './node.ts'
import { PushedAnswer, watchedPushed } from './pushed.ts'
import { watchedResponse } from './response.ts'
import type { StreamWatch, Watched } from './watch.ts'
import { watchedWeb } from './web.ts'

/** Fields with streams in results of the AI SDK and similar ones; the most complete first. */
const STREAM_FIELDS = ['fullStream', 'textStream', 'partialObjectStream', 'elementStream'] as const

/**
 * True for a returned value that continues after the work has returned it. Runs on every successful call: for plain JSON it
 * costs three lookups. Calls no getter.
 */
export function isStream(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  try {
    if (!isPlain(value)) return isOpenStream(value)
    return Symbol.asyncIterator in value || 'textStream' in value || 'fullStream' in value
  } catch {
    // A proxy that throws.
    return false
  }
}

function isOpenStream(value: object): boolean {
  if (value instanceof PushedAnswer) return true
  if (value instanceof ReadableStream) return !value.locked
  if (isResponse(value)) return hasBody(value)
  return isReadable(value) || isIterable(value) || STREAM_FIELDS.some(name => ownerOf(value, name))
}

function hasBody(response: Response): boolean {
  const { body } = response
  return body !== null && !response.bodyUsed && (isReadable(body) || !body.locked)
}

/** True for a Node stream that can be read. One that can also be written to is a connection, which lives longer. */
function isReadable(value: object): value is NodeReadable {
  if (!isObject(dataOf(value, '_readableState'))) return false
  const { _writableState, _transform, destroyed } = value as Record<string, unknown>
  return destroyed !== true && (_writableState === undefined || typeof _transform === 'function')
}

/** True for an async iterable. Paginated lists are iterable too, but they are answers. */
function isIterable(value: object): value is AsyncIterable<unknown> {
  if (isObject(dataOf(value, '_readableState'))) return isReadable(value)
  return (
    isMethod(value, Symbol.asyncIterator) && !isMethod(value, 'iterPages') && !isMethod(value, 'getNextPage')
  )
}

function isMethod(value: object, name: PropertyKey): boolean {
  return typeof ownerOf(value, name)?.value === 'function'
}

/** The property descriptor of a field, from the object or its prototypes. */
function ownerOf(value: object, name: PropertyKey): PropertyDescriptor | undefined {
  for (let at: object | null = value; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, name)
    if (found) return found
  }
  return undefined
}

/** The watched stream; undefined if there is nothing to watch. */
export function watched(value: object, watch: StreamWatch): Watched | undefined {
  if (value instanceof PushedAnswer) return watchedPushed(value, watch)
  if (isResponse(value)) {
    if (value instanceof Response) return watchedResponse(value, watch)
    const { body } = value as { body: unknown }
    return isObject(body) && isReadable(body) ? { ...watchedNode(body, watch), value } : undefined
  }
  return watchedSource(value, watch) ?? watchedResult(value, watch) ?? watchedFields(value, watch)
}

function watchedSource(value: object, watch: StreamWatch): Watched | undefined {
  if (value instanceof ReadableStream) return value.locked ? undefined : watchedWeb(value, watch)
  if (isReadable(value)) return watchedNode(value, watch)
  return isIterable(value) ? watchedIterable(value, watch) : undefined
}

/** Watches a result with streams in its fields, whether present or created on access. */
function watchedFields(result: object, watch: StreamWatch): Watched | undefined {
  let first: Watched['first'] | undefined
  for (const name of STREAM_FIELDS) {
    const field = ownerOf(result, name)
    const wait = field?.get ? watchGetter(result, name, field.get, watch) : watchField(result, name, watch)
    first ??= wait
  }
  return first && { value: result, first }
}

function watchField(result: object, name: string, watch: StreamWatch): Watched['first'] | undefined {
  const stream = dataOf(result, name)
  const found = isObject(stream) ? watchedSource(stream, watch) : undefined
  if (found && found.value !== stream) shadow(result, name, found.value)
  return found?.first
}

function watchGetter(result: object, name: string, get: () => unknown, watch: StreamWatch): Watched['first'] {
  const make = (): Watched => {
    const stream = get.call(result)
    const found = isObject(stream) ? watchedSource(stream, watch) : undefined
    return found ?? { value: stream, first: async () => {} }
  }
  let kept: Watched | undefined
  Object.defineProperty(result, name, {
    configurable: true,
    get() {
      const { value } = kept ?? make()
      kept = undefined
      return value
    },
  })
  return () => {
    kept ??= make()
    return kept.first()
  }
}
