import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CallEvent } from '../../call/event.ts'
import { AGENT_CLIS } from '../../config/agent-clis.ts'
import { dataFolder } from '../../config/data-folder.ts'
import { missingKeys } from '../../config/missing-keys.ts'
import { momentInWords } from '../../daemon/words/failure-words.ts'
import { tokenIn } from '../../gateway/http/token-files.ts'
import { changeHold, type HoldAction, heldBy, proxyAddress } from '../../gateway/proxy/ask-proxy.ts'
import { PROXY_TOKEN_FILE } from '../../gateway/proxy/files.ts'
import { openProxy } from '../../gateway/proxy/from-config.ts'
import { SETUP_CLIENTS, setupOf } from '../../gateway/proxy/setup.ts'
import { remedyFor } from '../../option/check-names.ts'
import { isRunning } from '../../process/is-running.ts'
import { providerName } from '../../provider/provider-name.ts'
import { EXIT } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { countFlag, positiveDurationFlag } from '../flag/flags.ts'
import { onlyArgument, subcommandOf } from '../flag/subcommand.ts'
import { ensureOwnFolder, ensureTrusted } from '../runtime/ensure-trusted.ts'
import {
  loadToShow,
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  unknownsOf,
  withActingRuntime,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan proxy [OPTIONS]
       mulligan proxy env CLIENT | holds | release ID | refuse ID

Runs a base URL for agents and programs in any language: questions to models are retried, wait for limits to lift and go
to the next provider; everything else passes unchanged. Forwards the caller's own key. Keys of mulligan.toml ([[provider]]
with api and credential) are used for callers that send the proxy's token as their key.

  env CLIENT        print what points a client at it: ${AGENT_CLIS.filter(cli => cli !== 'command').join(', ')}
  holds             list the questions that wait for a provider
  release ID        end the block that a question waits for
  refuse ID         end the wait of a question; its client gets the failure

  --port N          default: [proxy] port
  --max-hold D      longest wait for a limit to lift, such as 1h; default: [proxy] max_hold
  --record FILE     append every failed try to FILE as JSON, redacted and without the question
  --json            with holds: JSON on stdout
${RUNTIME_USAGE}`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  port: { type: 'string' },
  'max-hold': { type: 'string' },
  record: { type: 'string' },
  json: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof parse>['values']

function parse(argv: readonly string[]) {
  return parseArguments(argv, { usage, options: OPTIONS })
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(argv)
  const [name, ...rest] = positionals
  if (name === undefined) return serve(values, terminal)
  const subcommand = subcommandOf('proxy', name, { env, holds, release: change, refuse: change })
  return subcommand(values, terminal, rest, name)
}

async function serve(values: Flags, terminal: Terminal): Promise<number> {
  const port = countFlag('--port', values.port)
  if (port !== undefined && port > 65_535) throw new UsageError('--port takes a number up to 65535')
  const maxHoldMs = positiveDurationFlag('--max-hold', values['max-hold'])
  const { record } = values
  return withActingRuntime(values, terminal, {}, async runtime => {
    const { loaded, folder, ledger, health, policy, classify, prices } = runtime
    const settings = { ...loaded.config.proxy }
    if (port !== undefined) settings.port = port
    if (maxHoldMs !== undefined) settings.maxHoldMs = maxHoldMs
    const unknowns = unknownsOf(runtime)
    const file = record === undefined ? undefined : resolve(terminal.cwd, record)
    const proxy = await openProxy(settings, {
      folder,
      env: terminal.env,
      pid: process.pid,
      ledger,
      inForce: () => ({ loaded, health, policy, classify, prices }),
      onFailed: (failed, client) => {
        unknowns.onEvent(failed)
        terminal.stderr(`${failed.provider}: ${failed.failure.message} (${failed.verdict.action})\n`)
        if (file !== undefined)
          appendFileSync(file, `${JSON.stringify(recordOf(failed, client))}\n`, { mode: 0o600 })
      },
      onError: error => terminal.stderr(`mulligan proxy: ${(error as Error).message}\n`),
    })
    terminal.stderr(`listening on ${proxy.url}; "mulligan proxy env claude" says what to set\n`)
    if (proxy.addsKeys)
      terminal.stderr(`keys of mulligan.toml are used with the token in ${folder}/${PROXY_TOKEN_FILE}\n`)
    for (const line of missingKeys(loaded.config.providers, { env: terminal.env }))
      terminal.stderr(`${line}\n`)
    await new Promise<void>(done => {
      if (terminal.signal.aborted) done()
      else terminal.signal.addEventListener('abort', () => done(), { once: true })
    })
    await proxy.stop()
    await unknowns.written()
    return EXIT.done
  })
}

/** A failed try without anything of the question: the failure is redacted already. */
function recordOf(
  { at, provider, failure, verdict }: CallEvent & { type: 'attempt.failed' },
  client: string,
): object {
  return { at: new Date(at).toISOString(), client, provider, failure, verdict }
}

async function env(values: Flags, terminal: Terminal, rest: readonly string[]): Promise<number> {
  const client = onlyArgument('proxy env', 'a client, such as claude', rest)
  // The client sends its credentials there.
  const loaded = await ensureTrusted(loadToShow(values, terminal), terminal)
  const folder = dataFolder(loaded, terminal)
  const running = runningAt(folder)
  const url = running ?? `http://127.0.0.1:${loaded.config.proxy.port}`
  const addsKeys = loaded.config.providers.some(({ api, credential }) => api !== undefined && credential)
  const setup = setupOf(client, url, addsKeys ? tokenIn(folder, PROXY_TOKEN_FILE) : undefined)
  if (setup === undefined)
    throw new UsageError(`unknown client ${JSON.stringify(client)}${remedyFor(client, SETUP_CLIENTS)}`)
  terminal.stdout(`${setup}\n`)
  if (running === undefined) terminal.stderr('no proxy runs now; start one: mulligan proxy\n')
  return EXIT.done
}

/** Where the proxy of a folder listens; a killed one leaves its address behind. */
function runningAt(folder: string): string | undefined {
  const at = proxyAddress(folder)
  return at && isRunning(at.pid) ? at.url : undefined
}

async function holds(values: Flags, terminal: Terminal, rest: readonly string[]): Promise<number> {
  if (rest.length > 0) throw new UsageError(`proxy holds takes no ${JSON.stringify(rest[0])}`)
  const { holds: held } = await heldBy(await folderOf(values, terminal), terminal.signal)
  if (values.json) terminal.stdout(`${JSON.stringify({ holds: held })}\n`)
  else if (held.length === 0) terminal.stdout('No question waits.\n')
  const moment = (at: string) => momentInWords(Date.parse(at), terminal.now())
  for (const { id, client, model, provider, since, until, reason } of values.json ? [] : held)
    terminal.stdout(
      `${id}  ${client} asks ${provider === null ? 'a provider' : providerName(provider)} for ${model ?? 'a model'}, since ${moment(since)}${until === null ? '' : `, until ${moment(until)}`}: ${reason}\n`,
    )
  return EXIT.done
}

async function change(
  values: Flags,
  terminal: Terminal,
  rest: readonly string[],
  name: string,
): Promise<number> {
  const id = onlyArgument(`proxy ${name}`, 'the id of a hold', rest)
  await changeHold(await folderOf(values, terminal), id, name as HoldAction, terminal.signal)
  return EXIT.done
}

function folderOf(values: Flags, terminal: Terminal): Promise<string> {
  return ensureOwnFolder(loadToShow(values, terminal), terminal)
}
