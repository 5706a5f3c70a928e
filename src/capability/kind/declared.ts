import type { z } from 'zod'
import { quote } from '../../failure/quote.ts'
import type { RetryPolicy } from '../../verdict/retry-policy.ts'
import type { Capability, CapabilitySettings } from '../capability.ts'
import { type DeclaredParams, schemaOf, secretsIn } from '../declared-params.ts'
import { build, type Parts } from '../define.ts'
import { ParamsError } from '../error.ts'
import { type CapabilityFacts, type DeclaredVerification, verificationFrom } from './check.ts'
import { paramNames } from './param-names.ts'

/** Parameters of a declared capability, by name. */
export type Params = Record<string, unknown>

/** Settings of a capability declared without code. */
export interface DeclaredSettings extends CapabilitySettings<Params> {
  /** Its parameters by name, or a zod schema. Default: none. */
  params?: DeclaredParams | z.ZodType<Params>
  /** Whether it may run twice. Required for commands. Default: `replay` for GET and HEAD, `none` for other requests and agents. */
  retry?: RetryPolicy
  /** For `verify_first`, which requires it: how to check whether its effect is there. */
  verify?: DeclaredVerification<Params> | DeclaredVerification<Params>['check']
  /** Folder that relative paths start from. Default: the runner's. */
  base?: string
}

/** What a kind makes from its own settings. */
type Own = Pick<Parts<Params, unknown>, 'run' | 'problems' | 'variables'> & { resumable?: boolean }

/** Builds a declared capability; `make` gets what is known about its parameters. */
export function declare(
  kind: Capability['kind'],
  settings: DeclaredSettings,
  make: (facts: CapabilityFacts) => Own,
): Capability<Params> {
  const { params = {}, verify, base, ...common } = settings
  const schema = isSchema(params) ? params : schemaOf(settings.name, params)
  const secrets = [...new Set([...(settings.secrets ?? []), ...(isSchema(params) ? [] : secretsIn(params))])]
  const facts = { capability: settings.name, known: paramNames(schema), secrets, base }
  const own = make(facts)
  const ready = verify && verificationFrom(typeof verify === 'function' ? { check: verify } : verify, facts)
  return build<Params, unknown>(
    kind,
    { ...common, secrets },
    {
      params: schema,
      resumable: own.resumable ?? false,
      verification: ready?.verification,
      variables: [...own.variables, ...(ready?.variables ?? [])],
      problems: own.problems,
      // Callers that skip the check for problems must not bypass it.
      run: async (given, context) => {
        const [problem] = own.problems(given)
        if (problem)
          throw new ParamsError(`capability ${quote(settings.name)}: invalid parameters: ${problem}`)
        return own.run(given, context)
      },
    },
  )
}

function isSchema(params: DeclaredParams | z.ZodType<Params>): params is z.ZodType<Params> {
  return typeof (params as { safeParseAsync?: unknown }).safeParseAsync === 'function'
}
