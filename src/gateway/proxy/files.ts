/** Names of the proxy's files in the data folder: its token, and where it listens. */
export const PROXY_TOKEN_FILE = 'proxy.token'
export const PROXY_ADDRESS_FILE = 'proxy.json'
