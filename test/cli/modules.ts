// What test-written capability modules import. Part of the command's bundle, so both share one copy.
export { z } from 'zod'
export { defineCapability } from '../../src/capability/define.ts'
