import { writeFile } from 'node:fs/promises'
import type { ColumnStore } from '@svc-server/column-store/port'
import { claimChain, failStep, noteLegacy, readSteps, releaseChain } from '@svc-server/relational/background-migrations'
import { noteTraceDeletions } from '@svc-server/relational/deletions'
import { createKeyStore } from '@svc-server/relational/key-store'
import { inProject, instance } from '@svc-server/relational/tenancy'
import { makeCertificate } from '@svc-server/testkit'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { examineCertificates } from '../src/doctor/certificates.ts'
import { examineBackfill, examineCanary, examineDeletions } from '../src/doctor/work.ts'
import { directory, relational, theFileHasARelationalStore } from './relational.ts'

theFileHasARelationalStore()

const [hour, day] = [3_600_000, 86_400_000]
const nowMs = Date.UTC(2026, 0, 10)
const from = new Date(nowMs - 80 * day)

async function filesOf({ cert, key }: { readonly cert: string; readonly key: string }) {
  const files = { tlsCertFile: `${directory.path}/cert.pem`, tlsKeyFile: `${directory.path}/key.pem` }
  await writeFile(files.tlsCertFile, cert)
  await writeFile(files.tlsKeyFile, key)
  return files
}

test.each([
  [
    'of ninety days, ten of them left',
    { notBefore: from, notAfter: new Date(nowMs + 10 * day) },
    'warning',
    'no newer certificate has replaced it',
  ],
  ['of a year, a hundred days left', { notBefore: from, notAfter: new Date(nowMs + 100 * day) }, 'ok', 'valid until 2026-04-20'],
  // Some operators renew a certificate daily. The check must accept a one-day certificate that has most of its lifetime left.
  ['of a day, hours old', { notBefore: new Date(nowMs - 2 * hour), notAfter: new Date(nowMs + 22 * hour) }, 'ok', 'valid until'],
  ['a day from its end', { notBefore: from, notAfter: new Date(nowMs + day) }, 'fault', 'expires 2026-01-11'],
  ['expired', { notBefore: from, notAfter: new Date(nowMs - day) }, 'fault', 'has expired'],
  ['not yet valid', { notBefore: new Date(nowMs + hour), notAfter: new Date(nowMs + day) }, 'fault', 'not valid before'],
] as const)('judges a certificate %s', async (_, times, state, says) => {
  const findings = await examineCertificates(await filesOf(makeCertificate(times)), nowMs)
  expect(findings).toEqual([expect.objectContaining({ area: 'certificate', state, says: expect.stringContaining(says) })])
})

test('reports mismatched, truncated and missing files, and a single file, as faults', async () => {
  const [one, other] = [makeCertificate(), makeCertificate()]
  const says = async (files: Parameters<typeof examineCertificates>[0]) => {
    const [finding] = await examineCertificates(files, Date.now())
    expect(finding).toMatchObject({ state: 'fault', do: expect.any(String) })
    return finding!.says
  }
  expect(await says(await filesOf({ cert: one.cert, key: other.key }))).toContain('does not belong to the first certificate')
  expect(await says(await filesOf({ cert: one.cert.slice(0, 200), key: one.key }))).toContain('no complete certificate')
  const files = await filesOf(one)
  expect(await says({ ...files, tlsKeyFile: `${directory.path}/nothing` })).toContain('there is no such file')
  expect(await says({ tlsCertFile: files.tlsCertFile })).toContain('Only one of')
  expect(await examineCertificates({}, nowMs)).toMatchObject([
    { state: 'ok', says: expect.stringContaining('is not set for this command') },
  ])
})

test.each([
  [null, 'ok', 'No canary of the last three days was found'],
  [nowMs - 12_000, 'ok', '12 s ago'],
  [nowMs - hour, 'warning', '60 min ago'],
] as const)('judges a canary sent at %s', async (sentMs, state, says) => {
  const query = async (sql: string) =>
    sql.includes('system.tables') ? [{ name: 'events_core' }] : sentMs === null ? [] : [{ ms: String(sentMs) }]
  const findings = await examineCanary({ query } as unknown as ColumnStore, () => nowMs)
  expect(findings).toEqual([expect.objectContaining({ state, says: expect.stringContaining(says) })])
})

test('reports a failed step of the backfill as a fault with its reason', async () => {
  const store = (bytes: number | null) => ({ query: async () => [{ figures: [bytes, bytes] }] }) as never
  const idle = { state: 'ok', says: 'The backfill has not begun.' }
  expect(await examineBackfill(relational, store(0), Date.now)).toMatchObject([idle])
  expect(await examineBackfill(relational, store(null), Date.now)).toMatchObject([
    idle,
    { state: 'warning', says: expect.stringContaining('is not checked') },
  ])
  const owned = (await claimChain(instance(relational), 'runner'))!
  const [first] = await readSteps(instance(relational))
  await failStep(instance(relational), owned, first!.id, 'The disk is full')
  await releaseChain(instance(relational), owned)
  const [finding] = await examineBackfill(relational, store(0), Date.now)
  expect(finding).toMatchObject({
    state: 'fault',
    says: expect.stringContaining('The disk is full'),
    do: expect.stringContaining('retry-failed'),
  })
})

test('reports whether the backfill had rows to migrate', async () => {
  const store = { query: () => Promise.reject(new Error('not asked')) } as never
  await sql`update background_migrations set failed_at = null, failed_reason = null`.execute(relational.db)
  const setFirst = (rows: number) => {
    const part = { rows, totalRows: rows, chunks: 1 }
    const state = JSON.stringify({ startedMs: 1, cutoffMs: 1, phase: 1, done: [part] })
    return sql`update background_migrations set state = ${state}, finished_at = now() where name like '20260701%step_1%'`.execute(
      relational.db,
    )
  }
  await setFirst(0)
  expect(await examineBackfill(relational, store, Date.now)).toMatchObject([{ state: 'ok', says: 'There was no data of v3 to migrate.' }])
  await setFirst(5)
  expect(await examineBackfill(relational, store, Date.now)).toMatchObject([
    { state: 'ok', says: '1 of 5 steps is finished, and no step is running.' },
  ])
  await noteLegacy(instance(relational), nowMs)
  expect(await examineBackfill(relational, store, Date.now)).toMatchObject([
    {
      state: 'fault',
      says: expect.stringContaining('accepted in write mode legacy since 2026-01-10'),
      do: expect.stringContaining('svc backfill again'),
    },
  ])
})

test('warns of a deletion that has been pending for more than an hour', async () => {
  expect(await examineDeletions(relational, Date.now)).toMatchObject([{ state: 'ok', says: 'No deletion is pending.' }])
  const keys = createKeyStore(relational, { salt: 'a-salt-of-sixteen-characters' })
  await keys.createOrganization({ id: 'o', name: 'o' })
  await keys.createProject({ id: 'p', orgId: 'o', name: 'p' })
  await noteTraceDeletions(inProject(relational, 'p'), { actor: 'operator', at: new Date() }, ['t'])
  expect(await examineDeletions(relational, Date.now)).toMatchObject([{ state: 'ok', says: expect.stringContaining('1 is pending, for') }])
  const later = () => Date.now() + 2 * hour
  expect(await examineDeletions(relational, later)).toMatchObject([{ state: 'warning', do: expect.stringContaining('svc deletions') }])
})
