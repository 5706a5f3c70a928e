import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { MARK, type ManagerPlace, type ServiceManager, type ServiceSpec } from './manager.ts'

const LABEL = 'dev.mulligan.daemon'

/** launchd of macOS, for one user or for the machine. */
export function launchd({ env, system }: ManagerPlace): ServiceManager {
  const home = env.HOME ?? homedir()
  const file = join(
    system ? '/Library/LaunchDaemons' : join(home, 'Library', 'LaunchAgents'),
    `${LABEL}.plist`,
  )
  const log = system ? '/Library/Logs/mulligan.log' : join(home, 'Library', 'Logs', 'mulligan.log')
  const domain = system ? 'system' : `gui/${userInfo().uid}`
  return {
    title: 'launchd',
    file,
    textFor: spec => plistFor(spec, log),
    start: [['launchctl', 'bootstrap', domain, file]],
    stop: [['launchctl', 'bootout', `${domain}/${LABEL}`]],
    forget: [],
    isRunning: ['launchctl', 'print', `${domain}/${LABEL}`],
    log: `tail -f ${log}`,
  }
}

function plistFor({ argv, folder, path, runAs }: ServiceSpec, log: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${MARK}; "mulligan service remove" deletes it. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${argv.map(word => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
${folder === undefined ? '' : `  <key>WorkingDirectory</key><string>${escaped(folder)}</string>\n`}${runAs === undefined ? '' : `  <key>UserName</key><string>${escaped(runAs)}</string>\n`}  <key>EnvironmentVariables</key>
  <dict><key>PATH</key><string>${escaped(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>5</integer>
  <key>ExitTimeOut</key><integer>60</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardErrorPath</key><string>${escaped(log)}</string>
</dict>
</plist>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
