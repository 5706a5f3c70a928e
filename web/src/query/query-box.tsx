import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Provider } from '../api/answers.ts'
import { useResource } from '../live/resource.ts'
import { useViewKeys, type ViewKeys } from '../part/keys.tsx'
import { go, place } from '../route/location.ts'
import { completionsOf } from './complete.ts'

/** Never reloaded, because capabilities and providers change only with the config. */
const NEVER = { when: () => false }

/** A user who typed within this time is still typing, in milliseconds. */
const TYPING_MS = 500

/** The query input, with completion. */
export function QueryBox({
  text,
  onChange,
  keys,
  problem,
}: {
  text: string
  onChange: (text: string) => void
  keys: ViewKeys
  problem?: string | undefined
}) {
  const input = useRef<HTMLInputElement>(null)
  const typed = useSignal(text)
  const cursor = useSignal(text.length)
  const typedAt = useRef(Number.NEGATIVE_INFINITY)
  const isOpen = useSignal(false)
  const chosen = useSignal(-1)
  const capabilities = useResource<{ capabilities: { name: string }[] }>('/v1/capabilities', NEVER)
  const providers = useResource<{ providers: Provider[] }>('/v1/providers', NEVER)
  const known = useMemo(
    () => ({
      capabilities: capabilities.value.value?.capabilities.map(({ name }) => name) ?? [],
      providers: providers.value.value?.providers.map(({ id }) => id) ?? [],
    }),
    [capabilities.value.value, providers.value.value],
  )
  useViewKeys({
    ...keys,
    search: () => {
      input.current?.focus()
      input.current?.select()
    },
  })
  // The search key was pressed in another view.
  useEffect(() => {
    if (!place.peek().searchParams.has('focus')) return
    go('/operations', { replace: true })
    input.current?.focus()
  }, [])
  // The user went back, or followed a link to another query. While the user types, the address lags behind the box.
  useEffect(() => {
    if (performance.now() - typedAt.current > TYPING_MS && text !== typed.peek().trim()) typed.value = text
  }, [text])
  const options = isOpen.value ? completionsOf(typed.value, cursor.value, known) : []
  const type = (value: string, at: number) => {
    typedAt.current = performance.now()
    typed.value = value
    cursor.value = at
    chosen.value = -1
    onChange(value.trim())
  }
  const take = (index: number) => {
    const option = options[index]
    if (!option) return
    const value = `${typed.value.slice(0, option.from)}${option.text}${typed.value.slice(option.to).trimStart()}`
    const at = option.from + option.text.length
    type(value, at)
    const box = input.current as HTMLInputElement
    // Now, not with the next frame: a letter typed before it would stand before the cursor's new place.
    box.value = value
    box.setSelectionRange(at, at)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = options
    if (event.key === 'ArrowDown' && length > 0) chosen.value = (chosen.value + 1) % length
    else if (event.key === 'ArrowUp' && length > 0)
      chosen.value = (chosen.value + length - 1 + (chosen.value < 0 ? 1 : 0)) % length
    else if (
      event.key === 'Tab' &&
      !event.shiftKey &&
      length > 0 &&
      isOpen.value &&
      typed.value.slice(0, cursor.value).match(/\S$/)
    )
      take(Math.max(0, chosen.value))
    else if (event.key === 'Enter' && chosen.value >= 0) take(chosen.value)
    else if (event.key === 'Enter') isOpen.value = false
    else if (event.key === 'Escape' && isOpen.value && length > 0) isOpen.value = false
    else if (event.key === 'Escape') input.current?.blur()
    else return
    event.preventDefault()
  }
  const isShown = options.length > 0
  return (
    <div class="query">
      <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.8" aria-hidden="true">
        <circle cx="9" cy="9" r="5.5" />
        <path d="m13.5 13.5 4 4" stroke-linecap="round" />
      </svg>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Query"
        aria-expanded={isShown}
        aria-controls="query-options"
        aria-autocomplete="list"
        aria-activedescendant={chosen.value >= 0 ? `query-option-${chosen.value}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : 'query-problem'}
        autocomplete="off"
        spellcheck={false}
        placeholder='state:dead class:throttle "timed out" since:2h'
        value={typed.value}
        onFocus={() => {
          isOpen.value = true
          cursor.value = input.current?.selectionStart ?? 0
        }}
        onBlur={() => {
          isOpen.value = false
        }}
        onInput={event => {
          isOpen.value = true
          type(event.currentTarget.value, event.currentTarget.selectionStart ?? 0)
        }}
        onClick={event => {
          cursor.value = event.currentTarget.selectionStart ?? 0
        }}
        onKeyDown={onKeyDown}
      />
      {typed.value === '' ? (
        <kbd title="Press / to search">/</kbd>
      ) : (
        <button type="button" class="button quiet" aria-label="Clear the query" onClick={() => type('', 0)}>
          ✕
        </button>
      )}
      <div id="query-options" role="listbox" aria-label="Completions" hidden={!isShown}>
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={option.text}
            id={`query-option-${index}`}
            role="option"
            aria-selected={index === chosen.value}
            onMouseDown={event => event.preventDefault()}
            onClick={() => take(index)}
          >
            <span class="mono">{option.text}</span>
            <span class="faint">{option.words}</span>
          </div>
        ))}
      </div>
      {problem === undefined ? null : (
        <p class="query-problem" id="query-problem" role="status">
          {problem}
        </p>
      )}
    </div>
  )
}
