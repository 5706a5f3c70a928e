import { z } from 'zod'
import type { Capability, CapabilitySettings } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import type { Verification } from '../capability/verification.ts'
import { Script, type ScriptStep } from './core/script.ts'

/** Settings of a scripted capability. */
export interface ScriptedOptions extends Omit<CapabilitySettings, 'secrets'> {
  /** One step per try. Default none: every try succeeds. */
  script?: readonly ScriptStep[]
  /** Result of tries after the script. Default `ok`. */
  rest?: unknown
  /** Whether a refused try has no effect. Default true. */
  atomic?: boolean
  /** Default `replay`. */
  retry?: Capability['retry']
  /** Needed for `verify_first`. */
  verify?: Verification | Verification['check']
  /** Default false. */
  resumable?: boolean
}

/** A capability that plays a script, and the script, which records all tries. */
export interface Scripted {
  capability: Capability
  script: Script
}

/** Makes a capability that takes any parameters and plays a script. */
export function scriptedCapability(options: ScriptedOptions): Scripted {
  const { script: steps = [], rest, retry = 'replay', atomic = true, verify, ...settings } = options
  const script = new Script(steps, rest)
  const secondTries =
    retry === 'verify_first' && verify !== undefined
      ? { retry, verify }
      : { retry: retry as 'none' | 'replay' }
  const capability = defineCapability({
    ...settings,
    atomic,
    ...secondTries,
    params: z.unknown(),
    run: (params, { provider, resume, run, signal }) =>
      script.play({ params, provider, resumed: resume?.sessionId, run }, signal),
  })
  return { capability, script }
}
