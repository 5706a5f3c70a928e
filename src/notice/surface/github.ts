import { below } from './request.ts'
import type { Surface } from './surface.ts'
import { trackerSurface } from './tracker.ts'

/** A repository on GitHub. */
export interface GithubSettings {
  /** `owner/name`. */
  repo: string
  token: string
  /** Labels of new issues. */
  labels: readonly string[]
  /** Address of the API. Default `https://api.github.com`. */
  baseUrl?: string | undefined
}

/** Opens issues on GitHub. */
export function githubSurface({ repo, token, labels, baseUrl }: GithubSettings): Surface {
  return trackerSurface({
    kind: 'github',
    title: 'GitHub',
    issues: below(baseUrl ?? 'https://api.github.com', `/repos/${repo}/issues`),
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    },
    page: number => `state=all&sort=created&direction=desc&per_page=100&page=${number}`,
    pageSize: 100,
    extra: { labels },
  })
}
