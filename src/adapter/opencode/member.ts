import type { CouncilMember } from '../../call/council-options.ts'
import { askOpencode, type OpencodeRequest } from './ask.ts'
import type { OpencodeClient, OpencodeModel } from './client.ts'

/** A member of a council that opencode answers for. */
export interface OpencodeMemberOptions extends OpencodeRequest {
  model: OpencodeModel
  /** What it is called. Default `provider/model`. */
  name?: string
}

/** A model behind opencode as a member of a council: each try is a child session of its own, aborted when it is over. */
export function opencodeMember(
  client: OpencodeClient,
  options: OpencodeMemberOptions,
): CouncilMember<string> {
  const { providerID, modelID } = options.model
  const name = options.name ?? `${providerID}/${modelID}`
  return {
    name,
    provider: providerID,
    model: modelID,
    ask: context => askOpencode(client, { title: `council: ${name}`, ...options }, context),
  }
}
