import type { Capability } from './capability.ts'
import { type CheckedParams, checkParams } from './check-params.ts'
import { isEnvelope } from './secret/envelope.ts'
import { Mask } from './secret/mask.ts'
import type { Secrets } from './secret/secrets.ts'
import { referenceOf } from './template.ts'

/** Parameters that can be stored with an operation, or what is wrong with them. */
export type Admitted =
  | { admitted: true /** As they are stored. */; params: unknown /** The same as JSON text. */; text: string }
  | { admitted: false; problems: readonly string[] }

/**
 * Checks the parameters of a new or edited operation and seals its secrets. Checks their JSON, because that is what a run will
 * read. Synchronous unless the schema is asynchronous. Secrets that are already sealed, and references, are trusted until the
 * run. Throws a {@link SecretKeyError} if there is no usable key.
 * @param givenText the JSON text of what is given, if it was already made
 */
export function admitParams(
  capability: Capability,
  given: unknown,
  secrets: Secrets,
  givenText?: string,
): Admitted | Promise<Admitted> {
  let text: string
  let params: unknown
  try {
    text = givenText ?? JSON.stringify(given ?? {})
    params = JSON.parse(text)
  } catch (error) {
    return { admitted: false, problems: [`they must be JSON: ${(error as Error).message}`] }
  }
  const malformed = capability.secrets.filter(name => isMalformedReference((params as Params)?.[name]))
  if (malformed.length > 0)
    return {
      admitted: false,
      problems: malformed.map(name => `${name}: must name a variable after "env:", such as "env:API_KEY"`),
    }
  const checked = checkParams(capability, params)
  return checked instanceof Promise
    ? checked.then(later => decide(capability, params, text, later, secrets))
    : decide(capability, params, text, checked, secrets)
}

function decide(
  capability: Capability,
  params: unknown,
  text: string,
  checked: CheckedParams<unknown>,
  secrets: Secrets,
): Admitted {
  const problems = checked.fits ? [] : problemsWithoutTrusted(capability, params, checked.problems)
  if (problems.length === 0) {
    const sealed = secrets.seal(capability, params)
    // If nothing is secret, the checked text is the one to store.
    return { admitted: true, params: sealed, text: sealed === params ? text : JSON.stringify(sealed) }
  }
  const mask = new Mask(capability.secrets.map(name => (params as Params)?.[name]))
  return { admitted: false, problems: problems.map(problem => mask.text(problem)) }
}

type Params = Record<string, unknown> | null | undefined

function problemsWithoutTrusted(
  { secrets }: Capability,
  params: unknown,
  problems: readonly string[],
): string[] {
  const trusted = secrets.filter(name => {
    const value = (params as Params)?.[name]
    return isEnvelope(value) || referenceOf(value) !== undefined
  })
  return problems.filter(problem => !trusted.some(name => isAbout(problem, name)))
}

function isMalformedReference(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('env:') && referenceOf(value) === undefined
}

function isAbout(problem: string, name: string): boolean {
  return [':', '.', '['].some(end => problem.startsWith(`${name}${end}`))
}
