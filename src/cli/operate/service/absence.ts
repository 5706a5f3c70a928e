import { existsSync } from 'node:fs'

/** What systemctl says where it reaches no systemd. */
const UNREACHED =
  /not been booted with systemd|failed to connect to (?:the )?(?:system |user )?(?:scope )?bus/i
/** A folder that is there while systemd runs the machine, as its manual promises. */
const BOOTED = '/run/systemd/system'

/**
 * Why a service manager could not be told anything: `machine` if systemd does not run this machine, as in most containers,
 * `session` if only the user has none, as after su; undefined if the problem is another.
 */
export function absenceOf(problem: string, booted = BOOTED): 'machine' | 'session' | undefined {
  if (!UNREACHED.test(problem)) return undefined
  return existsSync(booted) ? 'session' : 'machine'
}

/** What helps about it. */
export const WITHOUT: Readonly<Record<'machine' | 'session', string>> = {
  machine:
    'systemd does not run here. In a container, run "mulligan serve" as its command. Where systemd runs, start it with:',
  session: 'systemd has no session of this user. Log in as that user, not by su or sudo, then start it:',
}
