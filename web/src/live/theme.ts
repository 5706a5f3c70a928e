import { computed, effect, signal } from '@preact/signals'

/** The viewer's choice; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'mulligan-theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(dark.matches)
dark.addEventListener('change', () => {
  isSystemDark.value = dark.matches
})

/** The chosen theme. */
export const chosenTheme = signal<Theme>(remembered())
/** The theme in use. */
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
    // A browser without storage starts with the system's theme.
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
