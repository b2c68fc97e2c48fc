// Evaluators: prompts for models that judge observations, with versions (contract §18.8). This server runs no code.
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
  updateEvaluator,
} from '@svc-server/relational/evaluators'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { cursorBody } from '../../request/pages.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { issuesOf, refused } from '../../validation/refusals.ts'
import { judgeOf } from './definition.ts'

const defaultLimit = 50

export const creatorOf = (userId: string | null) => (userId === null ? null : { id: userId, name: null })

const definitionView = (definition: Definition) => ({ ...definition }) as z.input<typeof WireVersion>

function versionView({ id, version, createdAt, createdByUserId, definition }: EvaluatorVersion): z.input<typeof WireVersion> {
  return { ...definitionView(definition), id, version, createdAt: createdAt.toISOString(), createdBy: creatorOf(createdByUserId) }
}

function viewOf({ newest, paused, assignments, ...evaluator }: Evaluator): z.input<typeof WireEvaluator> {
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
  } as z.input<typeof WireEvaluator>
}

const none = () => new AppError('not_found', 'Evaluator not found')
const codeNotRun = () => new AppError('code_not_run', 'This deployment runs no code of evaluators.')

export const create = handle(evaluators.create, async ({ project, body }, deps) => {
  if (body.type === 'code') throw codeNotRun()
  const given = { name: body.name, description: body.description ?? null, definition: judgeOf(body) }
  return reply(201, viewOf(await createEvaluator(inProject(deps.relational, project.projectId), authorOf(project, deps), given)))
})

export const list = handle(evaluators.list, async ({ project: { projectId }, query }, { relational }) => {
  const { limit = defaultLimit, cursor } = query
  return reply(200, cursorBody(await listEvaluators(inProject(relational, projectId), { limit, cursor }), viewOf))
})

export const get = handle(evaluators.get, async ({ project: { projectId }, params }, { relational }) => {
  const evaluator = await getEvaluator(inProject(relational, projectId), params.evaluatorId)
  if (evaluator === undefined) throw none()
  return reply(200, viewOf(evaluator))
})

export const listVersions = handle(evaluators.listVersions, async ({ project: { projectId }, params, query }, { relational }) => {
  const { limit = defaultLimit, cursor } = query
  const versions = await listEvaluatorVersions(inProject(relational, projectId), params.evaluatorId, { limit, cursor })
  if (versions === undefined) throw none()
  return reply(200, cursorBody(versions, versionView))
})

/** The definition in the body; undefined: the metadata alone changes. Throws InvalidBody for one that is not complete. */
function definitionIn(body: unknown): Definition | undefined {
  const { type } = body as { readonly type?: unknown }
  if (type === undefined) return undefined
  const schema = type === 'code' ? UpdateCodeEvaluatorRequest : UpdateLlmAsJudgeEvaluatorRequest
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error))
  if (parsed.data.type === 'code') throw codeNotRun()
  return judgeOf(parsed.data)
}

export const update = handle(evaluators.update, async ({ project, params, body }, deps) => {
  const definition = definitionIn(body)
  const { name, description } = body
  const change = {
    ...(typeof name === 'string' && { name }),
    ...(description !== undefined && { description }),
    ...(definition !== undefined && { definition }),
  }
  if (Object.keys(change).length === 0) throw new InvalidBody(refused('Name what changes.', []))
  const own = inProject(deps.relational, project.projectId)
  const evaluator = await updateEvaluator(own, authorOf(project, deps), params.evaluatorId, change)
  if (evaluator === undefined) throw none()
  return reply(200, viewOf(evaluator))
})

export const remove = handle(evaluators.remove, async ({ project, params: { evaluatorId } }, deps) => {
  if (!(await deleteEvaluator(inProject(deps.relational, project.projectId), authorOf(project, deps), evaluatorId))) throw none()
  return reply(200, { id: evaluatorId })
})
