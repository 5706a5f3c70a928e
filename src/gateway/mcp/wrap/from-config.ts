import { dirname, resolve } from 'node:path'
import type { TrustedConfig } from '../../../config/loaded.ts'
import { resolveText, resolveTexts } from '../../../config/reference.ts'
import type { UpstreamConfig } from '../../../config/schema/upstream.ts'
import { present } from '../../../failure/present.ts'
import { childEnvironment } from '../../../process/environment.ts'
import type { ToolSettings, UpstreamSettings } from './upstream-settings.ts'

/** What the servers of a config are started within. */
export interface UpstreamWorld {
  env: Readonly<Record<string, string | undefined>>
  /** Folder of the client. */
  cwd: string
}

/**
 * The MCP servers of a config, in its order. Throws where a variable is missing that one of them needs.
 * @param names only these; all if there are none
 */
export function upstreamsOf(
  { config, file }: TrustedConfig,
  { env, cwd }: UpstreamWorld,
  names: readonly string[] = [],
): UpstreamSettings[] {
  const base = file === undefined ? cwd : dirname(file)
  return config.upstreams
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .map(upstream => ({
      name: upstream.name,
      target: targetOf(upstream, { env, cwd }, base),
      ownEnv: resolveTexts(upstream.env, { env: { ...env } }),
      ...present({ identity: upstream.identity }),
      startTimeoutMs: upstream.startTimeoutMs,
      timeoutMs: upstream.timeoutMs,
      idleTimeoutMs: upstream.idleTimeoutMs,
      ...present({ prefix: upstream.prefix, concurrency: upstream.concurrency }),
      tools: Object.fromEntries(Object.entries(upstream.tools).map(([name, tool]) => [name, toolOf(tool)])),
    }))
}

function targetOf(
  { argv, env: own, cwd: folder, url, headers }: UpstreamConfig,
  { env, cwd }: UpstreamWorld,
  base: string,
): UpstreamSettings['target'] {
  const resolving = { env: { ...env } }
  if (url !== undefined)
    return {
      by: 'http',
      url: resolveText(url, resolving),
      headers: Object.fromEntries(
        Object.entries(resolveTexts(headers, resolving)).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    }
  return {
    by: 'stdio',
    argv: (argv ?? []).map(word => resolveText(word, resolving)) as [string, ...string[]],
    cwd: folder === undefined ? cwd : resolve(base, folder),
    env: { ...childEnvironment(env), ...resolveTexts(own, resolving) },
  }
}

function toolOf({
  retry,
  atomic,
  timeoutMs,
  idleTimeoutMs,
  verify,
}: UpstreamConfig['tools'][string]): ToolSettings {
  return {
    ...present({ retry }),
    ...(atomic ? { atomic } : {}),
    ...present({ timeoutMs, idleTimeoutMs }),
    ...(verify === undefined
      ? {}
      : {
          verify: {
            tool: verify.tool,
            arguments: verify.arguments,
            ...present({ contains: verify.contains }),
          },
        }),
  }
}
