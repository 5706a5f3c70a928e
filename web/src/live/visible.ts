import { signal } from '@preact/signals'

/** Whether this page is visible. A hidden page does no work. */
export const visible = signal(document.visibilityState === 'visible')

document.addEventListener('visibilitychange', () => {
  visible.value = document.visibilityState === 'visible'
})
