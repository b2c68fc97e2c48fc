import type { RelationalStore } from '@svc-server/relational/store'
import { type Command, decodeCommand } from '@svc-server/schema/command'
import { expect, test } from 'vitest'
import { flagBy, setTraceFlags } from '../src/flags.ts'

function stores(project: { readonly org_id: string } | undefined) {
  const noted: object[] = []
  const commands: Command[] = []
  const found = { select: () => found, selectAll: () => found, where: () => found, executeTakeFirst: async () => project }
  const insertInto = () => ({ values: (rows: readonly object[]) => ({ execute: async () => void noted.push(...rows) }) })
  const transaction = () => ({ execute: (work: (trx: RelationalStore['db']) => unknown) => work(db) })
  const db = { selectFrom: () => found, insertInto, transaction, withPlugin: () => db } as unknown as RelationalStore['db']
  const append = async (_: string, records: readonly { readonly value: Uint8Array | null }[]) => {
    expect(noted).toHaveLength(1)
    commands.push(...records.map(({ value }) => decodeCommand(value!)!))
  }
  return { noted, commands, log: { relational: { db }, append, writeMode: 'dual', clock: () => 7 } as const }
}

const request = { projectId: 'p', traceId: 'nul\0 \ud800', actor: 'operator', flags: { public: true, bookmarked: false } } as const

test('one request can set both flags of a trace, with one entry in the audit log', async () => {
  const { noted, commands, log } = stores({ org_id: 'o' })
  expect(await setTraceFlags(log, request)).toBe(true)
  expect(noted).toMatchObject([
    { action: 'update', resource_type: 'trace', resource_id: 'nul%00 \ufffd', after: '{"public":true,"bookmarked":false}' },
  ])
  const of = { projectId: 'p', traceId: 'nul\0 \ufffd' }
  expect(commands.map(flagBy)).toEqual([
    { ...of, name: 'public', value: true },
    { ...of, name: 'bookmarked', value: false },
  ])
  expect(commands).toMatchObject([{ acceptedAtMs: 7, writeMode: 'dual' }, { writeMode: 'dual' }])
})

test('a request for a missing project sets no flag', async () => {
  const { noted, commands, log } = stores(undefined)
  expect(await setTraceFlags(log, request)).toBe(false)
  expect([noted, commands]).toEqual([[], []])
})
