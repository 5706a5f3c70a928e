// What `mulligan/provider` exports: the names of @mulligan/core/provider, with a Health whose probes may be programs.
export * from '../provider/index.ts'
export { NodeHealth as Health } from './node-health.ts'
