import type { FailureClass, FailureKind } from '../../src/failure/failure.ts'
import type { Answer } from '../answer/shape.ts'
import type { Facts } from '../facts.ts'
import type { Reply } from '../reply.ts'
import type { Vendor } from '../request.ts'

/** What a failure that the lab makes should be classified as. */
export interface Expectation {
  class: FailureClass
  kind: FailureKind
}

/** An error as a vendor words it: a JSON envelope, or text from something that stands before the vendor. */
export interface VendorError {
  status: number
  headers?: Record<string, string>
  body: Record<string, unknown> | string
}

interface Described {
  /** What it does, as half a sentence. */
  summary: string
  /** What a client that meets it should make of it; null where it is no failure by itself. */
  expected: Expectation | null
}

/** The vendor refuses or fails, with a status and a body of its own. */
export interface StatusFault extends Described {
  does: 'refuse'
  /** How the wait is stated, if it is: exactly `waitMs`, or some other time. Default not at all. */
  states?: Partial<Record<Vendor, 'wait' | 'time'>>
  /** Kinds of vendors that word it so that it is another one of the same class. Default the expected kind. */
  kinds?: Partial<Record<Vendor, FailureKind>>
  error: Record<Vendor, (facts: Facts) => VendorError>
}

/** The same as a status fault, but inside a stream that began with 200; as the status where nothing streams. */
export interface StreamFault extends Described {
  does: 'refuse in stream'
  of: string
}

/** The model answers, and its answer ends in a way that is none. */
export interface AnswerFault extends Described {
  does: 'answer'
  answer: (facts: Facts, text: string) => Answer
}

/** Something on the way spoils a good answer. */
export interface TransportFault extends Described {
  does: 'spoil'
  spoil: (reply: Reply, facts: Facts) => Reply
}

export type Fault = StatusFault | StreamFault | AnswerFault | TransportFault

/** What a client of this vendor should make of a fault. */
export function expectationOf(fault: Fault, vendor: Vendor): Expectation | null {
  if (fault.expected === null || fault.does !== 'refuse') return fault.expected
  return { class: fault.expected.class, kind: fault.kinds?.[vendor] ?? fault.expected.kind }
}
