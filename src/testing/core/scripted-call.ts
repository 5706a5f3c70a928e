import type { CallFunction } from '../../call/context.ts'
import { Script, type ScriptStep } from './script.ts'

/** A function for `call` that plays a script. */
export function scriptedCall(
  steps: readonly ScriptStep[],
  rest?: unknown,
): CallFunction<unknown> & { script: Script } {
  const script = new Script(steps, rest)
  const work: CallFunction<unknown> = ({ provider, resume, signal }) =>
    script.play({ params: undefined, provider, resumed: resume?.sessionId, run: undefined }, signal)
  return Object.assign(work, { script })
}
