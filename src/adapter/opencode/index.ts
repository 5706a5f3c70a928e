export { askOpencode, type OpencodeRequest } from './ask.ts'
export type { OpencodeClient, OpencodeModel, OpencodeResult } from './client.ts'
export { OpencodeEvents } from './events.ts'
export { type OpencodeMemberOptions, opencodeMember } from './member.ts'
