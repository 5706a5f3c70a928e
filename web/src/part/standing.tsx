import type { ComponentChildren } from 'preact'
import type { ApiProblem } from '../api/problem.ts'
import type { Resource } from '../live/resource.ts'
import { copy } from './toast.tsx'

/** Nothing is there: says so, and what to run to see something. */
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

/** A command to be run in a terminal. */
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

/** Something was not answered: says why, what to do, and asks again. */
export function Trouble({ problem, again }: { problem: ApiProblem; again?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <span class="foreign">{problem.message}</span>
      {again ? (
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
      ) : null}
    </div>
  )
}

/** What is shown until the first answer. */
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

/** A resource: its value, or why there is none. What is known stays while a question fails. */
export function Shown<T>({ of, children }: { of: Resource<T>; children: (value: T) => ComponentChildren }) {
  const value = of.value.value
  const problem = of.problem.value
  return (
    <>
      {problem ? <Trouble problem={problem} again={of.reload} /> : null}
      {value === undefined ? problem ? null : <Loading /> : children(value)}
    </>
  )
}
