import type { LoadedConfig } from '../config/loaded.ts'
import type { Answered } from '../gateway/http/app.ts'
import type { Facilities } from '../gateway/http/facilities.ts'
import type { HttpGateway } from '../gateway/http/http-gateway.ts'
import { httpSettingsOf } from '../gateway/http/settings.ts'
import { TOKEN_FILES } from '../gateway/http/token-files.ts'
import type { Logger } from './log.ts'
import type { Terminal } from './main.ts'
import { version } from './version.ts'

/** Opens the HTTP API that a config asks for, and logs where it is. Undefined if the config has none. */
export async function openHttp(
  loaded: LoadedConfig,
  facilities: Facilities,
  terminal: Pick<Terminal, 'env' | 'cwd' | 'stderrIsTerminal'>,
  log: Logger,
): Promise<HttpGateway | undefined> {
  const settings = httpSettingsOf(loaded, terminal)
  if (!settings) return undefined
  const own = log.child({ component: 'http' })
  // Loaded only by daemons that listen.
  const { HttpGateway } = await import('../gateway/http/http-gateway.ts')
  const onAnswer = (answered: Answered) => logAnswer(answered, own)
  const gateway = new HttpGateway({ settings, facilities, version: version(), onAnswer })
  const url = await gateway.start()
  own.info({ url, token: TOKEN_FILES.full }, `listening on ${url}; the token is in ${facilities.folder}`)
  // Only for a person who is looking: a log is kept longer than a code is valid, and read by others.
  if (terminal.stderrIsTerminal) own.info(`to sign in within a minute: code ${gateway.newCode()}`)
  return gateway
}

function logAnswer({ method, route, status, durationMs, error }: Answered, log: Logger): void {
  const fields = { method, route, status, duration_ms: Math.round(durationMs) }
  if (error !== undefined) log.error({ ...fields, err: error }, `${method} ${route} failed`)
  else log.debug(fields, `${method} ${route} ${status}`)
}
