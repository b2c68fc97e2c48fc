import { describe, expect, test } from 'vitest'
import {
  createQueueItem,
  deleteQueueItem,
  getQueueItem,
  listQueueItems,
  lockNextItem,
  updateQueueItem,
} from '../../src/annotation-queues/items.ts'
import {
  assignUser,
  createQueue,
  deleteQueue,
  getQueue,
  listQueues,
  readAssignedUsers,
  unassignUser,
} from '../../src/annotation-queues/repository.ts'
import { createScoreConfig, updateScoreConfig } from '../../src/score-configs/repository.ts'
import { isConflict } from '../../src/tenancy/conflicts.ts'
import type { InProject } from '../../src/tenancy/handles.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const later = (ms: number) => ({ ...by, at: new Date(by.at.getTime() + ms) })
const trace = { objectId: 't', objectType: 'TRACE' } as const

async function configIn(project: InProject): Promise<string> {
  return (await createScoreConfig(project, by, { name: 'stars', dataType: 'NUMERIC' })).id
}

export const annotationQueues = (opened: () => OpenedProjects) =>
  describe('annotation queues', () => {
    test('are created only with active configurations, listed, and deleted with their items and users', async () => {
      const { project, other } = opened()
      const id = await configIn(project)
      const archived = await configIn(project)
      await updateScoreConfig(project, by, archived, { isArchived: true })
      for (const scoreConfigIds of [[], [archived], [id, 'unknown'], [await configIn(other)], ['\0']])
        await expect(createQueue(project, by, { name: 'q', scoreConfigIds }), `${scoreConfigIds}`).rejects.toMatchObject({
          code: 'bad_request',
        })
      const made = await createQueue(project, by, { name: 'q', description: 'why', scoreConfigIds: [id] })
      expect(made).toMatchObject({ projectId: 'p', name: 'q', description: 'why', scoreConfigIds: [id], createdAt: by.at })
      await expect(createQueue(project, by, { name: 'q', scoreConfigIds: [id] })).rejects.toMatchObject({
        code: 'bad_request',
        message: 'A queue with this name already exists.',
      })
      expect(await getQueue(project, made.id)).toEqual(made)
      expect(await getQueue(other, made.id)).toBe(undefined)
      expect(await listQueues(project, { from: by.at, to: later(1).at }, { page: 1, limit: 10 })).toEqual({ rows: [made], totalItems: 1 })
      expect(await listQueues(project, { to: by.at }, { page: 1, limit: 10 })).toEqual({ rows: [], totalItems: 0 })
      await createQueueItem(project, by, made.id, trace)
      await assignUser(project, by, made.id, 'u')
      expect(await deleteQueue(other, by, made.id)).toBe(false)
      expect(await deleteQueue(project, by, made.id)).toBe(true)
      expect(await project.select('annotation_queue_items').select('id').execute()).toEqual([])
      expect(await readAssignedUsers(project, made.id)).toEqual([])
    })

    test('items are completed and reopened, and are not visible to another queue or project', async () => {
      const { project, other } = opened()
      const config = await configIn(project)
      const [one, two] = [
        await createQueue(project, by, { name: 'one', scoreConfigIds: [config] }),
        await createQueue(project, by, { name: 'two', scoreConfigIds: [config] }),
      ]
      expect(await createQueueItem(other, by, one.id, trace)).toBe(undefined)
      const pending = (await createQueueItem(project, by, one.id, trace))!
      const done = (await createQueueItem(project, later(1), one.id, { ...trace, status: 'COMPLETED' }))!
      expect([pending.completedAt, done.completedAt]).toEqual([null, later(1).at])
      const ids = { queueId: one.id, itemId: pending.id }
      expect(await updateQueueItem(project, later(2), ids)).toEqual(pending)
      expect(await updateQueueItem(project, later(2), { ...ids, queueId: two.id }, 'COMPLETED')).toBe(undefined)
      const completed = await updateQueueItem(project, later(2), ids, 'COMPLETED')
      expect(completed).toMatchObject({ status: 'COMPLETED', completedAt: later(2).at, updatedAt: later(2).at })
      expect(await updateQueueItem(project, later(3), ids, 'PENDING')).toMatchObject({ status: 'PENDING', completedAt: null })
      const list = async (status?: 'PENDING') =>
        (await listQueueItems(project, one.id, { ...(status && { status }) }, { page: 1, limit: 10 })).rows.map(({ id }) => id)
      expect([await list(), await list('PENDING')]).toEqual([[done.id, pending.id], [pending.id]])
      expect(await getQueueItem(project, two.id, done.id)).toBe(undefined)
      expect(await deleteQueueItem(project, by, two.id, done.id)).toBe(false)
      expect(await deleteQueueItem(project, by, one.id, done.id)).toBe(true)
      expect(await getQueueItem(project, one.id, done.id)).toBe(undefined)
    })

    test('an item is locked for one user at a time, for five minutes', async () => {
      const project = await opened().another()
      const { id } = await createQueue(project, by, { name: 'q', scoreConfigIds: [await configIn(project)] })
      for (let n = 0; n < 3; n++) await createQueueItem(project, later(n), id, { ...trace, objectId: `t${n}` })
      const next = async (user: string, ms: number) => (await lockNextItem(project, id, user, later(ms).at))?.objectId
      const first = await Promise.all(['a', 'b', 'c'].map(user => next(user, 10)))
      expect(first.toSorted()).toEqual(['t0', 't1', 't2'])
      expect(await next('d', 10)).toBe(undefined)
      expect(await next('a', 11)).toBe(first[0])
      expect(await next('d', 10 + 5 * 60_000)).toBe(undefined)
      expect(await next('d', 11 + 5 * 60_000)).toBe(['t0', 't1', 't2'].find(item => item !== first[0]))
    })

    test('fifty concurrent creations under one name give one queue and 49 errors, and a user is assigned once', async () => {
      const project = await opened().another()
      const scoreConfigIds = [await configIn(project)]
      const made = await Promise.allSettled(Array.from({ length: 50 }, () => createQueue(project, by, { name: 'one', scoreConfigIds })))
      const isTaken = (error: unknown) => isConflict(error) || (error as { readonly code?: unknown }).code === 'bad_request'
      expect(made.filter(each => each.status === 'rejected' && isTaken(each.reason))).toHaveLength(49)
      const { rows } = await listQueues(project, {}, { page: 1, limit: 10 })
      const { id } = rows[0]!
      expect(await Promise.all(Array.from({ length: 50 }, () => assignUser(project, by, id, 'u')))).toEqual(
        Array.from({ length: 50 }, () => true),
      )
      expect(await readAssignedUsers(project, id)).toEqual(['u'])
      expect(await unassignUser(project, by, id, 'u')).toBe(true)
      expect(await unassignUser(project, by, id, 'u')).toBe(true)
      expect(await readAssignedUsers(project, id)).toEqual([])
      expect([await assignUser(project, by, 'none', 'u'), await unassignUser(project, by, 'none', 'u')]).toEqual([false, false])
    })
  })
