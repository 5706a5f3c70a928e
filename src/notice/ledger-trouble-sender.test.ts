import { describe, expect, it } from 'vitest'
import { SurfaceStub } from '../../test/notice/stub.ts'
import { readConfig } from '../config/read.ts'
import { LedgerTroubleSender } from './ledger-trouble-sender.ts'

const HOUR = 3_600_000

describe('trouble with the ledger', () => {
  it('is sent without the ledger, once an hour, to surfaces that want it', async () => {
    const stub = await SurfaceStub.start()
    try {
      const toml = [
        `name = "hook"\nkind = "webhook"\nurl = "${stub.url}/hook"`,
        `name = "gone"\nkind = "webhook"\nurl = "${stub.url}/nothing-here"`,
        `name = "other"\nkind = "discord"\nwebhook = "env:D"\nevents = ["dead"]`,
      ]
        .map(keys => `[[surface]]\n${keys}\n`)
        .join('')
      const { surfaces } = readConfig(toml, undefined).trust().config
      let now = Date.parse('2026-11-16T20:00:00Z')
      const failed: string[] = []
      const sender = new LedgerTroubleSender({
        surfaces,
        host: { base: '.', env: { D: `${stub.url}/discord` }, now: () => now },
        onError: (_error, surface) => failed.push(surface),
        signal: new AbortController().signal,
      })
      const full = {
        code: 'full',
        message: 'the disk is full token=ghp_abcdefghijklmnopqrstuvwxyz0123456789',
      }
      await sender.send(full)
      await sender.send(full)
      expect(stub.arrived.map(({ kind }) => kind)).toEqual(['webhook'])
      expect(JSON.parse(stub.arrived[0]?.body as string)).toMatchObject({
        event: 'ledger_trouble',
        priority: 'urgent',
        text: expect.stringMatching(/^the disk is full/),
      })
      expect(stub.arrived[0]?.body).not.toContain('ghp_abc')
      expect(failed).toEqual(['gone'])
      now += HOUR
      await sender.send(full)
      expect(stub.arrived).toHaveLength(2)
    } finally {
      await stub.close()
    }
  })
})
