import { hash } from './hash.ts'
import { shapeOf } from './shape.ts'

/**
 * The first form of fingerprints: of the first line, whatever it says. Labels that were given to it still apply. It made one
 * failure of all that stand behind the same banner.
 */
export function firstFingerprintOf(parts: {
  provider?: string | undefined
  name?: string | undefined
  /** Status, code, exit code and signal. Failures that differ in one of them get different fingerprints. */
  codes?: readonly (string | number | undefined)[]
  text: string
}): string {
  const codes = (parts.codes ?? []).map(code => (code === undefined ? '' : String(code).toLowerCase()))
  const shape = [
    parts.provider?.toLowerCase() ?? '',
    parts.name?.toLowerCase() ?? '',
    ...codes,
    shapeOf(parts.text),
  ].join('\u0000')
  return `fp1:${hash(shape)}`
}
