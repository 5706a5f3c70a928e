export { type Mulligan, type OpenMulliganOptions, openMulligan } from './open-mulligan.ts'
