import { resolveText } from '../../config/reference.ts'
import type { SurfaceConfig } from '../../config/schema/surface.ts'
import { hideFromNowOn } from '../../failure/secret/known.ts'
import type { SurfaceHost } from '../surface/surface.ts'
import { listenToTelegram, type PressDeps } from './telegram-presses.ts'

/** Listens for presses of all surfaces that have buttons, until the signal aborts. Never rejects. */
export async function listenForPresses(
  surfaces: readonly SurfaceConfig[],
  { env }: Pick<SurfaceHost, 'env'>,
  deps: PressDeps,
): Promise<void> {
  await Promise.all(
    surfaces
      .filter(({ kind, enabled, buttons }) => kind === 'telegram' && enabled && buttons)
      .map(async ({ name, token, chat, baseUrl, users }) => {
        try {
          const secret = (token?.resolve({ env }) ?? '').trim()
          hideFromNowOn([secret])
          const text = (value: typeof chat) => (value === undefined ? undefined : resolveText(value, { env }))
          const place = { name, token: secret, chat: text(chat) ?? '', baseUrl: text(baseUrl), users }
          await listenToTelegram(place, deps)
        } catch (error) {
          deps.onError(error)
        }
      }),
  )
}
