import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { absenceOf } from './absence.ts'

const NOWHERE = join(import.meta.dirname, 'nowhere')

it.each([
  ['"systemctl --user daemon-reload" failed: Failed to connect to bus: No medium found', NOWHERE, 'machine'],
  ["System has not been booted with systemd as init system (PID 1). Can't operate.", NOWHERE, 'machine'],
  ['Failed to connect to user scope bus via local transport: $DBUS_SESSION_BUS_ADDRESS', tmpdir(), 'session'],
  ['Failed to enable unit: Access denied', NOWHERE, undefined],
] as const)('%s, where %s tells that systemd runs: %s', (problem, booted, absence) => {
  expect(absenceOf(problem, booted)).toBe(absence)
})
