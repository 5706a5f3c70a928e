import { type EnvReference, type FileReference, resolveText, type Text } from '../../config/reference.ts'
import type { SurfaceConfig } from '../../config/schema/surface.ts'
import { hideFromNowOn } from '../../failure/secret/known.ts'
import type { SurfaceHost } from '../surface/surface.ts'
import type { PressDeps } from './hearing.ts'
import { listenToSlack } from './slack-presses.ts'
import { listenToTelegram } from './telegram-presses.ts'

/** Listens for presses of all surfaces that have buttons, until the signal aborts. Never rejects. */
export async function listenForPresses(
  surfaces: readonly SurfaceConfig[],
  host: Pick<SurfaceHost, 'env'>,
  deps: PressDeps,
): Promise<void> {
  await Promise.all(
    surfaces
      .filter(({ enabled, buttons }) => enabled && buttons)
      .map(async surface => {
        try {
          await listen(surface, host, deps)
        } catch (error) {
          deps.onError(error)
        }
      }),
  )
}

async function listen(
  config: SurfaceConfig,
  { env }: Pick<SurfaceHost, 'env'>,
  deps: PressDeps,
): Promise<void> {
  const hidden = (value: EnvReference | FileReference | undefined) => {
    const secret = (value?.resolve({ env }) ?? '').trim()
    hideFromNowOn([secret])
    return secret
  }
  const text = (value: Text | undefined) => (value === undefined ? undefined : resolveText(value, { env }))
  const { name, users } = config
  const place = { name, users, token: hidden(config.token), baseUrl: text(config.baseUrl) }
  if (config.kind === 'slack') await listenToSlack({ ...place, appToken: hidden(config.appToken) }, deps)
  else await listenToTelegram({ ...place, chat: text(config.chat) ?? '' }, deps)
}
