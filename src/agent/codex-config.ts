import { dirname, join } from 'node:path'
import type { OwnFiles } from './cli.ts'
import { type Fields, objectIn, textIn } from './fields.ts'
import { tomlFile } from './login-file.ts'

/** The user's config of codex, with that of the profile it chooses; empty if there is none. */
export function codexConfig({ env, home, readFile }: OwnFiles): Fields {
  const config = tomlFile(readFile(join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'))) ?? {}
  const profile = textIn(config.profile)
  const chosen = profile === undefined ? undefined : objectIn(config.profiles)[profile]
  return { ...config, ...objectIn(chosen) }
}

/** The entry of `model_providers` that codex uses; undefined for a built-in one, whose retries cannot be set. */
export function modelProviderOf(own: OwnFiles): string | undefined {
  const config = codexConfig(own)
  const name = textIn(config.model_provider)
  return name !== undefined && /^[\w-]+$/.test(name) && Object.hasOwn(objectIn(config.model_providers), name)
    ? name
    : undefined
}

/** A line for every request, with status and headers: its output hides both, and its waits. */
const REQUEST_LOG = 'error,codex_http_client::client=debug'

/**
 * Makes codex log its requests, but not the programs that it runs. Undefined if that would change what the user has set up.
 */
export function withRequestLog(own: OwnFiles): { argv: string[]; env: Record<string, string> } | undefined {
  if (own.env.RUST_LOG !== undefined) return undefined
  const files = [
    join(own.env.CODEX_HOME || join(own.home, '.codex'), 'config.toml'),
    '/etc/codex/config.toml',
    ...projectFiles(own.cwd),
  ]
  if (files.some(file => own.readFile(file)?.includes('shell_environment_policy'))) return undefined
  return {
    argv: ['-c', 'shell_environment_policy.exclude=["RUST_LOG"]'],
    env: { RUST_LOG: REQUEST_LOG },
  }
}

function projectFiles(folder: string | undefined): string[] {
  if (folder === undefined) return []
  const above = dirname(folder)
  const file = join(folder, '.codex', 'config.toml')
  return above === folder ? [file] : [file, ...projectFiles(above)]
}
