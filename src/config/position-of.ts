import type { Problem } from './error.ts'
import type { LoadedConfig } from './loaded.ts'

/**
 * Where to report a problem that only shows when a config is used: the first of these paths that is set (such as
 * `providers[0].defaults.effort`), else the file as a whole.
 */
export function positionOf(
  loaded: LoadedConfig,
  paths: readonly string[],
): Omit<Problem, 'path' | 'message'> {
  for (const path of paths) {
    const origin = loaded.originOf(path)
    if (origin?.from === 'file') return { file: origin.file, line: origin.line, column: origin.column }
    if (origin?.from === 'environment') return { file: origin.variable }
    if (origin?.from === 'flag') return { file: origin.flag }
  }
  return { file: loaded.file ?? 'mulligan.toml' }
}
