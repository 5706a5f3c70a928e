import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Piece, Site } from './piece.ts'

/** A plugin file that opencode loads by itself; the code is in this package. */
export function opencodePlugin({ words }: Site, folder: string): Piece {
  return {
    file: join(folder, 'plugin', 'mulligan.js'),
    own: [
      '// Written by "mulligan install opencode", and removed by "mulligan install opencode --remove".',
      `import { mulliganPlugin } from ${JSON.stringify(moduleUrl())}`,
      '',
      `export const Mulligan = mulliganPlugin(${JSON.stringify(words)})`,
      '',
    ].join('\n'),
  }
}

/** The module of this package, from its sources in a clone. */
function moduleUrl(): string {
  let root = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  const source = join(root, 'src', 'adapter', 'opencode', 'index.ts')
  const built = join(root, 'dist', 'adapter', 'opencode', 'index.js')
  return pathToFileURL(existsSync(source) ? source : built).href
}
