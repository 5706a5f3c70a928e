import { dirname } from 'node:path'
import type { LoadedConfig } from '../config/loaded.ts'
import type { Time } from '../time/time.ts'
import type { SurfaceHost } from './surface/surface.ts'

/** What surfaces of a config may use of this process; relative paths start from the file. */
export function surfaceHostOf(
  { file }: LoadedConfig,
  { env, cwd }: { env: Record<string, string | undefined>; cwd: string },
  time: Pick<Time, 'now'>,
): SurfaceHost {
  return { base: file === undefined ? cwd : dirname(file), env, now: () => time.now() }
}
