// The tests use handwritten responses of a ClickHouse server, because the embedded engine responds differently.
import type { ClickHouseClient } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { createIdentityProbe } from './identity.ts'

interface Canned {
  readonly started: number
  readonly incarnation?: string
  readonly boot?: string
  readonly denied?: boolean
}

const probeOf = (answers: Canned[]) => {
  const query = async ({ query }: { query: string }) => {
    const { started, incarnation = '', boot = '', denied } = answers[0]!
    if (denied && query.includes('system.macros')) throw Object.assign(new Error('Not enough privileges'), { code: '497' })
    answers.shift()
    return { json: async () => [{ version: '26.4', started: String(started), server: 'S', boot, incarnation }] }
  }
  const probe = createIdentityProbe({ query } as unknown as ClickHouseClient)
  return async () => (await probe()).startedAt
}

test('the identity of a server consists of the UUIDs that its system tables get at each start', async () => {
  const startedAt = probeOf([
    { started: 100, incarnation: 'u1' },
    { started: 101, incarnation: 'u1' },
    { started: 101, incarnation: 'u2' },
  ])
  expect([await startedAt(), await startedAt(), await startedAt()]).toEqual(['S/u1', 'S/u1', 'S/u2'])
})

test('for a user without grants on these tables the identity is the start time, unaffected by rounding', async () => {
  const startedAt = probeOf([
    { started: 100, denied: true },
    { started: 101, denied: true },
    { started: 99, denied: true },
    { started: 160, denied: true },
  ])
  expect([await startedAt(), await startedAt(), await startedAt(), await startedAt()]).toEqual(['S/100', 'S/100', 'S/100', 'S/160'])
})

test('the embedded engine has a new identity after each start', async () => {
  expect(await probeOf([{ started: 1, boot: 'b-1' }])()).toBe('b-1')
})
