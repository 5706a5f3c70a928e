import { redact } from '../../failure/redact.ts'

/** A copy of an error that engines may store: name, message and stack without secrets, and no other fields. */
export function redactedError({ name, message, stack }: Error): Error {
  const copy = new Error(redact(String(message)))
  copy.name = String(name)
  if (typeof stack === 'string') copy.stack = redact(stack)
  return copy
}
