// Evaluators: versioned prompts for models that judge observations (contract §18.8). Evaluators that run code are not supported.
import * as evaluators from '@svc-server/api/evaluators/operations'
import {
  UpdateCodeEvaluatorRequest,
  UpdateLlmAsJudgeEvaluatorRequest,
  type Evaluator as WireEvaluator,
  type EvaluatorVersion as WireVersion,
} from '@svc-server/api/evaluators/types'
import { AppError } from '@svc-server/errors'
import {
  createEvaluator,
  type Definition,
  deleteEvaluator,
  type Evaluator,
  type EvaluatorVersion,
  getEvaluator,
  listEvaluators,
  listEvaluatorVersions,
  requireType,
  updateEvaluator,
} from '@svc-server/relational/evaluators'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { cursorBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { issuesOf, refused } from '../../validation/refusals.ts'
import { type CreatorOf, creators } from './creators.ts'
import { judgeOf } from './definition.ts'

const defaultLimit = 50

const definitionView = (definition: Definition) => ({ ...definition }) as z.input<typeof WireVersion>

const versionView =
  (creatorOf: CreatorOf) =>
  ({ id, version, createdAt, createdByUserId, definition }: EvaluatorVersion): z.input<typeof WireVersion> => ({
    ...definitionView(definition),
    id,
    version,
    createdAt: createdAt.toISOString(),
    createdBy: creatorOf(createdByUserId),
  })

const viewOf =
  (creatorOf: CreatorOf) =>
  ({ newest, paused, assignments, isLegacy, ...evaluator }: Evaluator): z.input<typeof WireEvaluator> => {
    const { id, name, description, createdByUserId, createdAt, updatedAt } = evaluator
    return {
      ...definitionView(newest.definition),
      ...{ id, name, description, createdBy: creatorOf(createdByUserId), status: paused === null ? 'active' : 'paused' },
      ...{ pausedAt: paused?.at.toISOString() ?? null, pausedReason: paused?.reason ?? null, pausedMessage: paused?.message ?? null },
      evaluationRuleAssignments: assignments.map(({ ruleId, variableMapping }) => ({
        evaluationRuleId: ruleId,
        ...(variableMapping !== null && { variableMappingOverride: [...variableMapping] }),
      })),
      ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
      ...{ versionId: newest.id, version: newest.version, versionCreatedAt: newest.createdAt.toISOString() },
      versionCreatedBy: creatorOf(newest.createdByUserId),
      ...(isLegacy && { isLegacy }),
    } as z.input<typeof WireEvaluator>
  }

const creatorsOf = (deps: Dependencies, list: readonly Evaluator[]) =>
  creators(
    deps,
    list.flatMap(({ createdByUserId, newest }) => [createdByUserId, newest.createdByUserId]),
  )
const shown = async (deps: Dependencies, evaluator: Evaluator) => viewOf(await creatorsOf(deps, [evaluator]))(evaluator)

const none = () => new AppError('not_found', 'Evaluator not found')
const codeNotRun = () => new AppError('code_not_run', 'This deployment does not run code evaluators.')

export const create = handle(evaluators.create, async ({ project, body }, deps) => {
  if (body.type === 'code') throw codeNotRun()
  const given = { name: body.name, description: body.description ?? null, definition: judgeOf(body) }
  const made = await createEvaluator(inProject(deps.relational, project.projectId), authorOf(project, deps), given)
  return reply(201, await shown(deps, made))
})

export const list = handle(evaluators.list, async ({ project: { projectId }, query }, deps) => {
  const { limit = defaultLimit, cursor } = query
  const page = await listEvaluators(inProject(deps.relational, projectId), { limit, cursor })
  return reply(200, cursorBody(page, viewOf(await creatorsOf(deps, page.rows))))
})

export const get = handle(evaluators.get, async ({ project: { projectId }, params }, deps) => {
  const evaluator = await getEvaluator(inProject(deps.relational, projectId), params.evaluatorId)
  if (evaluator === undefined) throw none()
  return reply(200, await shown(deps, evaluator))
})

export const listVersions = handle(evaluators.listVersions, async ({ project: { projectId }, params, query }, deps) => {
  const { limit = defaultLimit, cursor } = query
  const versions = await listEvaluatorVersions(inProject(deps.relational, projectId), params.evaluatorId, { limit, cursor })
  if (versions === undefined) throw none()
  const creatorOf = await creators(
    deps,
    versions.rows.map(({ createdByUserId }) => createdByUserId),
  )
  return reply(200, cursorBody(versions, versionView(creatorOf)))
})

/** Returns undefined if the request changes only metadata. Throws InvalidBody for an incomplete definition. */
function definitionIn(body: unknown): Definition | 'code' | undefined {
  const { type } = body as { readonly type?: unknown }
  if (type === undefined) return undefined
  const schema = type === 'code' ? UpdateCodeEvaluatorRequest : UpdateLlmAsJudgeEvaluatorRequest
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error))
  return parsed.data.type === 'code' ? 'code' : judgeOf(parsed.data)
}

export const update = handle(evaluators.update, async ({ project, params, body }, deps) => {
  const own = inProject(deps.relational, project.projectId)
  const definition = definitionIn(body)
  if (definition === 'code') {
    const before = await getEvaluator(own, params.evaluatorId)
    if (before === undefined) throw none()
    requireType(before, 'code')
    throw codeNotRun()
  }
  const { name, description } = body
  const change = {
    ...(typeof name === 'string' && { name }),
    ...(description !== undefined && { description }),
    ...(definition !== undefined && { definition }),
  }
  if (Object.keys(change).length === 0) throw new InvalidBody(refused('The request must change at least one field.', []))
  const evaluator = await updateEvaluator(own, authorOf(project, deps), params.evaluatorId, change)
  if (evaluator === undefined) throw none()
  return reply(200, await shown(deps, evaluator))
})

export const remove = handle(evaluators.remove, async ({ project, params: { evaluatorId } }, deps) => {
  if (!(await deleteEvaluator(inProject(deps.relational, project.projectId), authorOf(project, deps), evaluatorId))) throw none()
  return reply(200, { id: evaluatorId })
})
