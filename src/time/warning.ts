/** What Node and those who follow it offer; absent in browsers and on the edge. */
interface Warner {
  emitWarning?: (message: string, options: { code: string }) => void
}

/**
 * Tells the operator of something that is odd and stops nobody: as a warning of the process where there is one, else on
 * the console.
 */
export function emitWarning(message: string, code: string): void {
  const { process } = globalThis as { process?: Warner }
  if (typeof process?.emitWarning === 'function') process.emitWarning(message, { code })
  else console.warn(`${code}: ${message}`)
}
