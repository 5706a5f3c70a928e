import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/process/run.ts'
import { quietly } from '../../src/time/clean-up.ts'
import { CLIS } from '../lab-matrix/cli.ts'
import { ANSWER } from './vendor.ts'

export const CLIENTS = ['claude', 'codex', 'opencode', 'gemini', 'qwen'] as const
export type Client = (typeof CLIENTS)[number]

/** One question, asked as a person would in a script. */
const QUESTION = 'Say hi.'
const ARGUMENTS: Record<Client, (model: string) => string[]> = {
  claude: model => ['-p', QUESTION, '--output-format', 'json', '--model', model],
  codex: model => ['exec', '--skip-git-repo-check', '--json', '-m', model, QUESTION],
  opencode: model => ['run', '--format', 'json', '-m', model, QUESTION],
  gemini: model => ['-p', QUESTION, '-o', 'json', '--skip-trust', '-m', model],
  qwen: model => ['-p', QUESTION, '-m', model],
}

/** How a run of a client ended. */
export interface ClientEnd {
  isAnswered: boolean
  isTimedOut: boolean
  exitCode: number | null
  ms: number
  printed: string
}

/** Runs a client with its own defaults, its own retries among them, at a base URL. */
export async function runClient(
  client: Client,
  bin: string,
  url: string,
  timeoutMs: number,
): Promise<ClientEnd> {
  const home = mkdtempSync(join(tmpdir(), `mulligan-proxy-${client}-`))
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  try {
    await run({ argv: ['git', 'init', '--quiet', cwd] })
    const { env, model } = CLIS[client](home, url, false)
    const ended = await run({
      argv: [join(bin, client), ...ARGUMENTS[client](model)],
      cwd,
      env: { PATH: process.env.PATH, HOME: home, TERM: 'dumb', LANG: 'C.UTF-8', ...env },
      timeoutMs,
    })
    return {
      isAnswered: ended.exitCode === 0 && ended.stdout.includes(ANSWER),
      isTimedOut: ended.timedOut,
      exitCode: ended.exitCode,
      ms: ended.durationMs,
      printed: `${ended.stdout}\n--- stderr\n${ended.stderr}`,
    }
  } finally {
    void quietly(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  }
}
