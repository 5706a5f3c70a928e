/** The part of Node-like runtimes used here; absent in browsers and on the edge. */
interface Warner {
  emitWarning?: (message: string, options: { code: string }) => void
}

/** Warns the operator of something odd but harmless: as a process warning if there is a process, else on the console. */
export function emitWarning(message: string, code: string): void {
  const { process } = globalThis as { process?: Warner }
  if (typeof process?.emitWarning === 'function') process.emitWarning(message, { code })
  else console.warn(`${code}: ${message}`)
}
