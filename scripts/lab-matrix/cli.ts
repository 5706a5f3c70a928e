import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANY_KEY, codexProvider, opencodeConfig } from '../../lab/environment.ts'
import type { AgentSettings } from '../../src/agent/index.ts'
import type { CliName } from './install.ts'

/** How one CLI is pointed at the lab; the rest is the runner's. */
export interface CliSetup {
  env: Record<string, string>
  model: string
  settings?: Partial<AgentSettings>
}

/** How long a CLI may wait for the vendor before it gives up by itself, where it can be told. */
const PATIENCE_MS = 6_000

/** Writes what the CLI reads from its home, and gives the environment. */
export const CLIS: Record<CliName, (home: string, url: string) => CliSetup> = {
  claude: (_home, url) => ({
    model: 'claude-lab-1',
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: ANY_KEY,
      API_TIMEOUT_MS: String(PATIENCE_MS),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  }),
  codex: (home, url) => {
    mkdirSync(join(home, '.codex'), { recursive: true })
    const provider = codexProvider(url).replace('}', `,stream_idle_timeout_ms=${PATIENCE_MS}}`)
    writeFileSync(join(home, '.codex', 'config.toml'), `[model_providers]\nlab = ${provider}\n`)
    return {
      model: 'gpt-5',
      env: { CODEX_HOME: join(home, '.codex'), LAB_API_KEY: ANY_KEY },
      settings: { modelProvider: 'lab' },
    }
  },
  opencode: (_home, url) => {
    const config = opencodeConfig(url) as { provider: { lab: { options: Record<string, unknown> } } }
    config.provider.lab.options.timeout = PATIENCE_MS
    return {
      model: 'lab/claude-lab-1',
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    }
  },
  gemini: (home, url) => {
    mkdirSync(join(home, '.gemini'), { recursive: true })
    writeFileSync(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { maxAttempts: 1, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    )
    return {
      model: 'gemini-2.5-flash',
      env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: ANY_KEY },
    }
  },
}
