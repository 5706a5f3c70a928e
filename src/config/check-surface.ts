import type { Checked, Entry } from './check.ts'
import { readQuiet } from './quiet-hours.ts'
import { SURFACE_KINDS, type SurfaceKind } from './schema/surface.ts'
import type { Path } from './toml/position.ts'

/** Keys that only some kinds have, and which of them a kind requires. */
const KEYS: Record<SurfaceKind, { needs: readonly string[]; may: readonly string[] }> = {
  telegram: { needs: ['token', 'chat'], may: ['base_url', 'buttons', 'users'] },
  slack: { needs: [], may: ['webhook', 'token', 'chat', 'base_url', 'buttons', 'users', 'app_token'] },
  discord: { needs: ['webhook'], may: [] },
  obsidian: { needs: [], may: ['vault', 'note', 'token', 'base_url'] },
  webhook: { needs: ['url'], may: ['secret'] },
  github: { needs: ['repo', 'token'], may: ['base_url', 'labels'] },
  gitea: { needs: ['repo', 'token', 'base_url'], may: [] },
  desktop: { needs: [], may: [] },
  command: { needs: ['argv'], may: [] },
}

const OF_KINDS = [...new Set(Object.values(KEYS).flatMap(({ needs, may }) => [...needs, ...may]))]

/** Reports every mistake that can be known up front, because the surface itself could not report it later. */
export function checkSurface(checked: Checked, entry: Entry, path: Path): void {
  const kind = SURFACE_KINDS.find(known => known === entry.kind)
  if (kind === undefined) return
  const { needs, may } = KEYS[kind]
  for (const key of needs)
    if (entry[key] === undefined) checked.mistake(path, `needs ${JSON.stringify(key)} for kind = "${kind}"`)
  for (const key of OF_KINDS)
    if (entry[key] !== undefined && !needs.includes(key) && !may.includes(key))
      checked.mistake([...path, key], `is not for kind = "${kind}"; it is for ${kindsWith(key)}`)
  if (kind === 'slack') checkSlack(checked, entry, path)
  if (kind === 'obsidian') checkObsidian(checked, entry, path)
  for (const key of ['base_url', 'url']) checkAddress(checked, entry[key], [...path, key])
  if (typeof entry.repo === 'string' && !/^[\w.-]+\/[\w.-]+$/.test(entry.repo))
    checked.mistake([...path, 'repo'], `must be "owner/name", not ${JSON.stringify(entry.repo)}`)
  if (typeof entry.quiet === 'string' && readQuiet(entry.quiet) === undefined)
    checked.mistake(
      [...path, 'quiet'],
      `must be hours such as "22:00-07:00", not ${JSON.stringify(entry.quiet)}`,
    )
  if (Array.isArray(entry.users))
    entry.users.forEach((id: unknown, index) => {
      if (typeof id === 'string' && !(kind === 'slack' ? /^[UW][A-Z0-9]{2,20}$/ : /^\d{1,20}$/).test(id))
        checked.mistake([...path, 'users', index], `must be the id of a user, not ${JSON.stringify(id)}`)
    })
  if (entry.users !== undefined && entry.buttons !== true)
    checked.mistake([...path, 'users'], 'is for buttons; add buttons = true')
  if (Array.isArray(entry.providers))
    entry.providers.forEach((id: unknown, index) => {
      if (typeof id === 'string') checked.exists(id, [...path, 'providers', index], 'provider')
    })
}

function checkSlack(checked: Checked, entry: Entry, path: Path): void {
  checked.oneOf(entry, path, ['webhook', 'token'])
  if (entry.token !== undefined && entry.chat === undefined)
    checked.mistake(path, 'needs "chat", the channel to post in, with "token"')
  if (entry.buttons === true && (entry.token === undefined || entry.app_token === undefined))
    checked.mistake([...path, 'buttons'], 'needs "token" and "app_token": presses come through Socket Mode')
  if (entry.app_token !== undefined && entry.buttons !== true)
    checked.mistake([...path, 'app_token'], 'is for buttons; add buttons = true')
}

function checkObsidian(checked: Checked, entry: Entry, path: Path): void {
  checked.oneOf(entry, path, ['vault', 'token'])
  const { note } = entry
  if (typeof note !== 'string') return
  const steps = note.split(/[\\/]/)
  if (/^[\\/]|^[A-Za-z]:/.test(note) || steps.some(step => step === '..' || step === '.' || step === ''))
    checked.mistake([...path, 'note'], `must be a path within the vault, not ${JSON.stringify(note)}`)
}

/** Checks a server's address that is written in the config itself. */
export function checkAddress(checked: Checked, address: unknown, path: Path): void {
  if (typeof address !== 'string' || address.startsWith('env:')) return
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    checked.mistake(path, 'must be a URL that starts with "https://" or "http://"')
  else if (url.username !== '' || url.password !== '')
    checked.mistake(path, 'must not contain a user name or password; use "env:NAME" for a secret')
}

function kindsWith(key: string): string {
  return SURFACE_KINDS.filter(kind => [...KEYS[kind].needs, ...KEYS[kind].may].includes(key))
    .map(kind => `"${kind}"`)
    .join(', ')
}
