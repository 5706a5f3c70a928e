import { WorkFailed } from '../../capability/work-failed.ts'
import type { NoticePriority } from '../../config/schema/surface.ts'
import { withoutControls } from '../../failure/text/printable.ts'
import { run } from '../../process/run.ts'
import { cut } from '../cut.ts'
import type { Message } from '../message.ts'
import { xmlText } from './escape.ts'
import { findProgram } from './find-program.ts'
import type { Surface, SurfaceHost } from './surface.ts'

/** Characters that fit in a notification. */
const LONGEST = 400

/** Shows a notification on this machine: with `notify-send` on Linux, `osascript` on macOS. */
export function desktopSurface({
  platform = process.platform,
  env,
}: Pick<SurfaceHost, 'platform' | 'env'>): Surface {
  return {
    kind: 'desktop',
    check: async () => {
      findProgram(programOf(platform), { env, base: process.cwd() })
      return { notChecked: 'that someone is logged in at its screen' }
    },
    send: async (message, { signal }) => {
      const argv = desktopCommand(message, platform)
      const result = await run({ argv, env: { ...env }, signal })
      if (result.exitCode !== 0) throw new WorkFailed(`${argv[0]} failed`, result)
      return {}
    },
  }
}

/** The program that shows notifications. */
function programOf(platform: NodeJS.Platform): 'osascript' | 'notify-send' {
  if (platform === 'darwin') return 'osascript'
  if (platform === 'linux') return 'notify-send'
  throw new Error(`desktop notices need Linux or macOS, not ${platform}`)
}

/** The program and its arguments. Texts are separate arguments, never part of a script. */
export function desktopCommand(message: Message, platform: NodeJS.Platform): [string, ...string[]] {
  // The prefix keeps a title from being read as an option.
  const title = `Mulligan: ${cut(withoutControls(message.title), LONGEST)}`
  const text = cut(withoutControls(message.text), LONGEST)
  const program = programOf(platform)
  if (program === 'osascript')
    return [
      program,
      '-e',
      'on run argv',
      '-e',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      '-e',
      'end run',
      title,
      // osascript drops an empty argument and reads a leading dash as an option.
      ` ${text}`,
    ]
  return [
    program,
    '--app-name=Mulligan',
    `--urgency=${URGENCY[message.priority]}`,
    '--',
    title,
    // notify-send reads the body as markup.
    xmlText(text),
  ]
}

const URGENCY: Record<NoticePriority, string> = {
  low: 'low',
  normal: 'normal',
  high: 'normal',
  urgent: 'critical',
}
