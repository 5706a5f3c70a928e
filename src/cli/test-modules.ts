// What the modules of capabilities import that tests write: in the bundle of the command, so that both load it once.
export { z } from 'zod'
export { defineCapability } from '../capability/define.ts'
