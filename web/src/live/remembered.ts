import { type Signal, signal } from '@preact/signals'

/** A choice between numbers that this browser remembers. A stored value that is not an option is ignored. */
export function remembered(key: string, options: readonly number[], otherwise: number): Signal<number> {
  const name = `mulligan-${key}`
  const kept = Number(read(name))
  const choice = signal(options.includes(kept) ? kept : otherwise)
  choice.subscribe(value => write(name, String(value)))
  return choice
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // A browser without storage starts with the default each time.
  }
}
