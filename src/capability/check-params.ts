import type { z } from 'zod'
import type { Capability } from './capability.ts'

/** Parameters that fit, as the work gets them; or what is wrong with them, in words. */
export type CheckedParams<P> = { fits: true; params: P } | { fits: false; problems: readonly string[] }

/** Reads parameters by the schema of a capability. Never rejects; values that were given are not repeated. */
export async function checkParams<P>(
  capability: Pick<Capability<P>, 'params' | 'problems'>,
  given: unknown,
): Promise<CheckedParams<P>> {
  try {
    const parsed = await capability.params.safeParseAsync(given)
    if (!parsed.success) return { fits: false, problems: parsed.error.issues.map(problemText) }
    const problems = capability.problems(parsed.data)
    return problems.length === 0 ? { fits: true, params: parsed.data } : { fits: false, problems }
  } catch (error) {
    // A schema may run code of the user.
    const message = error instanceof Error ? error.message : String(error)
    return { fits: false, problems: [`the schema could not read them: ${message}`] }
  }
}

/** One problem with its path: `items[0].id: …`. */
export function problemText({ path, message }: Pick<z.core.$ZodIssue, 'path' | 'message'>): string {
  const where = path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  )
  return where === '' ? message : `${where}: ${message}`
}
