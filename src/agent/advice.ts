import type { Failure, FailureKind } from '../failure/failure.ts'

const PROXY = 'Log in to the proxy: put its user and password into HTTPS_PROXY, or ask who runs it'
const CERTIFICATE =
  'Check the address and its certificate; if a company signs its own, let the CLI trust it (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE)'

/** What a person must do about a connection that cannot be made. */
export const ON_CONNECTIONS: Partial<Record<FailureKind, string>> = {
  tls: CERTIFICATE,
  auth: PROXY,
  config: 'It redirects in a circle: check the address',
}

/** A failure on the way to the vendor, with what a person must do: CLIs name it, as if it would pass or were the vendor's. */
export function withAdvice(failure: Failure): Failure {
  const { kind, status, evidence, message } = failure
  let advice: string | undefined
  if (kind === 'tls') advice = CERTIFICATE
  else if (kind === 'auth' && evidence.rule === 'http.proxy_login') advice = PROXY
  else if (kind === 'auth' && status === 511)
    advice = 'Log in to the network with a browser, or ask who runs it'
  return advice === undefined
    ? failure
    : { ...failure, message: `${message.replace(/[.\s]+$/, '')}. ${advice}` }
}
