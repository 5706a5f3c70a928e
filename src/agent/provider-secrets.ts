import type { Text } from '../config/reference.ts'
import type { ProviderConfig } from '../config/schema/provider.ts'
import { redact } from '../failure/redact.ts'
import { meaningOfName } from '../failure/secret/names.ts'
import type { Environment } from './variables.ts'

/**
 * The secrets that a provider's program is given: its credential, and values in its `env` and `args` that are not a path, address,
 * number or word. A referenced value (`env:NAME`) was kept out of the file for a reason; a value in the file counts if its name
 * or shape says so.
 */
export function secretsOf({ credential, env: variables, args }: ProviderConfig, env: Environment): string[] {
  return [
    ...(credential?.isSet({ env }) ? [credential.resolve({ env })] : []),
    ...Object.entries(variables).flatMap(([name, text]) => secretIn(name, text, env)),
    ...args.flatMap(text => secretIn('', text, env)),
  ]
}

function secretIn(name: string, text: Text, env: Environment): string[] {
  if (typeof text === 'string')
    return isSecretName(name) || redact(`${name}=${text}`) !== `${name}=${text}` ? [text] : []
  if (!text.isSet({ env })) return []
  const value = text.resolve({ env })
  return isSecretName(name) || isSecretName(text.variable) || !isPlain(value) ? [value] : []
}

function isSecretName(name: string): boolean {
  const meaning = meaningOfName(name)
  return meaning !== 'nothing' && meaning !== 'maybe'
}

/** A folder, an address without a user name, a number, or words. */
function isPlain(value: string): boolean {
  if (redact(value) !== value) return false
  return /^(?:[/~.][^\s]*|https?:\/\/[^\s]*|[\d.,:]+|[A-Za-z]+(?:[-_ ][A-Za-z]+)*)$/.test(value.trim())
}
