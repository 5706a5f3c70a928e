import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { problemOf } from './api/problem.ts'
import { askWhoIsThere, signedIn } from './api/request.ts'
import { connection } from './live/events.ts'
import { KeyHelp, useKeys } from './part/keys.tsx'
import { Side } from './part/side.tsx'
import { Loading, Trouble } from './part/standing.tsx'
import { Toasts } from './part/toast.tsx'
import { go, parts } from './route/location.ts'
import { SignIn } from './view/sign-in.tsx'
import { titleOf, viewOf } from './views.tsx'

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
  // A code in the address is tried even before it is known whether it is needed.
  if (signedIn.value === 'no') return <SignIn />
  if (signedIn.value === 'unasked') return <Loading />
  return <Signed />
}

function Signed() {
  useKeys()
  const title = titleOf(parts.value)
  useEffect(() => {
    document.title = `${title} · Mulligan`
  }, [title])
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Side />
      <div class="main">
        {connection.value === 'lost' ? (
          <div class="banner" role="alert">
            Disconnected: what you see may be old. Trying to reach the daemon again; if it was stopped, start
            it: mulligan serve
          </div>
        ) : null}
        <main id="main" class="page" key={parts.value.join('/')}>
          {viewOf(parts.value)}
        </main>
      </div>
      <KeyHelp />
      <Toasts />
    </div>
  )
}
