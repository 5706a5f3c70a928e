import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import { run } from '../process/run.ts'
import type { Time } from '../time/time.ts'
import { ownFailure } from './own-failure.ts'
import type { Environment } from './variables.ts'

/** Whose certificate authorities a CLI trusts: those that Node brings, or those of the machine. */
export type Trust = 'node' | 'system'

export interface LookDetails {
  provider: string
  /** The CLI's own environment: its proxy and its authorities. */
  env: Environment
  trusts: Trust
  cwd: string
  time: Time
  signal: AbortSignal | undefined
}

/** Longest look, in milliseconds. */
const LONGEST_MS = 5_000

/** Asks nothing of the vendor but whether it can be reached: no path, no key. Its own process has the CLI's proxy and trust. */
const PROGRAM = `fetch(process.argv[1], { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(${LONGEST_MS}) }).catch(error => {
  for (var deepest = error; deepest.cause; ) deepest = deepest.cause
  process.stdout.write(JSON.stringify({ message: String(deepest.message), code: String(deepest.code) }))
})`

/**
 * Why no connection can be made, for a CLI that says only that none was: its certificate or the proxy's login, which do not heal by
 * themselves. Undefined if the address can be reached, or for a reason that may pass. Never rejects.
 */
export async function lookAtConnection(address: string, details: LookDetails): Promise<Failure | undefined> {
  const { provider, env, trusts, cwd, time, signal } = details
  const origin = URL.parse(address)?.origin
  if (!origin?.startsWith('http')) return undefined
  try {
    const { stdout } = await run({
      argv: [process.execPath, ...(trusts === 'system' ? ['--use-system-ca'] : []), '-e', PROGRAM, origin],
      env: { ...env, ...trustOf(trusts, env), NODE_USE_ENV_PROXY: '1', NODE_OPTIONS: undefined },
      cwd,
      time,
      timeoutMs: 2 * LONGEST_MS,
      ...present({ signal }),
    })
    const cause = classify(JSON.parse(stdout), { provider, now: time.now() })
    const advice = cause?.class === 'permanent' ? ADVICE[cause.kind] : undefined
    if (!cause || advice === undefined) return undefined
    const said = cause.message.split('; if the root CA', 1)[0]
    return ownFailure({
      kind: cause.kind,
      rule: 'connection',
      provider,
      message: `no connection to ${origin}: ${said}. ${advice}`,
    })
  } catch {
    return undefined
  }
}

/** What a person must do. */
const ADVICE: Partial<Record<Failure['kind'], string>> = {
  tls: 'Check the address and its certificate; if a company signs its own, let the CLI trust it (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE)',
  auth: 'Log in to the proxy: put its user and password into HTTPS_PROXY, or ask who runs it',
}

/** A Rust program is told of one more authority by other variables than Node. */
function trustOf(trusts: Trust, env: Environment): Record<string, string | undefined> {
  const more = env.CODEX_CA_CERTIFICATE || env.SSL_CERT_FILE
  return trusts === 'system' && more ? { NODE_EXTRA_CA_CERTS: more } : {}
}
