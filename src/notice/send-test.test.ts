import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SurfaceStub } from '../../test/notice/stub.ts'
import { readConfig } from '../config/read.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import { sendTest } from './send-test.ts'

let stub: SurfaceStub
beforeEach(async () => {
  stub = await SurfaceStub.start()
})
afterEach(() => stub.close())

describe('a test message', () => {
  it.each(['github', 'gitea'])(
    'that may have arrived is looked up at %s before it is sent again',
    async kind => {
      const toml = `[[surface]]\nname = "s"\nkind = "${kind}"\nrepo = "me/it"\ntoken = "env:TOKEN"\nbase_url = "${stub.url}"\n`
      const [config] = readConfig(toml, undefined).trust().config.surfaces
      stub.faults = ['taken_then_reset']
      const host = { base: '/', env: { TOKEN: 'a-token' }, now: Date.now }
      const sent = await sendTest(config as SurfaceConfig, host)
      expect(stub.issues).toHaveLength(1)
      expect(sent).toEqual({ reference: stub.issues[0]?.html_url })
    },
  )
})
