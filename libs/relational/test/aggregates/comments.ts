import { describe, expect, test } from 'vitest'
import { createComment, deleteComment, getComment, listComments, type NewComment } from '../../src/comments/repository.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const comment: NewComment = { objectType: 'TRACE', objectId: 't/1', content: 'Why so slow?' }

export const comments = (opened: () => OpenedProjects) =>
  describe('comments', () => {
    test('are created, found by their object and deleted only by their own project', async () => {
      const { project, other } = opened()
      const made = await createComment(project, by, { ...comment, authorUserId: 'u', content: 'nul\0 \ud800 ü' })
      expect(made).toMatchObject({ ...comment, projectId: 'p', authorUserId: 'u', content: 'nul \ufffd ü', createdAt: by.at })
      expect(await getComment(project, made.id)).toEqual(made)
      expect(await getComment(other, made.id)).toBe(undefined)
      const on = (filter: Parameters<typeof listComments>[1], of = project) => listComments(of, filter, { page: 1, limit: 10 })
      expect(await on({ objectType: 'TRACE', objectId: 't/1' })).toEqual({ rows: [made], totalItems: 1 })
      expect(await on({ authorUserId: 'u' })).toEqual({ rows: [made], totalItems: 1 })
      for (const filter of [
        { objectType: 'PROMPT' },
        { objectType: 'TRACE', objectId: 't' },
        { authorUserId: 'v' },
        { authorUserId: '\0' },
      ] as const)
        expect(await on(filter), JSON.stringify(filter)).toEqual({ rows: [], totalItems: 0 })
      expect(await on({}, other)).toEqual({ rows: [], totalItems: 0 })
      expect(await deleteComment(other, by, made.id)).toBe(false)
      expect(await deleteComment(project, by, made.id)).toBe(true)
      expect(await deleteComment(project, by, made.id)).toBe(false)
      const entries = await project.select('audit_logs').select('action').where('resource_id', '=', made.id).execute()
      expect(entries.map(({ action }) => action).sort()).toEqual(['create', 'delete'])
    })

    test('fifty concurrent creations give fifty comments, listed newest first', async () => {
      const project = await opened().another()
      const at = (n: number) => ({ ...by, at: new Date(by.at.getTime() + n) })
      await Promise.all(Array.from({ length: 50 }, (_, n) => createComment(project, at(n), { ...comment, content: `${n}` })))
      const { rows, totalItems } = await listComments(project, {}, { page: 2, limit: 20 })
      expect([totalItems, rows.map(({ content }) => content)]).toEqual([50, Array.from({ length: 20 }, (_, n) => `${29 - n}`)])
    })
  })
