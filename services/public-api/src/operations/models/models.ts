// Models with their prices: the models of a project, and the managed models that apply to every project (contract §18.5).
import * as models from '@svc-server/api/models/operations'
import type { CreateModelRequest, Model as WireModel } from '@svc-server/api/models/types'
import { AppError, isAppError } from '@svc-server/errors'
import { createKeyMatcher } from '@svc-server/pricing/tiers'
import { type ModelTier, standardTier } from '@svc-server/relational/model-tiers'
import { createModel, deleteModel, getModel, listModels, type Model, type NewModel, upsertModel } from '@svc-server/relational/models'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

type Wire = z.input<typeof WireModel>

function viewOf({ projectId, unit, startDate, createdAt, tiers, ...model }: Model): Wire {
  const pricingTiers = tiers.map(tier => ({
    ...tier,
    conditions: tier.conditions as Wire['pricingTiers'][number]['conditions'],
    prices: Object.fromEntries(Object.entries(tier.prices).map(([type, price]) => [type, Number(price)])),
  }))
  const prices = pricingTiers.find(({ isDefault }) => isDefault)?.prices ?? {}
  const flat = (type: string) => (Object.hasOwn(prices, type) ? prices[type]! : null)
  return {
    ...model,
    unit: unit as Wire['unit'],
    startDate: startDate?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    isSvcManaged: projectId === null,
    ...{ inputPrice: flat('input'), outputPrice: flat('output'), totalPrice: flat('total') },
    prices: Object.fromEntries(Object.entries(prices).map(([type, price]) => [type, { price }])),
    pricingTiers,
  }
}

type Body = z.output<typeof CreateModelRequest>

/** Throws InvalidBody for an expression that could take more than linear time. */
function requirePattern(pattern: string, path: readonly (string | number)[]): void {
  // Creates a new matcher, so that expressions from requests do not fill the shared cache.
  const matcher = createKeyMatcher()(pattern, false)
  if (typeof matcher === 'string') throw new InvalidBody(refused(`The regular expression is not supported: ${matcher}.`, path))
}

function tiersOf({ inputPrice, outputPrice, totalPrice, pricingTiers }: Body): readonly ModelTier[] {
  if (pricingTiers === undefined || pricingTiers === null) {
    const flat = Object.entries({ input: inputPrice, output: outputPrice, total: totalPrice })
    return [standardTier(Object.fromEntries(flat.flatMap(([type, price]) => (typeof price === 'number' ? [[type, String(price)]] : []))))]
  }
  return pricingTiers.map(({ name, priority, isDefault, conditions, prices }, at) => ({
    ...{ name: name.trim(), priority },
    isDefault: isDefault ?? false,
    conditions: conditions.map((condition, of) => {
      if ('source' in condition) return condition
      requirePattern(condition.usageDetailPattern, ['pricingTiers', at, 'conditions', of, 'usageDetailPattern'])
      return { ...condition, caseSensitive: condition.caseSensitive ?? false }
    }),
    prices: Object.fromEntries(Object.entries(prices).map(([type, price]) => [type, String(price)])),
  }))
}

function newModelOf(body: Body): NewModel {
  const { modelName, matchPattern, startDate, unit, tokenizerId, tokenizerConfig } = body
  requirePattern(matchPattern, ['matchPattern'])
  return {
    ...{ modelName, matchPattern, tokenizerConfig, tiers: tiersOf(body) },
    ...{ startDate: typeof startDate === 'string' ? new Date(startDate) : null, unit: unit ?? 'TOKENS', tokenizerId: tokenizerId ?? null },
  }
}

/** If the name is already used, the response is 400, as in the reference implementation (contract §18.5). */
async function withFreeName<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isAppError(error) && error.code === 'conflict') throw new AppError('bad_request', error.message, {}, { cause: error })
    throw error
  }
}

const noModel = () => new AppError('not_found', 'No model with this id found.')

export const list = handle(models.list, async ({ project: { projectId }, query }, { relational }) =>
  reply(200, pageBody(query, await listModels(inProject(relational, projectId), query), viewOf)),
)

export const get = handle(models.get, async ({ project: { projectId }, params: { id } }, { relational }) => {
  const model = await getModel(inProject(relational, projectId), id)
  if (model === undefined) throw noModel()
  return reply(200, viewOf(model))
})

export const create = handle(models.create, async ({ project, body }, deps) => {
  const own = inProject(deps.relational, project.projectId)
  return reply(200, viewOf(await withFreeName(createModel(own, authorOf(project, deps), newModelOf(body)))))
})

export const upsert = handle(models.upsert, async ({ project, params: { id }, body }, deps) => {
  const own = inProject(deps.relational, project.projectId)
  const model = await withFreeName(upsertModel(own, authorOf(project, deps), id, newModelOf(body)))
  if (model === undefined) throw noModel()
  return reply(200, viewOf(model))
})

export const remove = handle(models.remove, async ({ project, params: { id } }, deps) => {
  if (!(await deleteModel(inProject(deps.relational, project.projectId), authorOf(project, deps), id))) throw noModel()
  return reply(200, { message: 'Model successfully deleted' })
})
