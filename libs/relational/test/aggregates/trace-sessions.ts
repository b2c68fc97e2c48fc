import { describe, expect, test } from 'vitest'
import { addSessions, readSessions } from '../../src/trace-sessions/repository.ts'
import { author, type OpenedProjects } from '../projects.ts'

const stored = { bookmarked: false, public: false, created_at: author.at, updated_at: author.at }

export const traceSessions = (opened: () => OpenedProjects) =>
  describe('sessions', () => {
    test('are read by id, each in its own project', async () => {
      const { project, other } = opened()
      const rows = ['r', 's'].map(id => ({ ...stored, id, environment: `of ${id}` }))
      await project.unaudited(of => of.insert('trace_sessions', rows).execute())
      await other.unaudited(of => of.insert('trace_sessions', { ...stored, id: 's', environment: 'other' }).execute())
      expect((await readSessions(project, ['r', 's', 'none', '\0', ''])).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: 'r', environment: 'of r', createdAt: author.at },
        { id: 's', environment: 'of s', createdAt: author.at },
      ])
      expect(await readSessions(other, ['r', 's'])).toEqual([{ id: 's', environment: 'other', createdAt: author.at }])
      expect(await readSessions(project, ['\0'])).toEqual([])
    })

    test('are added unless they have a row, each in its own project', async () => {
      const { project, other } = opened()
      const session = { id: 'added', environment: 'staging', createdAt: author.at }
      const ids = ['added', 'more']
      expect(await addSessions(project, [session, { ...session, id: '\0' }])).toBe(1)
      expect(
        await addSessions(project, [
          { ...session, environment: 'changed' },
          { ...session, id: 'more' },
        ]),
      ).toBe(1)
      expect(await addSessions(project, [])).toBe(0)
      expect(await readSessions(project, ids)).toEqual(expect.arrayContaining([session, { ...session, id: 'more' }]))
      expect(await readSessions(other, ids)).toEqual([])
    })
  })
