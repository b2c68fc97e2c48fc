import { describe, expect, test } from 'vitest'
import {
  createScoreConfig,
  getScoreConfig,
  listScoreConfigs,
  type NewScoreConfig,
  readScoreConfigs,
  updateScoreConfig,
} from '../../src/score-configs/repository.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const stars: NewScoreConfig = { name: 'stars (1-5)', dataType: 'NUMERIC', minValue: 1, maxValue: 5 }
const mood = [
  { label: 'good', value: 1 },
  { label: 'bad', value: -1 },
]

export const scoreConfigs = (opened: () => OpenedProjects) =>
  describe('score configurations', () => {
    test('are created, read by id and archived only by their own project', async () => {
      const { project, other } = opened()
      const made = await createScoreConfig(project, by, { ...stars, description: 'How good it was' })
      expect(made).toMatchObject({
        ...stars,
        projectId: 'p',
        description: 'How good it was',
        isArchived: false,
        categories: [],
        createdAt: by.at,
      })
      expect(await getScoreConfig(project, made.id)).toEqual(made)
      expect(await readScoreConfigs(project, [made.id, 'none', '\0'])).toEqual([made])
      expect(await getScoreConfig(other, made.id)).toBe(undefined)
      expect(await updateScoreConfig(other, by, made.id, { isArchived: true })).toBe(undefined)
      const later = { ...by, at: new Date(by.at.getTime() + 1) }
      const archived = await updateScoreConfig(project, later, made.id, { isArchived: true })
      expect(archived).toEqual({ ...made, isArchived: true, updatedAt: later.at })
      const entries = await project
        .select('audit_logs')
        .select(['action', 'before', 'after'])
        .where('resource_id', '=', made.id)
        .orderBy('created_at')
        .execute()
      expect(entries.map(({ action }) => action)).toEqual(['create', 'update'])
      expect(JSON.parse(entries[1]!.before!)).toMatchObject({ isArchived: false })
    })

    test('must satisfy the rules of their type, also after a change', async () => {
      const { project } = opened()
      const categorical = await createScoreConfig(project, by, { name: 'mood', dataType: 'CATEGORICAL', categories: mood })
      const numeric = await createScoreConfig(project, by, stars)
      expect((await createScoreConfig(project, by, { name: 'yes', dataType: 'BOOLEAN' })).categories.map(({ label }) => label)).toEqual([
        'True',
        'False',
      ])
      const [good] = mood
      for (const wrong of [
        { ...stars, name: 'a/b' },
        { ...stars, name: 'x'.repeat(36) },
        { ...stars, minValue: 5 },
        { ...stars, dataType: 'OTHER' },
        { name: 'n', dataType: 'CATEGORICAL' },
        { name: 'n', dataType: 'CATEGORICAL', categories: [good!, { ...good!, value: 2 }] },
        { name: 'n', dataType: 'CATEGORICAL', categories: [good!, { ...good!, label: 'fine' }] },
        { name: 'n', dataType: 'BOOLEAN', categories: mood },
        { name: 'n', dataType: 'TEXT', maxValue: 1 },
      ]) {
        await expect(createScoreConfig(project, by, wrong), JSON.stringify(wrong)).rejects.toMatchObject({ code: 'bad_request' })
      }
      await expect(updateScoreConfig(project, by, numeric.id, { maxValue: 0 })).rejects.toMatchObject({ code: 'bad_request' })
      await expect(updateScoreConfig(project, by, numeric.id, { categories: mood })).rejects.toMatchObject({ code: 'bad_request' })
      expect(await getScoreConfig(project, numeric.id)).toEqual(numeric)
      expect(await updateScoreConfig(project, by, numeric.id, { minValue: null, maxValue: 0 })).toMatchObject({
        minValue: null,
        maxValue: 0,
      })
      expect(await updateScoreConfig(project, by, categorical.id, { name: 'spirits' })).toMatchObject({ name: 'spirits', categories: mood })
    })

    test('fifty concurrent creations give fifty configurations, in complete pages', async () => {
      const project = await opened().another()
      await Promise.all(Array.from({ length: 50 }, (_, n) => createScoreConfig(project, by, { ...stars, name: `n${n}` })))
      const pages = await Promise.all([1, 2, 3, 4].map(page => listScoreConfigs(project, { page, limit: 20 })))
      expect(pages.map(({ rows, totalItems }) => [rows.length, totalItems])).toEqual([
        [20, 50],
        [20, 50],
        [10, 50],
        [0, 50],
      ])
      expect(new Set(pages.flatMap(({ rows }) => rows.map(({ name }) => name))).size).toBe(50)
    })
  })
