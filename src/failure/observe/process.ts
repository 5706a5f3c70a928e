import { sortLines } from '../text/lines.ts'
import { trim } from '../text/trim.ts'
import { type Agent, ENDS_WITH_EVENT, FAILS_ON_STDERR } from './agent.ts'
import { complaint, finalError, isStopNotice, lastWords } from './notice.ts'
import type { Fields } from './read.ts'
import { Spent } from './spent.ts'
import { Stream } from './stream.ts'
import type { Walk } from './walk.ts'

/** How a finished process ended, as far as its own output says: by its last terminal event, or only by its exit. */
export type Ending = 'succeeded' | 'failed' | 'exited zero'

/** Reads the streams of a finished process into the observation, and says how it ended. */
export function observeProcess(walk: Walk, fields: Fields, provided: Agent | undefined): Ending {
  const exitCode = exitCodeOf(fields)
  const signal = typeof fields.get('signal') === 'string' ? (fields.get('signal') as string) : null
  const spent = new Spent()
  const stderr = new Stream(fields.get('stderr'), spent)
  const stdout = new Stream(fields.get('stdout'), spent)
  const agent = provided ?? stdout.agent ?? stderr.agent
  const output = new Output(walk, stdout, stderr, agent)
  const ending = output.read(exitCode, signal)
  spent.writeTo(walk.observation)
  walk.observation.process = { exitCode, signal, agent, worked: output.worked }
  return ending
}

function exitCodeOf(fields: Fields): number | null {
  const exit = fields.get('exitCode') ?? fields.get('exit_code') ?? (fields.has('cmd') ? fields.get('code') : undefined)
  return typeof exit === 'number' ? exit : null
}

interface Said {
  where: string
  final: string
  late: string
}

/** Both streams of a process, weighed against each other and against its exit. */
class Output {
  readonly #walk: Walk
  readonly #stdout: Stream
  readonly #stderr: Stream
  readonly #agent: Agent | undefined
  worked: boolean

  constructor(walk: Walk, stdout: Stream, stderr: Stream, agent: Agent | undefined) {
    this.#walk = walk
    this.#stdout = stdout
    this.#stderr = stderr
    this.#agent = agent
    this.worked = stdout.worked || stderr.worked
  }

  read(exitCode: number | null, signal: string | null): Ending {
    const ended = this.#endedBy(exitCode)
    if (ended === 'succeeded') this.worked = true
    this.#events(ended)
    if (ended === 'succeeded') {
      this.#banners()
      return 'succeeded'
    }
    const silentEnd = exitCode === 0 && signal === null && ended === undefined
    const failed = silentEnd ? this.#zero() : this.#texts()
    this.#exit(exitCode, signal)
    return failed ? 'failed' : 'exited zero'
  }
}
