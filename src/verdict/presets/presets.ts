import type { Policy } from '../policy.ts'
import { council } from './council.ts'
import { oban, obanSnooze } from './oban.ts'
import { terraphim } from './terraphim.ts'
import { workBuddy } from './work-buddy.ts'

/** Policies that decide like four other systems, by their name in the config. */
export const PRESETS = { council, oban, obanSnooze, terraphim, workBuddy } as const satisfies Record<
  string,
  Policy
>

/** The name of a preset. */
export type PresetName = keyof typeof PRESETS
