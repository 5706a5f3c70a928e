import type { Failure } from '../failure.ts'
import { type FingerprintParts, fingerprintOf } from './fingerprint.ts'

// A fingerprint takes a third of the time of classifying, and only records and notices read it, so it is made when it is
// read. From then on it is a plain field. Copies made by spreading, JSON or structuredClone read it, and are plain.

/** Shared by all copies of this package in one program. */
const PARTS = Symbol.for('mulligan.fingerprint.parts')
const READ = Symbol.for('mulligan.fingerprint.read')

interface Unread
  extends Partial<Pick<Failure, 'provider' | 'status' | 'code' | 'exitCode' | 'signal' | 'text'>> {
  message: string
  [PARTS]?: FingerprintParts | undefined
}

function read(this: Unread): string {
  const made = fingerprintOf(this[PARTS] ?? partsOf(this))
  if (Reflect.defineProperty(this, 'fingerprint', plain(made))) Reflect.set(this, PARTS, undefined)
  return made
}

/** What is left of the parts in a copy that took the getter along, but not what only we can see. */
function partsOf({ provider, status, code, exitCode, signal, text, message }: Unread): FingerprintParts {
  return { provider, codes: [status, code, exitCode, signal], texts: [{ value: text ?? message, depth: 0 }] }
}

function write(this: object, value: unknown): void {
  Object.defineProperty(this, 'fingerprint', plain(value))
}

function plain(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true }
}

const program = globalThis as { [READ]?: typeof read }
program[READ] ??= read
// One object for all failures: a getter of its own for each would give each its own hidden class.
const FIELD: PropertyDescriptor = { get: program[READ], set: write, enumerable: true, configurable: true }

/** What Node's console shows: the fingerprint rather than that there is a getter. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')
const INSPECTED: PropertyDescriptor = {
  value(this: object) {
    return { ...this }
  },
}

/** Gives a failure its fingerprint, made when it is first read. */
export function fingerprintWhenRead(failure: object, parts: FingerprintParts): void {
  Object.defineProperty(failure, 'fingerprint', FIELD)
  Object.defineProperty(failure, INSPECT, INSPECTED)
  Object.defineProperty(failure, PARTS, { value: parts, writable: true })
}

/** A fingerprint as data: no getter runs but ours. */
export function fingerprintIn(value: object): unknown {
  if (!Object.hasOwn(value, 'fingerprint')) return undefined
  const field = Object.getOwnPropertyDescriptor(value, 'fingerprint')
  return field?.get !== undefined && field.get === program[READ] ? read.call(value as Unread) : field?.value
}
