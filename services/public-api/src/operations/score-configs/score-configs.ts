// Score configurations of a project (contract §18.4).
import * as scoreConfigs from '@svc-server/api/score-configs/operations'
import type { ScoreConfigDataType } from '@svc-server/api/score-configs/types'
import { AppError } from '@svc-server/errors'
import {
  createScoreConfig,
  getScoreConfig,
  listScoreConfigs,
  type ScoreConfigDetails,
  updateScoreConfig,
} from '@svc-server/relational/score-configs'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'
import { pageBody } from '../../request/pages.ts'

const viewOf = ({ dataType, categories, createdAt, updatedAt, ...config }: ScoreConfigDetails) => ({
  ...config,
  dataType: dataType as z.output<typeof ScoreConfigDataType>,
  categories: dataType === 'CATEGORICAL' || dataType === 'BOOLEAN' ? categories : null,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

function viewOrRefusal(config: ScoreConfigDetails | undefined) {
  if (config === undefined) throw new AppError('not_found', 'Score config not found within authorized project')
  return viewOf(config)
}

export const get = handle(scoreConfigs.get, async ({ project: { projectId }, query }, { relational }) =>
  reply(200, pageBody(query, await listScoreConfigs(inProject(relational, projectId), query), viewOf)),
)

export const getById = handle(scoreConfigs.getById, async ({ project: { projectId }, params: { configId } }, { relational }) =>
  reply(200, viewOrRefusal(await getScoreConfig(inProject(relational, projectId), configId))),
)

const given = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> }

export const create = handle(scoreConfigs.create, async ({ project, body }, deps) =>
  reply(200, viewOf(await createScoreConfig(inProject(deps.relational, project.projectId), authorOf(project, deps), given(body) as never))),
)

export const update = handle(scoreConfigs.update, async ({ project, params: { configId }, body }, deps) => {
  const { name, isArchived, categories, minValue, maxValue, description } = body
  // These three fields cannot be null. If a request contains a null for one of these fields, the field stays unchanged.
  const change = given({
    ...{ name: name ?? undefined, isArchived: isArchived ?? undefined, categories: categories ?? undefined },
    ...{ minValue, maxValue, description },
  })
  const own = inProject(deps.relational, project.projectId)
  return reply(200, viewOrRefusal(await updateScoreConfig(own, authorOf(project, deps), configId, change)))
})
