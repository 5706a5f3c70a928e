import { describe, expect, it } from 'vitest'
import { placeOf } from './place.ts'

describe('the address of a database', () => {
  it('is shown without its password, with everything else that tells where it is', () => {
    const place = placeOf('postgres://ann:s3cret@db.example:6432/work?schema=team&sslmode=verify-full')
    expect(place.label).toBe('postgres://ann@db.example:6432/work, schema team')
    expect(place.connectionString).toBe('postgres://ann:s3cret@db.example:6432/work?sslmode=verify-full')
    expect(place.schema).toBe('team')
  })

  it('may leave out role and port, and leads to the schema mulligan', () => {
    expect(placeOf('postgresql://localhost/work').label).toBe(
      'postgres://localhost:5432/work, schema mulligan',
    )
  })

  it.each([
    ['postgres://ann:p@ss@@', /cannot be read|names no database/],
    ['mysql://ann:s3cret@db/work', /begins with mysql:/],
    ['postgres://ann:s3cret@db', /names no database/],
    ['postgres://ann:s3cret@db/work?shema=team', /has "shema"; did you mean "schema"/],
    ['postgres://ann:s3cret@db/work?schema=pg_x', /schema "pg_x"/],
    ['postgres://ann:s3cret@db/work?schema=Team', /schema "Team"/],
    ['postgres://ann:s3cret@db/work?schema=a;drop', /schema "a;drop"/],
  ])('%s is refused without telling the password', (address, message) => {
    expect(() => placeOf(address)).toThrow(message)
    try {
      placeOf(address)
    } catch (error) {
      expect((error as Error).message).not.toMatch(/s3cret|p@ss/)
    }
  })
})
