export * from './core.ts'
export { Signatures } from './failure/signature.ts'
export { NodeHealth as Health } from './process/node-health.ts'
