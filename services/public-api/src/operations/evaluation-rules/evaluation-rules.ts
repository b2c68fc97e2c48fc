// Evaluation rules: which evaluators judge which observations (contract §18.9).
import * as rules from '@svc-server/api/evaluation-rules/operations'
import type { EvaluationRuleEvaluatorAssignmentInput, EvaluationRule as WireRule } from '@svc-server/api/evaluation-rules/types'
import { AppError, isAppError } from '@svc-server/errors'
import { countObservations, readRuleFilter } from '@svc-server/query/rules'
import { createRule, deleteRule, getRule, listRules, type Rule, updateRule } from '@svc-server/relational/evaluation-rules'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { cursorBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { type CreatorOf, creators } from '../evaluators/creators.ts'
import { mappingsOf } from '../evaluators/definition.ts'

const defaultLimit = 50
const dayMs = 86_400_000

const viewOf =
  (creatorOf: CreatorOf) =>
  ({ id, name, createdByUserId, isEnabled, sampling, filter, assignments, isLegacy, createdAt, updatedAt }: Rule) =>
    ({
      ...{ id, name, createdBy: creatorOf(createdByUserId), enabled: isEnabled, sampling, filter },
      evaluatorAssignments: assignments,
      ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
      ...(isLegacy && { isLegacy }),
    }) as z.input<typeof WireRule>

async function shown(deps: Dependencies, rule: Rule) {
  return viewOf(await creators(deps, [rule.createdByUserId]))(rule)
}

const none = () => new AppError('not_found', 'Evaluation rule not found')

type AssignmentInput = z.output<typeof EvaluationRuleEvaluatorAssignmentInput>

const assignmentsOf = (given: readonly AssignmentInput[]) =>
  given.map(({ evaluatorId, variableMapping }, at) => ({
    evaluatorId,
    variableMapping: variableMapping ? mappingsOf(variableMapping, ['evaluatorAssignments', at, 'variableMapping']) : null,
  }))

interface Checked {
  readonly filter: Parameters<typeof readRuleFilter>[0]
  readonly projectId: string
  readonly signal: AbortSignal
}

/**
 * Checks a filter, and applies it to the observations of the last day. Returns a response header that reports how many of these
 * observations the rule would have evaluated. Returns no header after an error `column_store_*` other than `column_store_query`, so that
 * the rule can still be saved. Throws InvalidQuery.
 */
async function checked(
  { filter, projectId, signal }: Checked,
  { columnStore, clock }: Dependencies,
): Promise<Readonly<Record<string, string>>> {
  const conditions = readRuleFilter(filter)
  const toMs = clock()
  try {
    const count = await countObservations(columnStore, { projectId, conditions, fromMs: toMs - dayMs, toMs, signal })
    return { 'x-svc-matched-last-day': String(count) }
  } catch (error) {
    if (isAppError(error) && error.code.startsWith('column_store_') && error.code !== 'column_store_query') return {}
    throw error
  }
}

export const create = handle(rules.create, async ({ project, body, signal }, deps) => {
  const { projectId } = project
  const [filter, assignments] = [body.filter ?? [], assignmentsOf(body.evaluatorAssignments)]
  const headers = await checked({ filter, projectId, signal }, deps)
  const given = { name: body.name, isEnabled: body.enabled, sampling: body.sampling ?? 1, filter, assignments }
  const rule = await createRule(inProject(deps.relational, projectId), authorOf(project, deps), given)
  return reply(201, await shown(deps, rule), headers)
})

export const list = handle(rules.list, async ({ project: { projectId }, query }, deps) => {
  const { limit = defaultLimit, cursor } = query
  const page = await listRules(inProject(deps.relational, projectId), { limit, cursor })
  const creatorOf = await creators(
    deps,
    page.rows.map(({ createdByUserId }) => createdByUserId),
  )
  return reply(200, cursorBody(page, viewOf(creatorOf)))
})

export const get = handle(rules.get, async ({ project: { projectId }, params }, deps) => {
  const rule = await getRule(inProject(deps.relational, projectId), params.evaluationRuleId)
  if (rule === undefined) throw none()
  return reply(200, await shown(deps, rule))
})

export const update = handle(rules.update, async ({ project, params, body, signal }, deps) => {
  const { name, enabled, sampling, filter, evaluatorAssignments } = body
  const change = {
    ...(typeof name === 'string' && { name }),
    ...(typeof enabled === 'boolean' && { isEnabled: enabled }),
    ...(sampling !== undefined && { sampling }),
    ...(filter && { filter }),
    ...(evaluatorAssignments && { assignments: assignmentsOf(evaluatorAssignments) }),
  }
  if (Object.keys(change).length === 0) throw new InvalidBody(refused('The request must change at least one field.', []))
  const { projectId } = project
  const headers = filter ? await checked({ filter, projectId, signal }, deps) : {}
  const rule = await updateRule(inProject(deps.relational, projectId), authorOf(project, deps), params.evaluationRuleId, change)
  if (rule === undefined) throw none()
  return reply(200, await shown(deps, rule), headers)
})

export const remove = handle(rules.remove, async ({ project, params: { evaluationRuleId: id } }, deps) => {
  if (!(await deleteRule(inProject(deps.relational, project.projectId), authorOf(project, deps), id))) throw none()
  return reply(200, { id })
})
