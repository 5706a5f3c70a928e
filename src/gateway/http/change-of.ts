import { redact } from '../../failure/redact.ts'
import { oneLine } from '../../failure/text/printable.ts'
import type { Change } from '../../ledger/change.ts'
import type { Caller, Route } from './route.ts'

/** What a caller did, for the record. */
export function changeOf(
  { id }: Pick<Route, 'id'>,
  { name }: Caller,
  { params, body }: { params: unknown; body: unknown },
): Change {
  const { by, reason, capability } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >
  const named = Object.values((params ?? {}) as Record<string, unknown>).join(' ')
  // A pause says in its body what it is about.
  const subject = named === '' && typeof capability === 'string' ? capability : named
  return {
    // Who they say they are counts less than whom we know.
    by: typeof by === 'string' ? `${redact(oneLine(by))} (${name})` : name,
    via: 'http',
    action: id,
    ...(subject === '' ? {} : { subject }),
    ...(typeof reason === 'string' ? { reason: redact(oneLine(reason)) } : {}),
  }
}
