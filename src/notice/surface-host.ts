import { dirname } from 'node:path'
import type { LoadedConfig } from '../config/loaded.ts'
import type { Time } from '../time/time.ts'
import type { SurfaceHost } from './surface/surface.ts'

/** The host for surfaces of a config; relative paths start from the folder of the config file. */
export function surfaceHostOf(
  { file }: LoadedConfig,
  { env, cwd }: { env: Record<string, string | undefined>; cwd: string },
  time: Pick<Time, 'now'>,
): SurfaceHost {
  return { base: file === undefined ? cwd : dirname(file), env, now: () => time.now() }
}
