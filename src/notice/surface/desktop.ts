import { WorkFailed } from '../../capability/work-failed.ts'
import type { NoticePriority } from '../../config/schema/surface.ts'
import { withoutControls } from '../../failure/text/printable.ts'
import { run } from '../../process/run.ts'
import { cut } from '../cut.ts'
import type { Message } from '../message.ts'
import { xmlText } from './escape.ts'
import type { Surface, SurfaceHost } from './surface.ts'

/** More does not fit on a screen. */
const LONGEST = 400

/** A notification on the screen of this machine: `notify-send` on Linux, `osascript` on macOS. */
export function desktopSurface({
  platform = process.platform,
  env,
}: Pick<SurfaceHost, 'platform' | 'env'>): Surface {
  return {
    kind: 'desktop',
    send: async (message, { signal }) => {
      const argv = desktopCommand(message, platform)
      const result = await run({ argv, env: { ...env }, signal })
      if (result.exitCode !== 0) throw new WorkFailed(`${argv[0]} failed`, result)
      return {}
    },
  }
}

/** The program and its arguments. Texts are arguments of their own and never a part of a script. */
export function desktopCommand(message: Message, platform: NodeJS.Platform): [string, ...string[]] {
  // Begins with a word of ours, so that nothing can be taken for an option.
  const title = `Mulligan: ${cut(withoutControls(message.title), LONGEST)}`
  const text = cut(withoutControls(message.text), LONGEST)
  if (platform === 'darwin')
    return [
      'osascript',
      '-e',
      'on run argv',
      '-e',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      '-e',
      'end run',
      title,
      // An empty argument is none to osascript, and a dash would begin an option.
      ` ${text}`,
    ]
  if (platform !== 'linux') throw new Error(`desktop notices need Linux or macOS, not ${platform}`)
  return [
    'notify-send',
    '--app-name=Mulligan',
    `--urgency=${URGENCY[message.priority]}`,
    '--',
    title,
    // The body is read as markup.
    xmlText(text),
  ]
}

const URGENCY: Record<NoticePriority, string> = {
  low: 'low',
  normal: 'normal',
  high: 'normal',
  urgent: 'critical',
}
