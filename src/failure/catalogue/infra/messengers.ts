import { family, type Rule } from '../rule.ts'
import { words } from './example.ts'

const slack = (error: string) => ({ ok: false, error })
const errors = (list: string) => words(list, 'error=')

/** Slack, Telegram and Discord. */
export default [
  ...family('slack', {
    failed: {
      kind: 'server_error',
      rank: 'named',
      why: 'Slack failed, perhaps after it had begun',
      when: { code: errors('fatal_error internal_error team_added_to_org') },
      example: slack('fatal_error'),
      exampleReturned: true,
    },
    login: {
      kind: 'auth',
      rank: 'cause',
      why: 'the token is missing, wrong, expired or revoked',
      when: {
        code: errors(
          'invalid_auth not_authed token_revoked token_expired account_inactive org_login_required two_factor_setup_required',
        ),
      },
      example: slack('invalid_auth'),
      exampleReturned: true,
    },
    denied: {
      kind: 'forbidden',
      rank: 'named',
      why: 'the token is valid, but not for this',
      when: {
        code: errors(
          'missing_scope not_allowed_token_type restricted_action no_permission access_denied ekm_access_denied team_access_not_granted enterprise_is_restricted cant_post_message cannot_dm_bot',
        ),
      },
      example: slack('restricted_action'),
      exampleReturned: true,
    },
    absent: {
      kind: 'not_found',
      rank: 'named',
      why: 'no such channel, user or message, or the bot is not in the channel',
      when: {
        code: errors(
          'channel_not_found not_in_channel user_not_found users_not_found message_not_found thread_not_found file_not_found',
        ),
      },
      example: slack('not_in_channel'),
      exampleReturned: true,
    },
    invalid: {
      kind: 'invalid_request',
      rank: 'named',
      why: 'the message or its arguments are invalid',
      when: {
        code: errors(
          'msg_too_long invalid_blocks no_text invalid_arguments invalid_arg_name invalid_array_arg invalid_charset invalid_form_data invalid_post_type too_many_attachments is_archived msg_blocks_too_long cant_update_message edit_window_closed',
        ),
      },
      example: slack('msg_too_long'),
      exampleReturned: true,
    },
  }),
  ...family('telegram', {
    second_poller: {
      class: 'permanent',
      kind: 'conflict',
      rank: 'named',
      why: 'another program receives the updates, by polling or by a webhook',
      when: { says: ['terminated by other get updates', 'while webhook is active'] },
      example: {
        ok: false,
        error_code: 409,
        description:
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      },
    },
    moved: {
      kind: 'config',
      rank: 'named',
      why: 'the chat has a new id; the answer names it',
      when: { says: ['upgraded to a supergroup'] },
      example: {
        ok: false,
        error_code: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: -100 },
      },
    },
  }),
  ...family('discord', {
    intents: {
      kind: 'config',
      rank: 'named',
      why: 'the bot requests intents that are not enabled for it',
      when: { says: ['disallowed intents', 'disallowed intent'] },
      example: new Error('Used disallowed intents'),
    },
  }),
] satisfies Rule[]
