import { WorkFailed } from '../../capability/work-failed.ts'
import { run } from '../../process/run.ts'
import { messageToJson } from '../message.ts'
import { findProgram } from './find-program.ts'
import type { Surface, SurfaceHost } from './surface.ts'

/** Runs a program without a shell, with the message as JSON on its stdin. Exit code 0 means delivered. */
export function commandSurface(
  { argv }: { argv: readonly [string, ...string[]] },
  { base, env }: Pick<SurfaceHost, 'base' | 'env'>,
): Surface {
  return {
    kind: 'command',
    check: async () => {
      findProgram(argv[0], { env, base })
      return { notChecked: 'that it delivers' }
    },
    send: async (message, { signal }) => {
      const result = await run({
        argv,
        cwd: base,
        env: { ...env, MULLIGAN_DELIVERY: message.id },
        stdin: `${JSON.stringify(messageToJson(message))}\n`,
        signal,
      })
      if (result.exitCode !== 0) throw new WorkFailed(`${argv[0]} failed`, result)
      return {}
    },
  }
}
