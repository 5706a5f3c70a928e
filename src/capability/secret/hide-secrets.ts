import { REDACTED, redact } from '../../failure/redact.ts'
import type { Capability } from '../capability.ts'
import { referenceOf } from '../template.ts'
import { isEnvelope } from './envelope.ts'

/**
 * Stored parameters or results for a screen, a log or a message. Hides secret parameters, and everything that looks like a secret.
 * Shows references: they say where a secret is, not what it is.
 * @param capability undefined if it no longer exists; sealed values are still hidden
 */
export function hideSecrets(value: unknown, capability?: Pick<Capability, 'secrets'>): unknown {
  if (!capability || typeof value !== 'object' || value === null || Array.isArray(value)) return hidden(value)
  const fields = Object.entries(value).map(([name, inner]) => {
    const isHidden = capability.secrets.includes(name) && referenceOf(inner) === undefined
    return [
      name,
      isHidden && inner !== undefined && inner !== null ? REDACTED : hiddenField(name, inner),
    ] as const
  })
  return Object.fromEntries(fields)
}

/** Longer than any key or token. */
const SHOWS_HIDING = 1_000

/** People read this: deeper values are left out, which also prevents a stack overflow. */
const DEEPEST = 64

function hidden(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (isEnvelope(value) || depth >= DEEPEST) return REDACTED
  if (Array.isArray(value)) return value.map(item => hidden(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, hiddenField(name, inner, depth + 1)]),
  )
}

/** A name can mark its value as a secret: `password`, `api_key`. */
function hiddenField(name: string, value: unknown, depth = 1): unknown {
  if (typeof value !== 'string') return hidden(value, depth)
  if (referenceOf(value) !== undefined) return value
  // Its beginning shows whether its name hides it.
  const isHidden = redact(`${name}: ${value.slice(0, SHOWS_HIDING)}`).startsWith(`${name}: ${REDACTED}`)
  return isHidden ? REDACTED : redact(value)
}
