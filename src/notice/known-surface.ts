import type { Config } from '../config/schema/config.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import { nearestOrKnown } from '../option/nearest.ts'
import { UnknownName } from '../option/unknown-name.ts'

/** The surface of this name. Throws an {@link UnknownName}. */
export function knownSurface({ surfaces }: Pick<Config, 'surfaces'>, name: string): SurfaceConfig {
  const found = surfaces.find(surface => surface.name === name)
  if (found) return found
  const known = surfaces.map(surface => surface.name)
  const remedy = nearestOrKnown(name, known, 'the config has no [[surface]]')
  throw new UnknownName(`unknown surface ${JSON.stringify(name)}; ${remedy}`)
}
