import { signal } from '@preact/signals'

/** Whether anybody can see this page. A hidden one does no work. */
export const visible = signal(document.visibilityState === 'visible')

document.addEventListener('visibilitychange', () => {
  visible.value = document.visibilityState === 'visible'
})
