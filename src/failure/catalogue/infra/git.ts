import { family } from '../rule.ts'
import { printed } from './example.ts'

const said = (text: string, exitCode = 128) => printed(text, exitCode)

/** git exits 128 for any fatal error, so the text decides. */
export default family('git', {
  locked: {
    kind: 'lock',
    rank: 'named',
    effect: 'none',
    why: 'another git process runs here, or one died and left its lock',
    when: {
      says: [
        'index lock file exists',
        'another git process seems to be running',
        'could not lock config file',
        'cannot lock ref',
        'shallow lock file exists',
      ],
      unless: ['permission denied'],
    },
    example: said('error: could not lock config file .git/config: File exists'),
  },
  denied: {
    kind: 'forbidden',
    rank: 'cause',
    scope: 'resource',
    why: 'the login is known, but may not touch this repository',
    when: { says: ['permission to … denied to'] },
    example: said('ERROR: Permission to acme/site.git denied to bob.'),
  },
  diverged: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'named',
    why: 'the histories diverged: a person must fetch, merge or decide',
    when: {
      says: [
        'non fast forward',
        'not possible to fast forward',
        'rejected … fetch first',
        'divergent branches',
        'conflict content',
        'automatic merge failed',
        'local changes … would be overwritten',
        'unmerged files',
        'is already checked out at',
        'is already used by worktree',
        'updates were rejected because',
      ],
    },
    example: said(' ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs', 1),
  },
  no_such: {
    kind: 'not_found',
    rank: 'named',
    why: 'there is no such branch, commit, path or remote name',
    when: {
      says: [
        'did not match any file s known to git',
        'couldnt find remote ref',
        'bad revision',
        'unknown revision',
        'remote branch … not found',
        'invalid reference',
        'not a valid object name',
        'not a commit',
        'no such remote',
      ],
    },
    example: said("fatal: couldn't find remote ref x"),
  },
  settings: {
    kind: 'config',
    rank: 'named',
    why: "a name, an address or a permission is missing in git's settings",
    when: {
      says: [
        'unable to auto detect email address',
        'please tell me who you are',
        'does not appear to be a git repository',
        'detected dubious ownership',
        'no configured push destination',
        'has no upstream branch',
        'no upstream branch',
      ],
    },
    example: said("fatal: 'origin' does not appear to be a git repository"),
  },
  host_key: {
    kind: 'auth',
    rank: 'named',
    why: "the server's host key changed, or is unknown",
    when: { says: ['host key verification failed', 'remote host identification has changed'] },
    example: said('Host key verification failed.\nfatal: Could not read from remote repository.'),
  },
  tools_missing: {
    kind: 'git_unavailable',
    rank: 'named',
    why: "Apple's stand-in for git asks for the developer tools",
    when: { says: ['invalid active developer path', 'no developer tools were found'] },
    example:
      'xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools), missing xcrun',
  },
})
