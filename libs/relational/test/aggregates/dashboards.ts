import { describe, expect, test } from 'vitest'
import { deleteIntegration, getIntegration, hasProject, upsertIntegration } from '../../src/blob-storage-integrations/repository.ts'
import { createDashboard, deleteDashboard, getDashboard, listDashboards, updateDashboard } from '../../src/dashboards/repository.ts'
import { createWidget, deleteWidget, getWidget, updateWidget } from '../../src/dashboards/widgets.ts'
import { listSkills } from '../../src/skills/list.ts'
import {
  createSkillVersion,
  deleteSkillVersion,
  getSkillVersion,
  readFileContents,
  setSkillLabels,
  setSkillTags,
} from '../../src/skills/repository.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const widget = {
  ...{
    name: 'w',
    description: 'd',
    view: 'scores-boolean',
    dimensions: [{ field: 'name' }],
    metrics: [{ measure: 'count', agg: 'count' }],
  },
  ...{ filters: [{ column: 'name', operator: '=', type: 'string', value: 'a' }], chartType: 'AREA_TIME_SERIES' },
  chartConfig: { type: 'AREA_TIME_SERIES' },
}

export const dashboards = (opened: () => OpenedProjects) =>
  describe('dashboards, exports and skills', () => {
    test('dashboards and widgets are returned unchanged, and only to their own project', async () => {
      const { project, other } = opened()
      const made = await createWidget(project, by, widget)
      expect(made).toEqual({ ...widget, id: expect.any(String), createdAt: by.at, updatedAt: by.at })
      expect(await getWidget(project, made.id)).toEqual(made)
      const placements = [{ type: 'widget', widgetId: made.id, id: 'p', x: 1, y: 2, width: 3, height: 4 }] as const
      const board = await createDashboard(project, by, { name: 'b', description: '', placements, filters: [{ a: 1 }] })
      expect(await getDashboard(project, board.id)).toEqual({ ...board, placements, filters: [{ a: 1 }] })
      const foreign = createDashboard(other, by, { name: 'b', description: '', placements, filters: [] })
      await expect(foreign).rejects.toMatchObject({ code: 'reference_missing' })
      await expect(deleteWidget(project, by, made.id)).rejects.toMatchObject({ code: 'conflict' })
      expect(await updateDashboard(other, by, board.id, () => ({ name: 'x' }))).toBe(undefined)
      expect(await updateDashboard(project, by, board.id, () => ({ placements: [] }))).toMatchObject({ name: 'b', placements: [] })
      expect((await updateWidget(project, by, made.id, () => ({ ...widget, view: 'observations' })))!.view).toBe('observations')
      expect(await listDashboards(other, { page: 1, limit: 10 })).toEqual({ rows: [], totalItems: 0 })
      expect([await deleteWidget(other, by, made.id), await deleteWidget(project, by, made.id)]).toEqual([false, true])
      expect([await deleteDashboard(other, by, board.id), await deleteDashboard(project, by, board.id)]).toEqual([false, true])
    })

    test('an export integration belongs to one project', async () => {
      const { project, store } = opened()
      const given = {
        ...{
          type: 'GOOGLE_CLOUD_STORAGE',
          bucketName: 'b',
          prefix: 'p/',
          accessKeyId: 'k',
          region: 'r',
          endpoint: null,
          forcePathStyle: false,
        },
        ...{ enabled: true, exportFrequency: 'daily', fileType: 'PARQUET', exportMode: 'FROM_CUSTOM_DATE', exportStartDate: by.at },
        ...{ exportSource: 'EVENTS', exportFieldGroups: ['core'], compressed: false },
      }
      const made = await upsertIntegration(project, by, { settings: () => given, encryptedSecret: 'a:b:c' })
      expect(made).toMatchObject({ ...given, projectId: project.projectId, hasSecret: true, nextSyncAt: by.at, lastSyncAt: null })
      expect(await getIntegration(project)).toEqual(made)
      const off = await upsertIntegration(project, by, { settings: before => ({ ...before!, enabled: false }), encryptedSecret: undefined })
      expect(off).toMatchObject({ enabled: false, hasSecret: true })
      expect([await hasProject(store, 'nobody', project.projectId), await deleteIntegration(project, by)]).toEqual([false, true])
      expect(await deleteIntegration(project, by)).toBe(false)
    })

    test('skills have versions and movable labels, and equal contents are stored once', async () => {
      const { project, other } = opened()
      const file = { path: 'SKILL.md', contentType: 'text/markdown', content: { text: 'text 🙂' } }
      const given = { name: 's', description: 'd', frontmatter: { name: 's', n: [1] }, files: [file], commitMessage: 'm' }
      const one = await createSkillVersion(project, by, given)
      expect(one).toMatchObject({
        ...given,
        version: 1,
        labels: ['latest'],
        tags: [],
        createdBy: 'API',
        files: [{ path: 'SKILL.md', contentLength: 9 }],
      })
      const two = await createSkillVersion(project, by, { ...given, commitMessage: null })
      expect([two.version, two.files[0]!.blobId]).toEqual([2, one.files[0]!.blobId])
      await setSkillLabels(project, by, { name: 's', version: 1 }, ['production'])
      await setSkillTags(project, by, 's', ['t'])
      expect(await getSkillVersion(project, 's', { label: 'production' })).toMatchObject({
        version: 1,
        tags: ['t'],
        labels: ['production'],
      })
      expect(await getSkillVersion(other, 's', { version: 1 })).toBe(undefined)
      const { rows } = await listSkills(project, { search: 'S', tag: 't' }, { page: 1, limit: 10 })
      expect(rows).toMatchObject([{ name: 's', latestVersion: 2, productionVersion: 1 }])
      const hashes = [one.files[0]!.sha256Hash]
      expect([await readFileContents(project, hashes), await readFileContents(other, hashes)]).toEqual([
        [{ sha256Hash: hashes[0], content: 'text 🙂' }],
        [],
      ])
      expect(await deleteSkillVersion(other, by, { name: 's', version: 1 })).toBe(false)
      for (const version of [1, 2]) expect(await deleteSkillVersion(project, by, { name: 's', version })).toBe(true)
      expect((await listSkills(project, {}, { page: 1, limit: 10 })).totalItems).toBe(0)
    })
  })
