import { describe, expect, test } from 'vitest'
import { getSession, listSessions, markSession, noteSessions, readSessions } from '../../src/trace-sessions/repository.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const later = { ...by, at: new Date(by.at.getTime() + 1) }

export const traceSessions = (opened: () => OpenedProjects) =>
  describe('sessions', () => {
    test('are recorded once and marked, each in its own project', async () => {
      const { project, other } = opened()
      await noteSessions(
        project,
        [
          { id: 's', environment: 'prod' },
          { id: 'r', environment: 'dev' },
        ],
        by.at,
      )
      await noteSessions(project, [], by.at)
      expect(await getSession(project, 's')).toMatchObject({ projectId: 'p', environment: 'prod', bookmarked: false, public: false })
      expect(await getSession(other, 's')).toBe(undefined)
      expect(await markSession(other, by, 's', { public: true })).toMatchObject({ projectId: 'q', public: true })
      const marked = await markSession(project, later, 's', { bookmarked: true })
      expect(marked).toMatchObject({ environment: 'prod', bookmarked: true, public: false, createdAt: by.at, updatedAt: later.at })
      await noteSessions(project, [{ id: 's', environment: 'other' }], later.at)
      expect(await getSession(project, 's')).toEqual(marked)
      expect(await markSession(project, by, '\0', { public: true })).toBe(undefined)
      expect((await readSessions(project, ['r', 's', 'none', '\0'])).map(({ id }) => id).sort()).toEqual(['r', 's'])
      expect((await listSessions(project, { page: 1, limit: 1 })).totalItems).toBe(2)
    })

    test('concurrent records of the same ids give one session per id', async () => {
      const project = await opened().another()
      const ids = Array.from({ length: 20 }, (_, n) => `s${n}`)
      const notes = Array.from({ length: 25 }, (_, n) =>
        noteSessions(
          project,
          (n % 2 ? ids : ids.toReversed()).map(id => ({ id, environment: `${n}` })),
          by.at,
        ),
      )
      await Promise.all([...notes, ...notes.map(() => markSession(project, by, 's7', { public: true }))])
      const { rows, totalItems } = await listSessions(project, { page: 1, limit: 50 })
      expect([totalItems, rows.find(({ id }) => id === 's7')!.public]).toEqual([20, true])
    })
  })
