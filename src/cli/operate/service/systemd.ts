import { homedir } from 'node:os'
import { join } from 'node:path'
import { MARK, type ManagerPlace, type ServiceManager, type ServiceSpec } from './manager.ts'

const UNIT = 'mulligan.service'

/** systemd, for one user or for the machine. */
export function systemd({ env, system }: ManagerPlace): ServiceManager {
  const scope = system ? [] : ['--user']
  const configHome = env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config')
  return {
    title: 'systemd',
    file: join(system ? '/etc/systemd/system' : join(configHome, 'systemd', 'user'), UNIT),
    textFor: unitFor,
    start: [
      ['systemctl', ...scope, 'daemon-reload'],
      ['systemctl', ...scope, 'enable', UNIT],
      // Not "start": a changed unit takes effect too.
      ['systemctl', ...scope, 'restart', UNIT],
    ],
    stop: [['systemctl', ...scope, 'disable', '--now', UNIT]],
    forget: [['systemctl', ...scope, 'daemon-reload']],
    isRunning: ['systemctl', ...scope, 'is-active', '--quiet', UNIT],
    log: `journalctl ${system ? '' : '--user '}-u ${UNIT}`,
    ...(system ? {} : { hint: 'To keep it running when you log out: loginctl enable-linger' }),
  }
}

function unitFor({ argv, folder, path, environmentFile, runAs }: ServiceSpec): string {
  return `# ${MARK}; "mulligan service remove" deletes it.
[Unit]
Description=Mulligan
${runAs === undefined ? '' : 'After=network-online.target\nWants=network-online.target\n'}
[Service]
Type=exec
${runAs === undefined ? '' : `User=${runAs}\n`}WorkingDirectory=${folder === undefined ? '~' : escaped(folder)}
Environment=${quoted(`PATH=${path}`)}
# Keys and other variables, one NAME=VALUE a line; make it readable for its owner only.
EnvironmentFile=-${escaped(environmentFile)}
ExecStart=${argv.map(quoted).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
# 1 and 2 need a person: a mistake in the config, a module, the data folder or the flags, or a damaged ledger.
RestartPreventExitStatus=1 2
TimeoutStopSec=60
# The daemon ends the process group of each try; this ends any process that is left.
KillMode=mixed
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
${runAs === undefined ? '' : FOR_MACHINE}
[Install]
WantedBy=${runAs === undefined ? 'default.target' : 'multi-user.target'}
`
}

/** A user's own manager may not set these. */
const FOR_MACHINE = `ProtectSystem=full
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
PrivateTmp=yes
`

/** A path: systemd expands % in it. */
function escaped(text: string): string {
  return text.replaceAll('%', '%%')
}

/** A word of a command line or an assignment, as it is. */
function quoted(word: string): string {
  const plain = escaped(word).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(word) ? plain : `"${plain}"`
}
