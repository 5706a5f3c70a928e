import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const FORM =
  '<!DOCTYPE html><html><head><title>Sign in to your account</title></head><body><form action="/login"><input name="u"><input type="password" name="p"></form></body></html>'
const SAML =
  '<html><body onload="document.forms[0].submit()"><form action="https://idp.example.com/sso" method="post"><input type="hidden" name="SAMLRequest" value="PHN"/></form></body></html>'
const SCRIPT = '<html><script>window.location.href = "https://sso.example.com/login?back=1"</script></html>'

const answer = (body: string, more = {}) => ({
  status: 200,
  headers: { 'content-type': 'text/html' },
  body,
  ...more,
})
const printed = (stdout: string) => ({ exitCode: 0, signal: null, stdout, stderr: '' })

describe('a login page in place of an answer', () => {
  it.each([FORM, SAML, SCRIPT])('is a refused login, and proves nothing about what was done', page => {
    const refused = { class: 'permanent', kind: 'auth', effect: 'maybe', evidence: { speaker: 'prose' } }
    expect(classify(answer(page))).toMatchObject(refused)
    expect(classify(printed(page), { provider: 'acme-cli' })).toMatchObject(refused)
  })

  it('is the answer of whoever asks for it, reads pages, or was asked to write one', () => {
    expect(classify(answer(FORM, { url: 'https://app.example.com/login' }))).toBeNull()
    expect(classify({ ...printed(FORM), command: 'curl -s https://app.example.com' })).toBeNull()
    expect(classify(printed(FORM), { provider: 'claude' })).toBeNull()
    expect(classify({ content: [{ type: 'text', text: FORM }] }, { returned: true })).toBeNull()
    expect(classify(answer(FORM.replace('Sign in to your account', 'Garden tools')))).toBeNull()
  })
})
