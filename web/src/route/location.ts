import { computed, signal } from '@preact/signals'

/** The current address: path, query and fragment. */
export const place = signal(new URL(location.href))

/** The parts of the path: `['operations', 'op_7']`. */
export const parts = computed(() => place.value.pathname.split('/').filter(Boolean).map(decodeURIComponent))

/** Goes to another address within the dashboard. */
export function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const url = new URL(to, location.href)
  if (url.href === location.href) return
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  const isOther = url.pathname !== place.peek().pathname
  place.value = url
  if (isOther) scrollTo(0, 0)
}

addEventListener('popstate', () => {
  place.value = new URL(location.href)
})

/** Links within the dashboard change the view without reloading the page. */
document.addEventListener('click', event => {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = (event.target as Element | null)?.closest?.('a[href]')
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return
  if (link.origin !== location.origin) return
  event.preventDefault()
  go(link.href)
})
