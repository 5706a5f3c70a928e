import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANY_KEY, codexProvider, opencodeConfig } from '../../lab/environment.ts'
import type { AgentSettings } from '../../src/agent/settings.ts'
import type { CliName } from './install.ts'

/** Settings that point one CLI at the lab. */
export interface CliSetup {
  env: Record<string, string>
  model: string
  settings?: Partial<AgentSettings>
}

/** Timeout of CLIs that have a setting for it, in milliseconds. */
const PATIENCE_MS = 6_000

/**
 * Writes the CLI's config into its home, and returns the environment.
 * @param isHasty turns off its own retries and shortens its waits, where possible; else its defaults apply
 */
export const CLIS: Record<CliName, (home: string, url: string, isHasty: boolean) => CliSetup> = {
  claude: (_home, url, isHasty) => ({
    model: 'claude-lab-1',
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: ANY_KEY,
      ...(isHasty ? { API_TIMEOUT_MS: String(PATIENCE_MS) } : {}),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  }),
  codex: (home, url, isHasty) => {
    mkdirSync(join(home, '.codex'), { recursive: true })
    const file = join(home, '.codex', 'config.toml')
    if (!isHasty) {
      // Its built-in provider, which tries WebSockets first; the lab does not support them.
      writeFileSync(file, `openai_base_url = "${url}/v1"\n`)
      return { model: 'gpt-5', env: { CODEX_HOME: join(home, '.codex'), CODEX_API_KEY: ANY_KEY } }
    }
    const provider = codexProvider(url).replace('}', `,stream_idle_timeout_ms=${PATIENCE_MS}}`)
    writeFileSync(file, `[model_providers]\nlab = ${provider}\n`)
    return {
      model: 'gpt-5',
      env: { CODEX_HOME: join(home, '.codex'), LAB_API_KEY: ANY_KEY },
      settings: { modelProvider: 'lab' },
    }
  },
  opencode: (_home, url, isHasty) => {
    const config = opencodeConfig(url) as { provider: { lab: { options: Record<string, unknown> } } }
    if (isHasty) config.provider.lab.options.timeout = PATIENCE_MS
    return {
      model: 'lab/claude-lab-1',
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    }
  },
  gemini: (home, url, isHasty) => {
    mkdirSync(join(home, '.gemini'), { recursive: true })
    writeFileSync(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { ...(isHasty ? { maxAttempts: 1 } : {}), disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    )
    return {
      model: 'gemini-2.5-flash',
      env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: ANY_KEY },
    }
  },
  kimi: (home, url) => {
    mkdirSync(join(home, '.kimi-code'), { recursive: true })
    writeFileSync(
      join(home, '.kimi-code', 'config.toml'),
      [
        'default_model = "lab"',
        'telemetry = false',
        '[providers.lab]',
        'type = "openai"',
        `base_url = "${url}/v1"`,
        `api_key = "${ANY_KEY}"`,
        '[models.lab]',
        'provider = "lab"',
        'model = "kimi-lab-1"',
        'max_context_size = 131072',
        '',
      ].join('\n'),
    )
    return { model: 'lab', env: { KIMI_CODE_HOME: join(home, '.kimi-code') } }
  },
  qwen: (home, url) => {
    mkdirSync(join(home, '.qwen'), { recursive: true })
    writeFileSync(
      join(home, '.qwen', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    )
    return {
      model: 'qwen-lab-1',
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: ANY_KEY },
    }
  },
  copilot: (home, url) => ({
    model: 'gpt-5',
    env: {
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: ANY_KEY,
    },
  }),
}
