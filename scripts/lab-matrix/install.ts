import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../src/process/run.ts'

/** The CLIs of the matrix, at the versions of its results. */
export const PACKAGES = {
  claude: { name: '@anthropic-ai/claude-code', version: '2.1.326' },
  codex: { name: '@openai/codex', version: '0.169.0' },
  opencode: { name: 'opencode-ai', version: '1.18.33' },
  gemini: { name: '@google/gemini-cli', version: '0.61.0' },
  kimi: { name: '@moonshot-ai/kimi-code', version: '2.1.0' },
  qwen: { name: '@qwen-code/qwen-code', version: '0.24.4' },
  copilot: { name: '@github/copilot', version: '1.0.102' },
} as const

export type CliName = keyof typeof PACKAGES
export const CLI_NAMES = Object.keys(PACKAGES) as CliName[]

/** Installs missing CLIs (default all) into a folder, and returns the folder of their programs. */
export async function installClis(
  folder: string,
  say: (line: string) => void,
  names: readonly CliName[] = CLI_NAMES,
): Promise<string> {
  const missing = names
    .map(name => PACKAGES[name])
    .filter(({ name, version }) => installed(folder, name) !== version)
  if (missing.length > 0) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const specs = missing.map(({ name, version }) => `${name}@${version}`)
    say(`installing ${specs.join(' ')} into ${folder}`)
    const argv: [string, ...string[]] = ['npm', 'install', '--prefix', folder]
    const result = await run({
      argv: [...argv, '--no-audit', '--no-fund', '--save-exact', ...specs],
      timeoutMs: 900_000,
    })
    if (result.exitCode !== 0) throw new Error(`npm install failed: ${result.stderr.slice(-2_000)}`)
  }
  return join(folder, 'node_modules', '.bin')
}

function installed(folder: string, name: string): string | undefined {
  const file = join(folder, 'node_modules', name, 'package.json')
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    : undefined
}
