import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createOpencodeClient } from '@opencode-ai/sdk'
import { opencodeConfig } from '../lab/environment.ts'
import type { Lab } from '../lab/lab.ts'
import { startLab } from '../lab/start.ts'
import type { OpencodeClient } from '../src/adapter/opencode/client.ts'
import { run } from '../src/process/run.ts'
import { installClis, PACKAGES } from './lab-matrix/install.ts'

const CLIS = fileURLToPath(new URL('../.cache/lab-clis', import.meta.url))

/** Path of opencode, installed if missing; or why it cannot be installed. */
export async function opencodeProgram(): Promise<{ program?: string; why?: string }> {
  try {
    return { program: join(await installClis(CLIS, () => {}, ['opencode']), 'opencode') }
  } catch (error) {
    if (process.env.CI === 'true') throw error
    return { why: `opencode cannot be installed: ${(error as Error).message}` }
  }
}

/** A real opencode server that uses only the lab's models, in a temporary home. */
export interface TestServer {
  lab: Lab
  client: OpencodeClient & ReturnType<typeof createOpencodeClient>
  folder: string
  close(): Promise<void>
}

/** @param more further config besides the lab */
export async function startOpencode(
  program: string,
  more: object = {},
  files: Record<string, string> = {},
): Promise<TestServer> {
  const lab = await startLab({ waitMs: 3 * 3_600_000 })
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-opencode-'))
  for (const [name, text] of Object.entries({ ...INSTALLED, ...files })) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const stop = new AbortController()
  let printed = ''
  let opened: (url: string) => void = () => {}
  const url = new Promise<string>(resolve => {
    opened = resolve
  })
  const ended = run({
    argv: [program, 'serve', '--port', '0', '--hostname', '127.0.0.1'],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(lab.url, more)),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    signal: stop.signal,
    onOutput: (_stream, chunk) => {
      printed += chunk
      const found = /listening on (http:\S+)/.exec(printed)
      if (found) opened(found[1] as string)
    },
  })
  const baseUrl = await Promise.race([
    url,
    ended.then(() => Promise.reject(new Error(`opencode ended: ${printed.slice(-2_000)}`))),
  ])
  return {
    lab,
    client: createOpencodeClient({ baseUrl }) as TestServer['client'],
    folder,
    close: async () => {
      stop.abort()
      await ended
      await lab.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * opencode installs the types for plugins into its config folder at every first start, unless the lock file there names
 * them. No plugin of a test needs them, and installing them takes longer than everything else that it does.
 */
const PLUGIN_TYPES = { dependencies: { '@opencode-ai/plugin': PACKAGES.opencode.version } }
const INSTALLED = {
  'config/opencode/package.json': JSON.stringify(PLUGIN_TYPES),
  'config/opencode/package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { '': PLUGIN_TYPES } }),
  'config/opencode/node_modules/.keep': '',
}

/** Three models: two for a council, and one that asks it. */
function configOf(url: string, more: object): object {
  const config = opencodeConfig(url) as { provider: { lab: { models: Record<string, object> } } }
  const { models } = config.provider.lab
  for (const name of ['claude-lab-2', 'claude-lab-3']) models[name] = { ...models['claude-lab-1'], name }
  return { ...config, ...more }
}
