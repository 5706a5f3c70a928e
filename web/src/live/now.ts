import { effect, signal } from '@preact/signals'
import { visible } from './visible.ts'

/** The time now, epoch milliseconds, to the second. Stops while the page is hidden. */
export const now = signal(Date.now())

effect(() => {
  if (!visible.value) return undefined
  now.value = Date.now()
  const timer = setInterval(() => {
    now.value = Date.now()
  }, 1_000)
  return () => clearInterval(timer)
})
