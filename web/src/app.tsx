import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { problemOf } from './api/problem.ts'
import { askWhoIsThere, signedIn } from './api/request.ts'
import { connection, lostAt } from './live/events.ts'
import { KeyHelp, useKeys } from './part/keys.tsx'
import { Side } from './part/side.tsx'
import { Loading, Trouble } from './part/standing.tsx'
import { Toasts } from './part/toast.tsx'
import { go, parts } from './route/location.ts'
import { SignIn } from './view/sign-in.tsx'
import { titleOf, viewOf } from './views.tsx'
import { timeOfDay } from './words/time.ts'
import { visibleText } from './words/visible.ts'

/** The whole dashboard. */
export function App() {
  const problem = useSignal<string | undefined>(undefined)
  const ask = () => {
    problem.value = undefined
    askWhoIsThere().catch(error => {
      problem.value = problemOf(error).message
    })
  }
  useEffect(ask, [])
  const isAtDoor = parts.value[0] === 'sign-in'
  useEffect(() => {
    if (signedIn.value === 'yes' && isAtDoor) go('/', { replace: true })
  })
  if (problem.value !== undefined)
    return (
      <main class="page">
        <Trouble problem={problemOf(new Error(problem.value))} again={ask} />
      </main>
    )
  // A code in the address is tried even before we know whether it is needed.
  if (signedIn.value === 'no' || signedIn.value === 'ended') return <SignIn />
  if (signedIn.value === 'unasked') return <Loading />
  return <Signed />
}

/** Moves the focus into a newly opened view, unless the view has already set it. */
function useFocusOnMain(): void {
  const where = parts.value.join('/')
  const before = useRef(where)
  useEffect(() => {
    if (before.current === where) return
    before.current = where
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (isLost) document.getElementById('main')?.focus({ preventScroll: true })
  }, [where])
}

function Signed() {
  useKeys()
  const title = titleOf(parts.value)
  useEffect(() => {
    document.title = `${visibleText(title)} · Mulligan`
  }, [title])
  useFocusOnMain()
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Side />
      <div class="main">
        {connection.value === 'lost' ? (
          <div class="banner" role="alert">
            Disconnected{lostAt.value === undefined ? '' : ` since ${timeOfDay(lostAt.value, true)}`}: what
            you see may be old. Trying to reach the daemon again; if it was stopped, start it: mulligan serve
          </div>
        ) : null}
        <main id="main" class="page" key={parts.value.join('/')} tabIndex={-1}>
          {viewOf(parts.value)}
        </main>
      </div>
      <KeyHelp />
      <Toasts />
    </div>
  )
}
