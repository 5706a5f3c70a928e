import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findBinary } from '../../../agent/binary.ts'
import { CLIS } from '../../../agent/clis.ts'
import { AGENT_CLIS, type AgentCli } from '../../../config/agent-clis.ts'
import { CLIENTS } from '../../../gateway/mcp/client/clients.ts'
import type { Terminal } from '../../terminal.ts'

/** A key that the proxy can add for agents. */
export interface FoundKey {
  variable: string
  /** The API it is for, as `[[provider]] api` names it. */
  api: 'anthropic' | 'openai' | 'gemini'
}

/** What is here that Mulligan can work with. */
export interface Found {
  agents: readonly AgentCli[]
  keys: readonly FoundKey[]
  /** Names of MCP clients that have a config file, for the user or for this folder. */
  clients: readonly string[]
  /** Dependencies of the package.json in this folder that have a guide, with the guide's page. */
  packages: readonly { name: string; guide: string }[]
}

const KEYS: readonly FoundKey[] = [
  { variable: 'ANTHROPIC_API_KEY', api: 'anthropic' },
  { variable: 'OPENAI_API_KEY', api: 'openai' },
  { variable: 'GEMINI_API_KEY', api: 'gemini' },
  { variable: 'GOOGLE_API_KEY', api: 'gemini' },
]

const GUIDES: Readonly<Record<string, string>> = {
  ai: 'docs/sdks.md',
  openai: 'docs/sdks.md',
  '@anthropic-ai/sdk': 'docs/sdks.md',
  '@google/genai': 'docs/sdks.md',
  '@langchain/core': 'docs/sdks.md',
  langchain: 'docs/sdks.md',
  bullmq: 'docs/bullmq.md',
  'pg-boss': 'docs/pg-boss.md',
  'graphile-worker': 'docs/graphile-worker.md',
  '@temporalio/worker': 'docs/temporal.md',
  inngest: 'docs/inngest.md',
  '@dbos-inc/dbos-sdk': 'docs/dbos.md',
  '@restatedev/restate-sdk': 'docs/restate.md',
}

/** More than any package.json. */
const LARGEST_BYTES = 4 * 1_048_576

/** Looks at the PATH, the environment, the clients' config files and package.json. Starts nothing and reads no key. */
export function lookAround({ env, cwd }: Pick<Terminal, 'env' | 'cwd'>): Found {
  const apis = new Set<string>()
  return {
    agents: AGENT_CLIS.filter(
      cli => cli !== 'command' && findBinary(CLIS[cli].binary, { path: env.PATH, cwd }) !== undefined,
    ),
    keys: KEYS.filter(({ variable, api }) => env[variable] && !apis.has(api) && apis.add(api)),
    clients: Object.entries(CLIENTS)
      .filter(
        ([, { userFile, projectFile }]) =>
          existsSync(userFile({ env, platform: process.platform })) || existsSync(join(cwd, projectFile)),
      )
      .map(([name]) => name),
    packages: dependenciesIn(join(cwd, 'package.json')).flatMap(name => {
      const guide = Object.hasOwn(GUIDES, name) ? GUIDES[name] : undefined
      return guide === undefined ? [] : [{ name, guide }]
    }),
  }
}

/** The names of the dependencies; none if the file is missing or cannot be read. */
function dependenciesIn(file: string): string[] {
  try {
    const stat = statSync(file)
    if (!stat.isFile() || stat.size > LARGEST_BYTES) return []
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const names = ['dependencies', 'devDependencies'].flatMap(field =>
      Object.keys((json as Record<string, object | undefined> | null)?.[field] ?? {}),
    )
    return [...new Set(names)]
  } catch {
    return []
  }
}
