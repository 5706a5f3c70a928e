import { fileURLToPath } from 'node:url'
import type { LoadedConfig } from '../config/loaded.ts'
import type { Answered } from '../gateway/http/app.ts'
import type { Facilities } from '../gateway/http/facilities.ts'
import type { HttpGateway } from '../gateway/http/http-gateway.ts'
import { httpSettingsOf } from '../gateway/http/settings.ts'
import { TOKEN_FILES } from '../gateway/http/token-files.ts'
import type { LoggingHost } from './host.ts'
import type { Logger } from './log.ts'
import { version } from './version.ts'

/** The built dashboard, in the package and in a clone. */
const DASHBOARD = fileURLToPath(new URL('../../dist/web', import.meta.url))

/** Starts the HTTP API of a config. Returns undefined if the config has none. */
export async function openHttp(
  loaded: LoadedConfig,
  facilities: Facilities,
  terminal: LoggingHost,
  log: Logger,
): Promise<HttpGateway | undefined> {
  const settings = httpSettingsOf(loaded, terminal)
  if (!settings) return undefined
  const own = log.child({ component: 'http' })
  // Loaded only by daemons that serve HTTP.
  const { HttpGateway } = await import('../gateway/http/http-gateway.ts')
  const onAnswer = (answered: Answered) => logAnswer(answered, own)
  const gateway = new HttpGateway({
    settings,
    facilities,
    version: version(),
    dashboard: DASHBOARD,
    onAnswer,
  })
  await gateway.start()
  return gateway
}

/** Publishes the address of the HTTP API, once requests can be answered: in a file for commands, and in the log. */
export function announceHttp(
  gateway: HttpGateway,
  { folder, terminal, log }: { folder: string; terminal: Pick<LoggingHost, 'stderrIsTerminal'>; log: Logger },
): void {
  const { url } = gateway
  if (url === undefined) return
  gateway.announce()
  const own = log.child({ component: 'http' })
  own.info({ url, token: TOKEN_FILES.full }, `listening on ${url}; the token is in ${folder}`)
  // Only on a terminal: a log file is kept longer than the code is valid, and others may read it.
  if (terminal.stderrIsTerminal)
    own.info(`to open the dashboard within a minute: ${url}/sign-in#${gateway.newCode()}`)
}

function logAnswer({ method, route, status, durationMs, error }: Answered, log: Logger): void {
  const fields = { method, route, status, duration_ms: Math.round(durationMs) }
  if (error !== undefined) log.error({ ...fields, err: error }, `${method} ${route} failed`)
  else log.debug(fields, `${method} ${route} ${status}`)
}
