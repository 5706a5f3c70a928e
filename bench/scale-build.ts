import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Builds the daemon of the version at `root` as the package is built, because users load no sources. Returns the file to start. */
export async function buildDaemon(root: string): Promise<string> {
  const bundle = await rolldown({
    input: join(root, 'bench/scale-part.ts'),
    platform: 'node',
    // Other people's packages are loaded as they are installed.
    external: id => /^[a-z@]/i.test(id) && !id.startsWith('@mulligan/'),
    resolve: { conditionNames: ['mulligan-source', 'import', 'node'] },
  })
  const folder = join(root, 'bench/.built')
  await bundle.write({ dir: folder, format: 'esm' })
  await bundle.close()
  return join(folder, 'scale-part.js')
}
