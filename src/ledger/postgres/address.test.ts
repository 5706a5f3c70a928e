import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { addressOf } from './address.ts'

describe('the address of a database', () => {
  it('is shown without its password, but with everything else', () => {
    const place = addressOf('postgres://ann:s3cret@db.example:6432/work?schema=team&sslmode=verify-full')
    expect(place.label).toBe('postgres://ann@db.example:6432/work, schema team')
    expect(place.connectionString).toBe('postgres://ann:s3cret@db.example:6432/work')
    expect(place.schema).toBe('team')
  })

  it('goes to other programs with its encryption and settings, without its password', () => {
    const settings = 'sslmode=verify-full&options=-c+geqo%3Doff&schema=team'
    expect(addressOf(`postgres://ann:s3cret@db/work?${settings}&password=s3cret`).address).toBe(
      `postgres://ann@db/work?${settings}`,
    )
    expect(addressOf('postgres://db/work').address).toBe('postgres://db/work?schema=mulligan')
  })

  it('may omit role and port; the default schema is mulligan', () => {
    expect(addressOf('postgresql://localhost/work').label).toBe(
      'postgres://localhost:5432/work, schema mulligan',
    )
  })

  it('sets the encryption of the connection like libpq', () => {
    const file = encodeURIComponent(fileURLToPath(import.meta.url))
    const tlsOf = (query: string) => addressOf(`postgres://db/work?${query}`).tls
    expect(tlsOf('schema=a')).toBe(false)
    expect(tlsOf('sslmode=disable')).toBe(false)
    expect(tlsOf('sslmode=require')).toEqual({ rejectUnauthorized: false })
    expect(tlsOf(`sslmode=require&sslrootcert=${file}`)).toEqual({
      ca: expect.stringContaining('import'),
      checkServerIdentity: expect.any(Function),
    })
    expect(tlsOf('sslmode=verify-ca')).toEqual({ checkServerIdentity: expect.any(Function) })
    expect(tlsOf('sslmode=verify-full')).toEqual({})
    expect(tlsOf(`sslcert=${file}&sslkey=${file}`)).toEqual({
      cert: expect.any(String),
      key: expect.any(String),
    })
  })

  it.each(['ssl=true', 'sslnegotiation=direct', 'application_name=x', 'keepalives=1'])(
    'may have %s, which is for the driver',
    parameter => {
      expect(addressOf(`postgres://db/work?${parameter}`).connectionString).toContain(parameter)
    },
  )

  it.each([
    ['postgres://ann:s3cret@db/work?sslmode=verify', /sslmode "verify".*verify-full/],
    ['postgres://ann:s3cret@db/work?sslrootcert=/no/file', /sslrootcert.*cannot be read: ENOENT.*no\/file/],
    ['postgres://ann:p@ss@@', /cannot be read|names no database/],
    ['mysql://ann:s3cret@db/work', /begins with mysql:/],
    ['postgres://ann:s3cret@db', /names no database/],
    ['postgres://ann:s3cret@db/work?shema=team', /has "shema"; did you mean "schema"/],
    ['postgres://ann:s3cret@db/work?sslmod=verify-full', /has "sslmod"; did you mean "sslmode"/],
    ['postgres://ann:s3cret@db/work?ssl_root_cert=a', /has "ssl_root_cert"; did you mean "sslrootcert"/],
    ['postgres://ann:s3cret@db1:5432,db2:5432/work', /several hosts.*follows the server in charge/],
    ['postgres://ann:s3cret@db/work?schema=pg_x', /schema "pg_x"/],
    ['postgres://ann:s3cret@db/work?schema=Team', /schema "Team"/],
    ['postgres://ann:s3cret@db/work?schema=a;drop', /schema "a;drop"/],
  ])('%s is refused without revealing the password', (address, message) => {
    expect(() => addressOf(address)).toThrow(message)
    try {
      addressOf(address)
    } catch (error) {
      expect((error as Error).message).not.toMatch(/s3cret|p@ss/)
    }
  })
})
