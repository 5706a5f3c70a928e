import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Overview } from '../api/answers.ts'
import { post, signedIn } from '../api/request.ts'
import { connection } from '../live/events.ts'
import { useResource } from '../live/resource.ts'
import { chosenTheme, type Theme } from '../live/theme.ts'
import { parts } from '../route/location.ts'
import { NAV } from '../route/nav.ts'
import { countOfNeeds } from '../words/needs.ts'
import { countInShort, manyOf } from '../words/number.ts'
import { canServe } from '../words/surface.ts'
import { showKeys } from './keys.tsx'
import { orTell } from './toast.tsx'

const CONNECTION_WORDS = {
  live: 'Live',
  connecting: 'Connecting',
  lost: 'Disconnected',
  resting: 'Resting',
} as const

const NEXT_THEME: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

/** The navigation, and whether this page is up to date. */
export function Side() {
  const isOpen = useSignal(false)
  const menu = useRef<HTMLButtonElement>(null)
  const here = parts.value[0] ?? ''
  const { value } = useResource<Overview>('/v1/overview', { atMostEveryMs: 2_000, everyMs: 15_000 })
  const tallies = talliesOf(value.value)
  useEffect(() => {
    isOpen.value = false
  }, [parts.value.join('/')])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what its button opened
    <header
      class="side"
      data-open={isOpen.value}
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen.value) return
        isOpen.value = false
        menu.current?.focus()
      }}
    >
      <div class="top">
        <a class="brand" href="/">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" fill="#0f766e" />
            <path
              d="M8 22V11l8 7 8-7v11"
              fill="none"
              stroke="#fff"
              stroke-width="3"
              stroke-linecap="round"
              stroke-linejoin="round"
            />
          </svg>
          Mulligan
        </a>
        <button
          ref={menu}
          type="button"
          class="button menu-button"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          Menu
        </button>
      </div>
      <nav aria-label="Views">
        <ul>
          {NAV.map(({ name, title, icon }) => {
            const tally = tallies[name]
            return (
              <li key={name}>
                <a href={`/${name}`} aria-current={name === here ? 'page' : undefined}>
                  <svg
                    viewBox="0 0 20 20"
                    fill="none"
                    stroke="currentColor"
                    stroke-width="1.6"
                    stroke-linecap="round"
                    stroke-linejoin="round"
                    aria-hidden="true"
                  >
                    <path d={icon} />
                  </svg>
                  {title}
                  {tally ? (
                    <span class={tally.isUrgent ? 'tally urgent' : 'tally'} title={tally.words}>
                      {countInShort(tally.count)}
                    </span>
                  ) : null}
                </a>
              </li>
            )
          })}
        </ul>
      </nav>
      {/* Only the count, so screen readers announce it when it changes and not every second. */}
      <p class="unseen" role="status">
        {value.value ? `${manyOf(countOfNeeds(value.value), 'thing needs', 'things need')} you` : ''}
      </p>
      <div class="side-foot">
        <span class="connection" data-state={connection.value}>
          {CONNECTION_WORDS[connection.value]}
        </span>
        <div class="tools">
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              chosenTheme.value = NEXT_THEME[chosenTheme.value]
            }}
          >
            Theme: {chosenTheme.value}
          </button>
          <button type="button" class="button quiet" onClick={showKeys}>
            Keys <kbd>?</kbd>
          </button>
          <button type="button" class="button quiet" onClick={() => void leave()}>
            Sign out
          </button>
        </div>
      </div>
    </header>
  )
}

function leave(): Promise<void> {
  return orTell(async () => {
    await post('/v1/sign_out')
    signedIn.value = 'no'
  })
}

interface Tally {
  count: number
  words: string
  isUrgent?: boolean
}

type Tallies = Record<string, Tally | undefined>

function talliesOf(overview: Overview | undefined): Tallies {
  if (!overview) return {}
  const { status, unknowns, notices } = overview
  const refusing = status.providers.filter(provider => !canServe(provider)).length
  const { queued } = status.retry_queue
  return {
    operations: { count: queued + status.running, words: 'waiting or running' },
    ...(notices.to_act_on > 0
      ? {
          notices: {
            count: notices.to_act_on,
            words: 'to act on',
            isUrgent: true,
          },
        }
      : {}),
    ...(refusing > 0 ? { providers: { count: refusing, words: 'cannot serve', isUrgent: true } } : {}),
    ...(unknowns.length > 0
      ? { unknowns: { count: unknowns.length, words: 'without a label', isUrgent: true } }
      : {}),
  }
}
