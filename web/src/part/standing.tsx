import type { ComponentChildren } from 'preact'
import type { ApiProblem } from '../api/problem.ts'
import { connection } from '../live/events.ts'
import type { Resource } from '../live/watched.ts'
import { sentence } from '../words/sentence.ts'
import { DaemonWords } from './daemon-words.tsx'
import { copy } from './toast.tsx'

/** An empty list, with the command that fills it. */
export function Empty({
  title,
  command,
  children,
}: {
  title: string
  command?: string
  children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children ? <p>{children}</p> : null}
      {command ? <Command text={command} /> : null}
    </div>
  )
}

/** A command to run in a terminal. */
export function Command({ text }: { text: string }) {
  return (
    <span class="command">
      <span>{text}</span>
      <button type="button" class="button quiet" onClick={() => copy(text)} aria-label={`Copy: ${text}`}>
        Copy
      </button>
    </span>
  )
}

/** A failed load: why, what to do, and a button that tries again. */
export function Trouble({ problem, again }: { problem: ApiProblem; again?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <DaemonWords text={sentence(problem.message)} />
      {again ? (
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
      ) : null}
    </div>
  )
}

/** A placeholder until the first answer. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      <i />
      <i />
      <i />
    </div>
  )
}

/** A resource: its value, or why there is none. The last value stays while loads fail. */
export function Shown<T>({
  of,
  back,
  children,
}: {
  of: Resource<T>
  /** For a page about one thing: the list to link to if it does not exist, and the list's name. */
  back?: readonly [href: string, words: string]
  children: (value: T) => ComponentChildren
}) {
  const value = of.value.value
  const problem = of.problem.value
  // Asking again would not help.
  const isMissing = problem?.status === 404 && back !== undefined && value === undefined
  return (
    <>
      {problem && back && value === undefined ? (
        <h1>
          <a class="trail" href={back[0]}>
            {back[1]}
          </a>{' '}
          <span class="trail">/</span> {isMissing ? 'Not found' : 'No answer'}
        </h1>
      ) : null}
      {/* While the connection is lost, one banner says so for the whole page. */}
      {problem && !(connection.value === 'lost' && value !== undefined) ? (
        <Trouble problem={problem} {...(isMissing ? {} : { again: of.reload })} />
      ) : null}
      {value === undefined ? problem ? null : <Loading /> : children(value)}
    </>
  )
}
