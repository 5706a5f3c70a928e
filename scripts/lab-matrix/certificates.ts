import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/process/run.ts'

/** A certificate with its key, and the file of the authority that signed it. */
export interface Certificate {
  key: Buffer
  cert: Buffer
  /** The authority's certificate; its folder holds everything that was made. */
  authority: string
  folder: string
}

export interface CertificateWish {
  /** The subject's alternative name, such as `IP:127.0.0.1`. */
  name: string
  /** Whether it ended years ago. Default false. */
  expired?: boolean
}

/** Makes an authority and a certificate that it signed. */
export async function makeCertificate({ name, expired = false }: CertificateWish): Promise<Certificate> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-lab-tls-'))
  const at = (file: string) => join(folder, file)
  mkdirSync(at('issued'))
  writeFileSync(at('index.txt'), '')
  writeFileSync(at('serial'), '01\n')
  writeFileSync(at('extensions'), `subjectAltName=${name}\n`)
  writeFileSync(at('ca.conf'), configOf(folder))
  const key = ['-newkey', 'rsa:2048', '-nodes']
  const authority = at('authority.pem')
  await openssl(
    'req',
    '-x509',
    ...key,
    '-days',
    '2',
    '-subj',
    '/CN=Lab authority',
    '-keyout',
    at('authority.key'),
    '-out',
    authority,
  )
  await openssl('req', ...key, '-subj', '/CN=lab', '-keyout', at('key.pem'), '-out', at('request.pem'))
  const span = expired ? ['-startdate', '20240101000000Z', '-enddate', '20240301000000Z'] : ['-days', '1']
  await openssl(
    'ca',
    '-batch',
    '-notext',
    '-config',
    at('ca.conf'),
    ...span,
    '-extfile',
    at('extensions'),
    '-in',
    at('request.pem'),
    '-out',
    at('cert.pem'),
  )
  return { key: readFileSync(at('key.pem')), cert: readFileSync(at('cert.pem')), authority, folder }
}

async function openssl(...args: string[]): Promise<void> {
  const made = await run({ argv: ['openssl', ...args] })
  if (made.exitCode !== 0) throw new Error(`openssl ${args[0]} failed: ${made.stderr}`)
}

function configOf(folder: string): string {
  return `[ca]
default_ca = lab
[lab]
database = ${folder}/index.txt
serial = ${folder}/serial
new_certs_dir = ${folder}/issued
certificate = ${folder}/authority.pem
private_key = ${folder}/authority.key
default_md = sha256
policy = any
[any]
commonName = supplied
`
}
