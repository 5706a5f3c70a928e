import type { Lab } from '../../lab/index.ts'
import { startLab } from '../../lab/start.ts'
import type { Scene } from './scenes.ts'

/** The words of the model: whoever prints them was answered. */
export const ANSWER = 'The lab says good morning.'
/** How often a limit's remaining wait is said anew. */
const TICK_MS = 500

/** A vendor in a scene. */
export interface SceneVendor {
  lab: Lab
  /** Model calls so far. */
  calls: () => number
  close: () => Promise<void>
}

/** Starts a vendor that fails as the scene says, from its first model call on. */
export async function startVendor({ fault, lasts }: Scene): Promise<SceneVendor> {
  const lab = await startLab({ answer: ANSWER, slowMs: 50 })
  const isCall = (asked: string) => !['tokens', 'models', 'other'].includes(asked)
  let ticking: NodeJS.Timeout | undefined
  if (fault !== undefined) {
    const fail = (waitMs?: number) => {
      lab.clear()
      lab.inject({
        fault,
        times: lasts === 'once' ? 1 : 'always',
        ...(waitMs === undefined ? {} : { waitMs }),
      })
    }
    fail(typeof lasts === 'number' ? lasts : undefined)
    const stop = lab.onRequest(({ asked }) => {
      if (!isCall(asked) || ticking || typeof lasts !== 'number') return
      const end = performance.now() + lasts
      ticking = setInterval(() => {
        const left = Math.ceil(end - performance.now())
        if (left > 0) return fail(left)
        clearInterval(ticking)
        lab.clear()
      }, TICK_MS)
      setImmediate(stop)
    })
  }
  return {
    lab,
    calls: () => lab.requests.filter(({ asked }) => isCall(asked)).length,
    close: async () => {
      clearInterval(ticking)
      await lab.close()
    },
  }
}
