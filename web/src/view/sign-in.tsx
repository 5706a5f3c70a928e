import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { problemOf } from '../api/problem.ts'
import { askWhoIsThere, post, signedIn } from '../api/request.ts'
import { Refusal } from '../part/refusal.tsx'
import { Command } from '../part/standing.tsx'
import { go, parts } from '../route/location.ts'

/** What a link brought along; nothing if it is broken. */
function decodedHash(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

/** Signs a browser in with the code that a terminal shows. */
export function SignIn() {
  const code = useSignal('')
  const problem = useSignal<string | undefined>(undefined)
  const isAsking = useSignal(false)
  const signIn = async (given: string) => {
    isAsking.value = true
    problem.value = undefined
    try {
      await post('/v1/sign_in', { code: given.trim() })
      if (parts.value[0] === 'sign-in') go('/', { replace: true })
      await askWhoIsThere()
    } catch (error) {
      problem.value = problemOf(error).message
    } finally {
      isAsking.value = false
    }
  }
  useEffect(() => {
    const given = decodedHash()
    if (given === '') return
    // A used code is worthless, but need not stay in the address.
    go(location.pathname, { replace: true })
    code.value = given
    void signIn(given)
  }, [])
  return (
    <main class="door">
      <form
        class="panel"
        onSubmit={event => {
          event.preventDefault()
          void signIn(code.value)
        }}
      >
        <h1>Sign in to Mulligan</h1>
        {signedIn.value === 'ended' ? (
          <p class="ended" role="status">
            Your session has ended: 12 hours have passed, or your token was revoked. After signing in you are
            back where you were.
          </p>
        ) : null}
        <p class="soft">
          The daemon shows a code on its terminal when it starts. For another one, run this; add{' '}
          <code>--data FOLDER</code> if the daemon was started with it:
        </p>
        <Command text="mulligan http code" />
        <label class="field">
          <span>One-time code, or your token (mlg_…) with scope read, submit or operate</span>
          <input
            class="input code-input"
            value={code.value}
            onInput={event => {
              code.value = event.currentTarget.value
            }}
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            placeholder="XXXX-XXXX"
            maxLength={100}
            required
            autofocus
            aria-describedby={problem.value === undefined ? undefined : 'sign-in-problem'}
          />
        </label>
        <Refusal problem={problem.value} id="sign-in-problem" />
        <button type="submit" class="button primary" disabled={isAsking.value}>
          {isAsking.value ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}
