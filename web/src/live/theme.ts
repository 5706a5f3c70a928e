import { computed, effect, signal } from '@preact/signals'

/** What was chosen: `system` follows the viewer's own choice. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'mulligan-theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(dark.matches)
dark.addEventListener('change', () => {
  isSystemDark.value = dark.matches
})

/** The theme that was chosen. */
export const chosenTheme = signal<Theme>(remembered())
/** The theme that is shown. */
export const theme = computed(() =>
  chosenTheme.value === 'system' ? (isSystemDark.value ? 'dark' : 'light') : chosenTheme.value,
)

effect(() => {
  const chosen = chosenTheme.value
  const root = document.documentElement
  if (chosen === 'system') root.removeAttribute('data-theme')
  else root.setAttribute('data-theme', chosen)
  try {
    localStorage.setItem(KEY, chosen)
  } catch {
    // A browser that keeps nothing shows the system's theme again.
  }
})

function remembered(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}
