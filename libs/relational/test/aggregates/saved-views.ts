import { describe, expect, test } from 'vitest'
import { deleteSavedView, listSavedViews, saveView } from '../../src/saved-views/repository.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const later = { ...by, at: new Date(by.at.getTime() + 1) }

export const savedViews = (opened: () => OpenedProjects) =>
  describe('saved views', () => {
    test('are named searches of their project, and saving a name again changes it', async () => {
      const { project, other } = opened()
      const slow = await saveView(project, by, { name: 'slow', search: 'sort=-latency' })
      const dear = await saveView(project, by, { name: 'dear', search: 'sort=-cost' })
      await saveView(other, by, { name: 'slow', search: 'q=name:other' })
      const changed = await saveView(project, later, { name: 'slow', search: 'sort=-ttft' })
      expect(changed).toEqual({ ...slow, search: 'sort=-ttft', updatedAt: later.at })
      expect(await listSavedViews(project)).toEqual([dear, changed])
      expect(await deleteSavedView(other, by, slow.id)).toBe(false)
      expect(await deleteSavedView(project, by, '\0')).toBe(false)
      expect(await deleteSavedView(project, by, slow.id)).toBe(true)
      expect(await listSavedViews(project)).toEqual([dear])
      const entries = project.select('audit_logs').select('action').where('resource_id', '=', slow.id).orderBy('created_at')
      expect((await entries.execute()).map(({ action }) => action).sort()).toEqual(['create', 'delete', 'update'])
    })

    test('a project has at most 200 saved views', async () => {
      const { other } = opened()
      const left = 200 - (await listSavedViews(other)).length
      for (let n = 0; n < left; n++) await saveView(other, by, { name: `view ${n}`, search: '' })
      await expect(saveView(other, by, { name: 'one more', search: '' })).rejects.toMatchObject({ code: 'bad_request' })
      expect(await saveView(other, by, { name: 'view 0', search: 'q=' })).toMatchObject({ search: 'q=' })
    })
  })
