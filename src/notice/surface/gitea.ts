import { below } from './request.ts'
import type { Surface } from './surface.ts'
import { trackerSurface } from './tracker.ts'

/** A repository on a Gitea or Forgejo server. */
export interface GiteaSettings {
  /** `owner/name`. */
  repo: string
  token: string
  /** Address of the server. */
  baseUrl: string
}

/** Opens issues on Gitea. New issues get no labels, because Gitea takes them by number instead of name. */
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
