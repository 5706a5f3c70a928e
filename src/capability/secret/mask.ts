import type { Failure } from '../../failure/failure.ts'
import { fingerprintIn } from '../../failure/fingerprint/when-read.ts'
import { REDACTED } from '../../failure/redact.ts'
import { formsOf } from '../../failure/secret/forms.ts'

/** A secret shorter than this is hidden only as a whole word, because it would be found everywhere. */
const SHORT = 4

/** Values deeper than this are not searched, but hidden as a whole. Results are at most 64 deep. */
const DEEPEST = 80

/**
 * Hides the secrets of one run, by their exact values, in everything that comes out of it: as they are, and as they look in JSON,
 * in a URL and in base64.
 */
export class Mask {
  readonly #needles: readonly (string | RegExp)[]

  /** @param secrets plain values; in objects and lists, all strings and numbers count */
  constructor(secrets: readonly unknown[]) {
    const forms = new Set(secrets.flatMap(leaves).flatMap(formsOf))
    // Longest first, so no part of a longer secret is left.
    this.#needles = [...forms]
      .sort((a, b) => b.length - a.length)
      .map(form => (form.length < SHORT ? wordOf(form) : form))
  }

  /** True if there is nothing to hide. */
  get isEmpty(): boolean {
    return this.#needles.length === 0
  }

  text(text: string): string {
    let hidden = text
    for (const needle of this.#needles) hidden = hidden.replaceAll(needle, REDACTED)
    return hidden
  }

  /** The value with secrets hidden in all its strings. Errors stay errors; a value without secrets is returned itself. */
  value<T>(value: T): T {
    return this.isEmpty ? value : (this.#hide(value, new Map(), 0) as T)
  }

  failure(failure: Failure): Failure {
    return this.value(failure)
  }

  #hide(value: unknown, seen: Map<object, unknown>, depth: number): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value)
      return this.text(text) === text ? value : REDACTED
    }
    if (typeof value !== 'object' || value === null) return value
    if (depth > DEEPEST) return REDACTED
    if (seen.has(value)) return seen.get(value)
    seen.set(value, value)
    const hidden = Array.isArray(value)
      ? this.#hideList(value, seen, depth)
      : isOpen(value)
        ? this.#hideFields(value, seen, depth)
        : value
    seen.set(value, hidden)
    return hidden
  }

  #hideList(list: readonly unknown[], seen: Map<object, unknown>, depth: number): unknown {
    const hidden = list.map(item => this.#hide(item, seen, depth + 1))
    return hidden.some((item, index) => item !== list[index]) ? hidden : list
  }

  #hideFields(value: object, seen: Map<object, unknown>, depth: number): unknown {
    // What a failure makes when it is read does not survive a copy.
    fingerprintIn(value)
    const fields = Object.getOwnPropertyDescriptors(value) as Record<string, PropertyDescriptor>
    let isChanged = false
    for (const [name, field] of Object.entries(fields)) {
      if (!('value' in field)) continue
      const hidden = this.#hide(field.value, seen, depth + 1)
      if (hidden === field.value) continue
      isChanged = true
      fields[name] = { ...field, value: hidden }
    }
    const named = Object.entries(fields).map(([name, field]) => [this.text(name), field] as const)
    if (!isChanged && named.every(([name]) => Object.hasOwn(fields, name))) return value
    return this.#copy(value, Object.fromEntries(named))
  }

  /** A copy that is still an Error. */
  #copy(value: object, fields: Record<string, PropertyDescriptor>): object {
    const copy = value instanceof Error ? new Error() : {}
    Object.setPrototypeOf(copy, Object.getPrototypeOf(value))
    return Object.defineProperties(copy, fields)
  }
}

/** True for objects whose fields are all they contain: plain ones, errors, and class instances without hidden state. */
function isOpen(value: object): boolean {
  if (value instanceof Error) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.prototype.toString.call(value) === '[object Object]'
}

/** Iterative, because a secret may be nested as deep as JSON goes. */
function leaves(secret: unknown): string[] {
  const found: string[] = []
  const seen = new Set<object>()
  const open: unknown[] = [secret]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') found.push(value)
    else if (typeof value === 'number' || typeof value === 'bigint') found.push(String(value))
    else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value)
      for (const inner of Object.values(value)) open.push(inner)
    }
  }
  return found
}

function wordOf(short: string): RegExp {
  const escaped = short.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'gu')
}
