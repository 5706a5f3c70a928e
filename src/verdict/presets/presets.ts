import type { Policy } from '../policy.ts'
import { council } from './council.ts'
import { oban, obanSnooze } from './oban.ts'
import { terraphim } from './terraphim.ts'
import { workBuddy } from './work-buddy.ts'

/** Policies that reproduce how four other systems decide, by the name that config uses. */
export const PRESETS = { council, oban, obanSnooze, terraphim, workBuddy } as const satisfies Record<
  string,
  Policy
>

/** The name of a preset. */
export type PresetName = keyof typeof PRESETS
