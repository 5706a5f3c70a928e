import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A file that users import by a name such as `mulligan/queue`. */
export interface EntryPoint {
  /** What users write after `from`. */
  specifier: string
  /** Its source, as an absolute path. */
  file: string
}

/** The entry points that the package mulligan exports, in its order. */
export function entryPoints(): readonly EntryPoint[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, string | Record<string, string>>
  }
  return Object.entries(exports).flatMap(([path, target]) => {
    const source = typeof target === 'string' ? undefined : target['mulligan-source']
    return source === undefined ? [] : [{ specifier: join(name, path), file: join(root, source) }]
  })
}

/** The entry points of @mulligan/core: what users write, by their sources relative to src. */
export function coreEntries(): Map<string, string> {
  const { name, exports } = JSON.parse(
    readFileSync(join(root, 'packages', 'core', 'package.json'), 'utf8'),
  ) as {
    name: string
    exports: Record<string, string | { default: string }>
  }
  return new Map(
    Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string' || path.includes('*')
        ? []
        : [[target.default.replace('./dist/', '').replace(/\.js$/, '.ts'), join(name, path)]],
    ),
  )
}

/** Those of core, as entry points. */
export function coreEntryPoints(): readonly EntryPoint[] {
  return [...coreEntries()].map(([file, specifier]) => ({ specifier, file: join(root, 'src', file) }))
}
