import { findBinary } from '../../agent/binary.ts'
import type { SurfaceHost } from './surface.ts'

/** Throws what starting a program would end with if it is not installed. */
export function findProgram(name: string, { env, base }: Pick<SurfaceHost, 'env' | 'base'>): void {
  if (findBinary(name, { path: env.PATH, cwd: base }) === undefined)
    throw Object.assign(new Error(`program ${name} not found, or not executable`), { code: 'ENOENT' })
}
