import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthenticator } from '../src/authentication/authenticator.ts'
import { storedTraceId, traceIdOf } from '../src/deletions/object-id.ts'
import {
  type Deletion,
  deletionOfTrace,
  markDeleted,
  noteDeletions,
  noteTraceDeletions,
  readDeletions,
} from '../src/deletions/repository.ts'
import { createKeyStore } from '../src/keys/key-store.ts'
import { purgeProject } from '../src/projects/deletion.ts'
import { createProject, readProject, updateProject } from '../src/projects/repository.ts'
import { readRetentions } from '../src/projects/retentions.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { inOrganization, inProject, instance } from '../src/tenancy/handles.ts'
import { storeKinds } from './stores.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
const by = (seconds: number) => ({ actor: { apiKeyId: 'k' }, at: at(seconds) })

test('distinct trace ids are stored as distinct ids, and each is restored unchanged', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom('%', '0', '2', '5', '\0'), maxLength: 8 }),
  )
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(traceIdOf(storedTraceId(one))).toBe(one)
      expect(storedTraceId(one).objectId).not.toContain('\0')
      if (one !== other) expect(storedTraceId(one)).not.toEqual(storedTraceId(other))
    }),
    { numRuns: 100 },
  )
})

describe.each(storeKinds)('on $kind', ({ open }) => {
  let store: RelationalStore
  beforeAll(async () => {
    store = await open()
    const { db } = store
    await db
      .insertInto('organizations')
      .values([
        { id: 'o', name: 'o' },
        { id: 'other', name: 'other' },
      ])
      .execute()
    for (const id of ['p', 'q']) await db.insertInto('projects').values({ id, org_id: 'o', name: id }).execute()
  })
  afterAll(() => store.close())

  const all = async (wanted = {}) => {
    const found = []
    for await (const batch of readDeletions(instance(store), wanted)) found.push(...batch)
    return found
  }
  const idsOf = async (wanted = {}) => (await all(wanted)).map(({ traceId }) => traceId).sort()
  const note = (traceIds: readonly string[], seconds: number, projectId = 'p') =>
    noteTraceDeletions(inProject(store, projectId), by(seconds), traceIds)
  const done = (deletion: Deletion, seconds: number) =>
    markDeleted(instance(store), [{ ...deletion, acceptedAtMs: at(seconds).getTime() }], at(seconds + 100))

  test('repeated requests use one row, which becomes pending again after completion', async () => {
    await note(['a', 'a', 'b\0c', '%00', 'ü'.repeat(800)], 1)
    await note(['a'], 2)
    await note(['a'], 2, 'q')
    expect(await idsOf({ projectId: 'p' })).toEqual(['%00', 'a', 'b\0c', 'ü'.repeat(800)])
    await done({ projectId: 'p', traceId: 'a' }, 2)
    await done({ projectId: 'p', traceId: 'b\0c' }, 2)
    expect(await idsOf({ projectId: 'p', pendingOnly: true })).toEqual(['%00', 'ü'.repeat(800)])
    expect(await idsOf({ projectId: 'q', pendingOnly: true })).toEqual(['a'])
    await note(['a'], 3)
    expect((await all({ projectId: 'p' })).find(({ traceId }) => traceId === 'a')).toMatchObject({
      isDone: false,
      firstNotedAt: at(1),
      updatedAt: at(3),
    })
  })

  test('a trace counts as deleted if its own deletion or the deletion of its project was requested', async () => {
    const id = 'half-deleted'
    await store.db.insertInto('projects').values({ id, org_id: 'o', name: id }).execute()
    const project = inProject(store, id)
    await note(['own'], 5, id)
    expect([await deletionOfTrace(project, 'own'), await deletionOfTrace(project, 'kept')]).toEqual([at(5), undefined])
    await project.unaudited(rows => noteDeletions(rows, id, null, at(6)))
    expect([await deletionOfTrace(project, 'own'), await deletionOfTrace(project, 'kept')]).toEqual([at(5), at(6)])
  })

  test('an earlier command does not complete a deletion that was requested again', async () => {
    await note(['again'], 10)
    await note(['again'], 20)
    await done({ projectId: 'p', traceId: 'again' }, 10)
    expect(await idsOf({ pendingOnly: true })).toContain('again')
    await done({ projectId: 'p', traceId: 'again' }, 20)
    expect(await idsOf({ pendingOnly: true })).not.toContain('again')
  })

  test('completing a deletion also completes the rows of v3 for that trace, but no other rows', async () => {
    const row = { project_id: 'p', created_at: at(1), updated_at: at(1) }
    const rows = [
      { ...row, id: 'c1', object: 'trace', object_id: 'of v3' },
      { ...row, id: 'c2', object: 'score', object_id: 'of v3' },
    ]
    await store.db.insertInto('pending_deletions').values(rows).execute()
    await note(['of v3'], 2)
    await done({ projectId: 'p', traceId: 'of v3' }, 2)
    const left = await store.db
      .selectFrom('pending_deletions')
      .select('id')
      .where('object_id', '=', 'of v3')
      .where('is_deleted', '=', false)
      .execute()
    expect(left).toEqual([{ id: 'c2' }])
  })

  test('reads and marks more deletions than one batch contains', async () => {
    const many = Array.from({ length: 2_001 }, (_, index) => `many ${index}`)
    for (let from = 0; from < many.length; from += 1_000) await note(many.slice(from, from + 1_000), 5, 'q')
    expect((await idsOf({ projectId: 'q' })).filter(id => id?.startsWith('many'))).toEqual([...many].sort())
    await markDeleted(
      instance(store),
      many.map(traceId => ({ projectId: 'q', traceId, acceptedAtMs: at(5).getTime() })),
      at(6),
    )
    expect(await idsOf({ projectId: 'q', pendingOnly: true })).toEqual(['a'])
  })

  test('an organization creates and changes a project, with audit entries', async () => {
    const made = await createProject(instance(store), by(1), { orgId: 'o', name: 'made', metadata: '{"a":1}', retentionDays: 3 })
    if ('refused' in made) throw new Error(made.refused)
    expect(made).toMatchObject({ orgId: 'o', name: 'made', metadata: { a: 1 }, retentionDays: 3 })
    expect(await createProject(instance(store), by(1), { orgId: 'o', name: 'made' })).toEqual({ refused: 'name_taken' })
    expect(await createProject(instance(store), by(1), { orgId: 'other', name: 'made' })).toMatchObject({ orgId: 'other' })
    expect(await createProject(instance(store), by(1), { orgId: 'nobody', name: 'x' })).toEqual({ refused: 'not_found' })
    expect(await readRetentions(instance(store))).toEqual([{ projectId: made.id, retentionDays: 3 }])
    expect(await updateProject(inOrganization(store, 'o'), by(2), made.id, { name: 'changed' })).toMatchObject({
      name: 'changed',
      metadata: { a: 1 },
      retentionDays: 3,
    })
    expect(await updateProject(inOrganization(store, 'o'), by(3), made.id, { name: 'changed', retentionDays: 0 })).toMatchObject({
      retentionDays: 0,
    })
    expect(await updateProject(inOrganization(store, 'o'), by(3), made.id, { name: 'p' })).toEqual({ refused: 'name_taken' })
    expect(await updateProject(inOrganization(store, 'other'), by(3), made.id, { name: 'x' })).toEqual({ refused: 'not_found' })
    expect(await readRetentions(instance(store))).toEqual([])
    expect(await readProject(instance(store), made.id)).toMatchObject({ name: 'changed', orgName: 'o' })
    const entries = store.db.selectFrom('audit_logs').select(['action', 'type', 'api_key_id', 'before', 'after'])
    expect(await entries.where('resource_id', '=', made.id).orderBy('created_at').execute()).toEqual([
      { action: 'create', type: 'API_KEY', api_key_id: 'k', before: null, after: '{"name":"made","metadata":{"a":1},"retentionDays":3}' },
      expect.objectContaining({ action: 'update', before: expect.stringContaining('"made"'), after: expect.stringContaining('"changed"') }),
      expect.objectContaining({ action: 'update', after: expect.stringContaining('"retentionDays":0') }),
    ])
  })

  test('concurrent requests create one project per name', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => createProject(instance(store), by(1), { orgId: 'o', name: 'twins' })))
    expect(made.filter(outcome => 'refused' in outcome)).toHaveLength(49)
  })

  test('a deleted project accepts no key, stays pending until its purge, and its id is never reused', async () => {
    const keys = createKeyStore(store, { salt: 'a-salt-of-sixteen-characters' })
    const changes: string[] = []
    keys.onChange(({ kind, apiKeyId }) => changes.push(`${kind} ${apiKeyId}`))
    await keys.createProject({ id: 'doomed', orgId: 'o', name: 'doomed' })
    const pair = await keys.createKeyPair({ owner: { projectId: 'doomed' } })
    const deletion = { projectId: 'doomed', actor: 'operator', at: at(30) } as const
    // `elsewhere` acts as another process, which accepts the key just before the deletion.
    let nowMs = 0
    const elsewhere = createAuthenticator(createKeyStore(store, { salt: 'a-salt-of-sixteen-characters' }), { clock: () => nowMs })
    const header = `Basic ${Buffer.from(`${pair.publicKey}:${pair.secretKey}`).toString('base64')}`
    expect(await elsewhere(header)).toMatchObject({ projectId: 'doomed' })
    expect(await keys.deleteProject({ ...deletion, orgId: 'other' })).toBe(false)
    expect(await keys.verify(pair.publicKey, pair.secretKey)).not.toBeNull()
    expect(await keys.deleteProject({ ...deletion, orgId: 'o' })).toBe(true)
    // The project has been deleted, so the error must not claim that a project with this id exists.
    await expect(keys.createProject({ id: deletion.projectId, orgId: 'o', name: 'again' })).rejects.toThrow(
      'has been deleted and its id cannot be reused. Choose a different id.',
    )
    expect(await keys.verify(pair.publicKey, pair.secretKey)).toBeNull()
    expect(await keys.listKeys({ projectId: 'doomed' })).toEqual([])
    nowMs = 30_001
    await expect(elsewhere(header)).rejects.toMatchObject({ code: 'key_unknown' })
    expect(changes).toEqual([`created ${pair.id}`, `revoked ${pair.id}`])
    expect(await all({ projectId: 'doomed' })).toMatchObject([{ traceId: null, isDone: false }])
    expect(await readProject(instance(store), 'doomed')).toBe(undefined)
    expect(await updateProject(inOrganization(store, 'o'), by(31), 'doomed', { name: 'x' })).toEqual({ refused: 'not_found' })
    // A repeated request must not write a second audit entry.
    expect(await keys.deleteProject({ ...deletion, at: at(32) })).toBe(true)
    expect(
      await store.db
        .selectFrom('audit_logs')
        .select(['type', 'user_id', 'action'])
        .where('resource_id', '=', 'doomed')
        .orderBy('action')
        .execute(),
    ).toEqual([
      { type: 'USER', user_id: 'operator', action: 'create' },
      { type: 'USER', user_id: 'operator', action: 'delete' },
    ])
    await done({ projectId: 'doomed', traceId: null }, 32)
    await note(['of it'], 33, 'doomed')

    await purgeProject(instance(store), 'p', at(40))
    expect(await readProject(instance(store), 'p')).toBeDefined()
    await purgeProject(instance(store), 'doomed', at(40))
    await purgeProject(instance(store), 'doomed', at(41))
    expect(await all({ projectId: 'doomed' })).toEqual([
      { id: 'doomed', projectId: 'doomed', traceId: null, isDone: true, firstNotedAt: at(30), updatedAt: at(40) },
    ])
    expect(await keys.deleteProject(deletion)).toBe(false)
    await expect(keys.createProject({ id: 'doomed', orgId: 'o', name: 'again' })).rejects.toMatchObject({ code: 'bad_request' })
    expect(await keys.ensureProject({ orgId: 'o', projectId: 'doomed' })).toMatchObject({ createdProject: false, takenAway: 'project' })
    expect(await readProject(instance(store), 'doomed')).toBeUndefined()
  })
})
