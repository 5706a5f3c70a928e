import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ANY_KEY, codexProvider, opencodeConfig } from '../../lab/environment.ts'
import type { CliName } from './install.ts'

/** How one CLI is started against the lab. */
export interface CliRun {
  argv: [string, ...string[]]
  env: Record<string, string>
}

/** The turns that a CLI may take, where it has a limit on them. */
const MAX_TURNS = 3

/** How long a CLI may wait for the vendor before it gives up by itself, where it can be told. */
const PATIENCE_MS = 6_000

/** Writes what the CLI reads from its home, and gives the command line; prompts go in by stdin. */
export const CLIS: Record<CliName, (bin: string, home: string, url: string) => CliRun> = {
  claude: (bin, _home, url) => ({
    argv: [
      join(bin, 'claude'),
      '-p',
      '--output-format',
      'json',
      '--max-turns',
      String(MAX_TURNS),
      '--permission-mode',
      'acceptEdits',
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: ANY_KEY,
      API_TIMEOUT_MS: String(PATIENCE_MS),
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  }),
  codex: (bin, home, url) => {
    mkdirSync(join(home, '.codex'), { recursive: true })
    const provider = codexProvider(url).replace('}', `,stream_idle_timeout_ms=${PATIENCE_MS}}`)
    writeFileSync(
      join(home, '.codex', 'config.toml'),
      `model = "gpt-5"\nmodel_provider = "lab"\n[model_providers]\nlab = ${provider}\n`,
    )
    return {
      argv: [join(bin, 'codex'), 'exec', '--json', '--skip-git-repo-check', '--sandbox', 'read-only', '-'],
      env: { CODEX_HOME: join(home, '.codex'), LAB_API_KEY: ANY_KEY },
    }
  },
  opencode: (bin, _home, url) => {
    const config = opencodeConfig(url) as { provider: { lab: { options: Record<string, unknown> } } }
    config.provider.lab.options.timeout = PATIENCE_MS
    return {
      argv: [
        join(bin, 'opencode'),
        'run',
        '--format',
        'json',
        '--print-logs',
        '--log-level',
        'WARN',
        '-m',
        'lab/claude-lab-1',
      ],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    }
  },
  gemini: (bin, home, url) => {
    mkdirSync(join(home, '.gemini'), { recursive: true })
    writeFileSync(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { maxAttempts: 1, disableAutoUpdate: true },
        model: { maxSessionTurns: MAX_TURNS },
        privacy: { usageStatisticsEnabled: false },
      }),
    )
    return {
      argv: [join(bin, 'gemini'), '-o', 'json', '--skip-trust', '-m', 'gemini-2.5-flash'],
      env: {
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_API_KEY: ANY_KEY,
        GEMINI_CLI_NO_RELAUNCH: '1',
      },
    }
  },
}
