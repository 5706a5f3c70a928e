import { MEANING, type MeaningfulError, type OwnMeaning } from '../../failure/own-error.ts'
import type { Answer } from './patient-send.ts'

/** A provider answers from elsewhere. Keys go only where the config says, so a person must say so. */
class Redirected extends Error implements MeaningfulError {
  override name = 'Redirected'

  constructor(from: URL, status: number, location: string | undefined) {
    const to = location === undefined ? 'without saying where' : `to ${location}`
    super(
      `${from.origin} redirects (${status}) ${to}, which is not followed; if that is right, give it as base_url of its [[provider]]`,
    )
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'config', effect: 'none' }
  }
}

/** Throws if the answer to a question only says where to ask. */
export function refuseRedirect(answer: Answer, from: URL): void {
  const { status, headers, body } = answer
  if (status < 300 || status > 399) return
  const ignored = body?.cancel(new Error('it is a redirect'))
  void ignored?.catch(() => {})
  throw new Redirected(from, status, headers.get('location') ?? undefined)
}
