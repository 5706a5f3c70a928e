import type { SurfaceConfig, SurfaceKind } from '../../config/schema/surface.ts'

/** Surfaces that can change a message that they have shown. */
const EDITING: ReadonlySet<SurfaceKind> = new Set([
  'telegram',
  'slack',
  'discord',
  'obsidian',
  'github',
  'gitea',
])

/** Whether a surface can change a message that it has shown; an incoming webhook of Slack cannot. */
export function canEdit({ kind, webhook }: Pick<SurfaceConfig, 'kind' | 'webhook'>): boolean {
  return EDITING.has(kind) && !(kind === 'slack' && webhook !== undefined)
}
