import { describe, expect, test } from 'vitest'
import { loadCatalogSnapshot } from '../../src/catalog/load-catalog.ts'
import { createModel, deleteModel, getModel, listModels, type NewModel, upsertModel } from '../../src/models/repository.ts'
import { type ModelTier, standardTier } from '../../src/models/rules.ts'
import { isConflict } from '../../src/tenancy/conflicts.ts'
import { instance } from '../../src/tenancy/handles.ts'
import { author as by, type OpenedProjects } from '../projects.ts'

const large: ModelTier = {
  name: 'Large',
  isDefault: false,
  priority: 1,
  conditions: [{ usageDetailPattern: 'input', operator: 'gt', value: 200_000, caseSensitive: false }],
  prices: { input: '0.000005', output: '0.00002' },
}
const tiers = [standardTier({ input: '0.0000025', output: '0.00001' }), large]
const own: NewModel = {
  modelName: 'own',
  matchPattern: '(?i)^own$',
  unit: 'TOKENS',
  tiers,
  tokenizerId: 'openai',
  tokenizerConfig: { a: 1 },
}

export const models = (opened: () => OpenedProjects) =>
  describe('models', () => {
    test('are created with their prices, read by their project, and deleted with their prices and tiers', async () => {
      const { project, other, store } = opened()
      const made = await createModel(project, by, own)
      expect(made).toMatchObject({ ...own, projectId: 'p', startDate: null, createdAt: by.at })
      expect(await getModel(project, made.id)).toEqual(made)
      const { models: known } = await loadCatalogSnapshot(instance(store), { shipped: [] })
      expect(known.find(({ id }) => id === made.id)!.tiers.map(({ name }) => name)).toEqual(['Standard', 'Large'])
      expect(await getModel(other, made.id)).toBe(undefined)
      expect(await deleteModel(other, by, made.id)).toBe(false)
      expect(await upsertModel(other, by, made.id, own)).toBe(undefined)
      expect(await getModel(project, made.id)).toEqual(made)
      expect(await deleteModel(project, by, made.id)).toBe(true)
      expect(await deleteModel(project, by, made.id)).toBe(false)
      expect(await project.select('prices').select('id').execute()).toEqual([])
      expect(await project.select('pricing_tiers').select('id').execute()).toEqual([])
    })

    test('managed models can be read but not changed by every project, and a row takes precedence over a shipped model', async () => {
      const { project, store } = opened()
      const shipped = ['shipped', 'replaced'].map(id => ({
        ...{ id, projectId: null, modelName: `m-${id}`, matchPattern: id, startDate: null, tokenizerId: null, tokenizerConfig: null },
        ...{ tiers: [{ id: `${id}-t`, ...standardTier({ input: '1' }) }], shipped: true },
      }))
      const row = { model_name: 'm-replaced', match_pattern: 'x', input_price: '0.5', created_at: by.at, updated_at: by.at }
      await instance(store).unaudited(rows => rows.insert('models', { id: 'replaced', ...row }).execute())
      const mine = await createModel(project, by, { ...own, modelName: 'm-replaced' })
      const later = await upsertModel(project, by, 'later', { ...own, modelName: 'a-dated', startDate: new Date('2026-02-01') })
      const { rows, totalItems } = await listModels(project, { page: 1, limit: 10 }, shipped)
      expect(rows.map(({ id }) => id)).toEqual(['later', mine.id, 'replaced', 'shipped'])
      expect([totalItems, rows[2]!.tiers[0]!.prices, rows[3]!.tiers[0]!.prices]).toEqual([4, { input: '0.5' }, { input: '1' }])
      expect(await listModels(project, { page: 2, limit: 3 }, shipped)).toMatchObject({ rows: [{ id: 'shipped' }], totalItems: 4 })
      expect(await deleteModel(project, by, 'replaced')).toBe(false)
      expect(await upsertModel(project, by, 'replaced', { ...own, modelName: 'stolen' })).toBe(undefined)
      for (const id of [mine.id, later!.id]) expect(await deleteModel(project, by, id)).toBe(true)
      await instance(store).unaudited(of => of.delete('models').execute())
    })

    test('are replaced as a whole under an id that the caller chose', async () => {
      const { project } = opened()
      const id = 'chosen by me'
      const made = await upsertModel(project, by, id, own)
      const at = new Date(by.at.getTime() + 1)
      const flat = { modelName: 'renamed', matchPattern: 'r', tiers: [standardTier({ total: '3' })] }
      const replaced = await upsertModel(project, { ...by, at }, id, flat)
      expect(replaced).toMatchObject({ ...flat, id, unit: null, tokenizerConfig: null, createdAt: made!.createdAt })
      expect(replaced!.tiers).toHaveLength(1)
      await createModel(project, by, own)
      await expect(upsertModel(project, by, id, own)).rejects.toSatisfy(error => isConflict(error))
      expect(await getModel(project, id)).toEqual(replaced)
    })

    test('fifty concurrent creations under one name give one model and 49 conflicts', async () => {
      const project = await opened().another()
      const made = await Promise.allSettled(Array.from({ length: 50 }, () => createModel(project, by, own)))
      const failed = made.filter(each => each.status === 'rejected')
      expect(failed).toHaveLength(49)
      expect(failed.every(({ reason }) => isConflict(reason))).toBe(true)
      expect((await listModels(project, { page: 1, limit: 100 }, [])).totalItems).toBe(1)
    })

    test('tiers that break a rule are refused', async () => {
      const { project } = opened()
      for (const wrong of [
        [],
        [large],
        [...tiers, standardTier({ input: '1', output: '1' })],
        [tiers[0]!, { ...large, conditions: [] }],
        [tiers[0]!, { ...large, prices: { input: '1' } }],
        [tiers[0]!, { ...large, name: 'Standard' }],
        [{ ...tiers[0]!, priority: 1 }],
        [standardTier({})],
      ]) {
        await expect(createModel(project, by, { ...own, tiers: wrong }), JSON.stringify(wrong)).rejects.toMatchObject({
          code: 'bad_request',
        })
      }
    })
  })
