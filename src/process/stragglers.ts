import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * An inherited variable that marks a process as part of a tree, even if it left the process group. Each level of Mulligan
 * adds its own mark, so the outer one knows what the inner one started.
 */
export const TREE_VARIABLE = 'MULLIGAN_TREE'

/** The prefix of all marks of this process's trees. */
const OWN_MARK = randomUUID()
let trees = 0

/** A mark for a new tree. Ends with a dot, so no mark is a prefix of another. */
export function newMark(): string {
  return `${OWN_MARK}.${++trees}.`
}

/** The environment with one more mark. */
export function withMark(
  env: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string | undefined> {
  const outer = env[TREE_VARIABLE]
  return { ...env, [TREE_VARIABLE]: outer ? `${outer}:${mark}` : mark }
}

/** A process of a tree that left its group. */
export interface Straggler {
  pid: number
  /** Identifies the process together with the pid, because pids are reused. */
  startedAt: string
}

interface Seen extends Straggler {
  parent: number
  isDead: boolean
}

/**
 * Processes of a tree that a signal to its group does not reach: those that carry its mark, and descendants of those or of
 * the first process. Works on Linux only; elsewhere the list is empty. A process that lost its parents and also discarded or
 * hides its environment is not found.
 */
export function stragglers(mark: string, first: number): Straggler[] {
  const found = new Map<number, Straggler>()
  const others: Seen[] = []
  for (const pid of pidsSince(first)) {
    const seen = pid === first ? undefined : look(pid)
    if (!seen || seen.isDead) continue
    if (isMarked(pid, mark)) found.set(pid, seen)
    else others.push(seen)
  }
  // After pids wrap around, a child may have a lower pid than its parent: repeat until nothing new is found.
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const seen of others) if (seen.parent === first || found.has(seen.parent)) found.set(seen.pid, seen)
  }
  return [...found.values()]
}

/**
 * Kills stragglers. Those forked meanwhile are found in the next round.
 * @param known found earlier; some may have been known only by parents that are gone by now
 */
export function killStragglers(mark: string, first: number, known: readonly Straggler[] = []): void {
  // The pid may belong to another process by now.
  for (const { pid, startedAt } of known) if (look(pid)?.startedAt === startedAt) signalOne(pid, 'SIGKILL')
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const pids = stragglers(mark, first)
    if (pids.length === 0) return
    for (const { pid } of pids) signalOne(pid, 'SIGKILL')
  }
}

const MOST_ROUNDS = 20

/** Sends a signal to one process, if it exists and is ours. */
export function signalOne(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone, or belongs to another user.
  }
}

/** Pids increase: only later ones can belong to the tree, unless the numbers wrapped around. */
function pidsSince(first: number): number[] {
  try {
    const last = Number(readFileSync('/proc/loadavg', 'utf8').trim().split(' ').at(-1))
    const pids = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []))
    return last >= first ? pids.filter(pid => pid >= first) : pids.filter(pid => pid !== process.pid)
  } catch {
    return []
  }
}

/**
 * When a process started, in the system's own measure: with its pid it names the process. Undefined if it does not run; empty
 * where the system does not say, as outside Linux.
 */
export function startOfProcess(pid: number): string | undefined {
  const seen = look(pid)
  if (seen) return seen.isDead ? undefined : seen.startedAt
  if (existsSync('/proc/self/stat')) return undefined
  try {
    process.kill(pid, 0)
    return ''
  } catch {
    return undefined
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
    const value = environment.find(entry => entry.startsWith(`${TREE_VARIABLE}=`))
    return (
      value
        ?.slice(TREE_VARIABLE.length + 1)
        .split(':')
        .includes(mark) === true
    )
  } catch {
    return false
  }
}

function look(pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name may contain anything, even parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent = ''] = fields
    return {
      pid,
      startedAt: fields[19] ?? '',
      parent: Number(parent),
      isDead: state === 'Z' || state === 'X',
    }
  } catch {
    return undefined
  }
}
