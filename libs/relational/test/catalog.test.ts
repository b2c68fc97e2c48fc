import { Amounts } from '@svc-server/pricing/amounts'
import { createCatalog } from '@svc-server/pricing/catalog'
import { createEnricher } from '@svc-server/pricing/enrich'
import { moneyText } from '@svc-server/pricing/money'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { createTokenCounter } from '@svc-server/pricing/token-counter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCatalogSnapshot } from '../src/catalog/load-catalog.ts'
import { createKeyStore } from '../src/keys/key-store.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { instance } from '../src/tenancy/handles.ts'
import { bothStoreKinds } from './stores.ts'

describe.each(bothStoreKinds)('on $kind', ({ open }) => {
  let store: RelationalStore

  const insertModel = async (model: {
    readonly id: string
    readonly projectId: string | null
    readonly name: string
    readonly startDate?: Date
  }) => {
    const { id, projectId, name, startDate = null } = model
    const pattern = `(?i)^${name}$`
    await store.db
      .insertInto('models')
      .values({ id, project_id: projectId, model_name: name, match_pattern: pattern, start_date: startDate, unit: 'TOKENS' })
      .execute()
  }

  const insertTier = async (
    modelId: string,
    name: string,
    priority: number,
    prices: Readonly<Record<string, string>>,
    conditions: unknown[],
  ) => {
    const id = `${modelId}-${name}`
    await store.db
      .insertInto('pricing_tiers')
      .values({ id, model_id: modelId, name, priority, is_default: priority === 0, conditions: JSON.stringify(conditions) })
      .execute()
    for (const [usageType, price] of Object.entries(prices)) {
      await store.db
        .insertInto('prices')
        .values({ id: `${id}-${usageType}`, model_id: modelId, pricing_tier_id: id, usage_type: usageType, price })
        .execute()
    }
  }

  beforeAll(async () => {
    store = await open()
    const keys = createKeyStore(store, { salt: 's' })
    await keys.ensureProject({ orgId: 'o', projectId: 'p' })
    await keys.ensureProject({ orgId: 'o', projectId: 'other' })
  })
  // The last test of the suite also closes the store. A second call of `close` does no harm.
  afterAll(() => store.close())

  test('an empty store gives the shipped price list', async () => {
    expect(await loadCatalogSnapshot(instance(store))).toEqual(catalogSnapshot({ models: shippedModels(), prompts: [] }))
  })

  test('loads project models, tiers, exact prices and prompts unchanged, whatever the page size', async () => {
    await insertModel({ id: 'own', projectId: 'p', name: 'gpt-4o' })
    await insertTier('own', 'Standard', 0, { input: '0.000000000000000001', output: '0.0105' }, [])
    await insertTier('own', 'Large', 1, { input: '2', output: '3' }, [{ usageDetailPattern: 'input', operator: 'gt', value: 10 }])
    await insertModel({ id: 'managed', projectId: null, name: 'in-house', startDate: new Date('2026-01-01T00:00:00Z') })
    await insertTier('managed', 'Standard', 0, { total: '0.5' }, [])
    await store.db
      .insertInto('prompts')
      .values(
        [1, 2, 3].map(version => ({
          id: `prompt-${version}`,
          project_id: 'p',
          created_by: 'API',
          prompt: JSON.stringify('Hello'),
          name: 'greeting',
          version,
        })),
      )
      .execute()

    const snapshot = await loadCatalogSnapshot(instance(store))
    expect(await loadCatalogSnapshot(instance(store), { pageSize: 1 })).toEqual(snapshot)
    expect(snapshot.models.find(model => model.id === 'own')).toEqual({
      id: 'own',
      projectId: 'p',
      modelName: 'gpt-4o',
      matchPattern: '(?i)^gpt-4o$',
      startDate: null,
      tokenizerId: null,
      tokenizerConfig: null,
      shipped: false,
      tiers: [
        {
          id: 'own-Standard',
          name: 'Standard',
          isDefault: true,
          priority: 0,
          conditions: [],
          prices: { input: '0.000000000000000001', output: '0.0105' },
        },
        {
          id: 'own-Large',
          name: 'Large',
          isDefault: false,
          priority: 1,
          conditions: [{ usageDetailPattern: 'input', operator: 'gt', value: 10 }],
          prices: { input: '2', output: '3' },
        },
      ],
    })
    expect(snapshot.models.find(model => model.id === 'managed')).toMatchObject({ projectId: null, startDate: '2026-01-01T00:00:00.000Z' })

    // The clone acts as a snapshot that another thread received. A project's own model comes before a shipped model, and applies only to
    // this project.
    const catalog = createCatalog(structuredClone(snapshot))
    const { enrich } = createEnricher(catalog, createTokenCounter())
    const usage = new Amounts()
    usage.add('output', 2)
    const rest = {
      startTimeUs: 0,
      isError: false,
      isCountable: true,
      usage,
      providedCosts: new Amounts(),
      text: () => undefined,
      attribute: () => undefined,
    }
    const ask = (projectId: string, modelName: string) => {
      const { modelId, pricingTierId, costs } = enrich({ projectId, modelName, ...rest })
      return { modelId, pricingTierId, totalCost: moneyText(costs.units[costs.indexOf('total')]!) }
    }
    expect(ask('p', 'GPT-4o')).toMatchObject({ modelId: 'own', pricingTierId: 'own-Standard', totalCost: '0.021' })
    expect(ask('other', 'gpt-4o')).toMatchObject({ modelId: 'openai/gpt-4o', totalCost: '0.00002' })
    expect(ask('other', 'in-house')).toMatchObject({ modelId: 'managed', totalCost: '1' })
    expect(catalog.promptId('p', 'greeting', 2)).toBe('prompt-2')
    expect(catalog.promptId('other', 'greeting', 2)).toBeNull()
  })

  test('the version changes with the content', async () => {
    const before = (await loadCatalogSnapshot(instance(store))).version
    expect((await loadCatalogSnapshot(instance(store))).version).toBe(before)
    await store.db.updateTable('prices').set({ price: '0.6' }).where('id', '=', 'managed-Standard-total').execute()
    expect((await loadCatalogSnapshot(instance(store))).version).not.toBe(before)
  })

  test('flat prices of an older row become one tier', async () => {
    await insertModel({ id: 'flat', projectId: 'p', name: 'flat' })
    await store.db.updateTable('models').set({ input_price: '0.0000025', output_price: 0.00001 }).where('id', '=', 'flat').execute()
    const { models } = await loadCatalogSnapshot(instance(store))
    expect(models.find(model => model.id === 'flat')?.tiers).toEqual([
      {
        id: 'flat/standard',
        name: 'Standard',
        isDefault: true,
        priority: 0,
        conditions: [],
        prices: { input: '0.0000025', output: '0.00001' },
      },
    ])
  })

  test('a row with the id of a shipped model replaces that model', async () => {
    await insertModel({ id: 'openai/gpt-4o', projectId: null, name: 'gpt-4o' })
    const { models } = await loadCatalogSnapshot(instance(store))
    expect(models.filter(model => model.id === 'openai/gpt-4o')).toMatchObject([{ shipped: false, tiers: [] }])
  })

  test('a closed store fails with relational_unavailable', async () => {
    await store.close()
    await expect(loadCatalogSnapshot(instance(store))).rejects.toMatchObject({ code: 'relational_unavailable' })
  })
})
