import { below } from './request.ts'
import type { Surface } from './surface.ts'
import { trackerSurface } from './tracker.ts'

/** A repository at a Gitea (or Forgejo). */
export interface GiteaSettings {
  /** `owner/name`. */
  repo: string
  token: string
  /** Address of the server. */
  baseUrl: string
}

/** Issues at a Gitea. Labels have numbers there, so new issues have none. */
export function giteaSurface({ repo, token, baseUrl }: GiteaSettings): Surface {
  return trackerSurface({
    kind: 'gitea',
    title: 'Gitea',
    issues: below(baseUrl, `/api/v1/repos/${repo}/issues`),
    headers: { authorization: `token ${token}`, accept: 'application/json' },
    page: number => `state=all&type=issues&limit=50&page=${number}`,
    pageSize: 50,
    extra: {},
  })
}
