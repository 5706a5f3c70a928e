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

/** The entry points that package.json exports, in its order. */
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
