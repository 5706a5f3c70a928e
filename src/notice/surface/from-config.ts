import { resolve } from 'node:path'
import { type EnvReference, type FileReference, resolveText, type Text } from '../../config/reference.ts'
import type { SurfaceConfig } from '../../config/schema/surface.ts'
import { hideFromNowOn } from '../../failure/secret/known.ts'
import { commandSurface } from './command.ts'
import { desktopSurface } from './desktop.ts'
import { discordSurface } from './discord.ts'
import { giteaSurface } from './gitea.ts'
import { githubSurface } from './github.ts'
import { obsidianSurface } from './obsidian.ts'
import { slackSurface } from './slack.ts'
import type { Surface, SurfaceHost } from './surface.ts'
import { telegramSurface } from './telegram.ts'
import { webhookSurface } from './webhook.ts'

/**
 * A surface of a trusted config, ready to send. Looks up its secrets and redacts them everywhere from now on. Throws a
 * `MissingReference` that names an unset variable, or an `UntrustedConfig`.
 */
export function surfaceOf(config: SurfaceConfig, host: SurfaceHost): Surface {
  const { env } = host
  const text = (value: Text | undefined) => (value === undefined ? undefined : resolveText(value, { env }))
  const hidden = (value: EnvReference | FileReference | undefined) => {
    const secret = value?.resolve({ env }).trim()
    if (secret !== undefined) hideFromNowOn([secret])
    return secret
  }
  const needed = (value: string | undefined) => value as string
  const baseUrl = text(config.baseUrl)
  const { repo = '', labels, note } = config
  switch (config.kind) {
    case 'telegram':
      return telegramSurface({
        token: needed(hidden(config.token)),
        chat: needed(text(config.chat)),
        baseUrl,
        buttons: config.buttons,
      })
    case 'slack': {
      const webhook = hidden(config.webhook)
      return webhook === undefined
        ? slackSurface({
            token: needed(hidden(config.token)),
            chat: needed(text(config.chat)),
            baseUrl,
            buttons: config.buttons,
          })
        : slackSurface({ webhook: address(webhook, config) })
    }
    case 'discord':
      return discordSurface({ webhook: address(needed(hidden(config.webhook)), config) })
    case 'obsidian':
      return config.vault === undefined
        ? obsidianSurface({ note, token: needed(hidden(config.token)), baseUrl })
        : obsidianSurface({ note, vault: resolve(host.base, config.vault) })
    case 'webhook':
      return webhookSurface(
        { url: address(needed(text(config.url)), config), secret: hidden(config.secret) },
        host,
      )
    case 'github':
      return githubSurface({ repo, token: needed(hidden(config.token)), labels, baseUrl })
    case 'gitea':
      return giteaSurface({ repo, token: needed(hidden(config.token)), baseUrl: needed(baseUrl) })
    case 'desktop':
      return desktopSurface(host)
    case 'command': {
      const argv = (config.argv ?? []).map(word => resolveText(word, { env }))
      return commandSurface({ argv: argv as [string, ...string[]] }, host)
    }
  }
}

/** Checks an address from a variable. The error does not repeat it, because it may be a secret. */
function address(url: string, { name }: SurfaceConfig): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new Error(`surface ${JSON.stringify(name)}: its address must start with "https://" or "http://"`)
}
