import { join } from 'node:path'
import { z } from 'zod'
import { readPrivateJson, writePrivateJson } from './private-json.ts'
import { SCOPES } from './scope.ts'
import type { KeptBrowser, SignInDeps } from './sign-in.ts'

/** Name of the file in the data folder. It has hashes of cookies, so reading it signs nobody in. */
export const BROWSERS_FILE = 'http-browsers.json'

const browsers = z.array(
  z.object({
    hash: z.string(),
    csrf: z.string(),
    expiresAt: z.number(),
    scope: z.enum(SCOPES),
    token: z.string().optional(),
  }),
)

/** Keeps the signed-in browsers in the data folder. */
export function browsersFile(folder: string): NonNullable<SignInDeps['kept']> {
  const file = join(folder, BROWSERS_FILE)
  return {
    read: () => (browsers.safeParse(readPrivateJson(file)).data ?? []) as KeptBrowser[],
    write: kept => writePrivateJson(file, kept),
  }
}
