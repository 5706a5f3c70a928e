import type { FailureClass, FailureKind } from '../../src/failure/failure.ts'
import type { Answer } from '../answer/shape.ts'
import type { Facts } from '../facts.ts'
import type { Reply } from '../reply.ts'
import type { Vendor } from '../request.ts'

/** How a failure made by the lab should be classified. */
export interface Expectation {
  class: FailureClass
  kind: FailureKind
}

/** An error in a vendor's words: a JSON envelope, or text from something in front of the vendor. */
export interface VendorError {
  status: number
  headers?: Record<string, string>
  body: Record<string, unknown> | string
}

interface Described {
  /** What it does, as half a sentence. */
  summary: string
  /** How a client should classify it; null if it is not a failure by itself. */
  expected: Expectation | null
}

/** The vendor refuses or fails, with its own status and body. */
export interface StatusFault extends Described {
  does: 'refuse'
  /** Whether the wait is stated: exactly `waitMs`, or some other time. Default: not at all. */
  states?: Partial<Record<Vendor, 'wait' | 'time'>>
  /** For vendors whose wording means another kind of the same class. Default: the expected kind. */
  kinds?: Partial<Record<Vendor, FailureKind>>
  error: Record<Vendor, (facts: Facts) => VendorError>
}

/** A status fault inside a stream that began with 200; sent as the status if nothing streams. */
export interface StreamFault extends Described {
  does: 'refuse in stream'
  of: string
}

/** The model answers, but its answer ends badly. */
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

/** How a client of this vendor should classify a fault. */
export function expectationOf(fault: Fault, vendor: Vendor): Expectation | null {
  if (fault.expected === null || fault.does !== 'refuse') return fault.expected
  return { class: fault.expected.class, kind: fault.kinds?.[vendor] ?? fault.expected.kind }
}
