// Saved views of a project.
import * as views from '@svc-server/api/web-views/operations'
import { AppError } from '@svc-server/errors'
import { deleteSavedView, listSavedViews, type SavedView, saveView } from '@svc-server/relational/saved-views'
import { inProject } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'

const viewOf = ({ createdAt, updatedAt, ...view }: SavedView) => ({
  ...view,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const list = handle(views.list, async ({ project: { projectId } }, { relational }) =>
  reply(200, { data: (await listSavedViews(inProject(relational, projectId))).map(viewOf) }),
)

const save = handle(views.save, async ({ project, body }, deps) =>
  reply(200, viewOf(await saveView(inProject(deps.relational, project.projectId), authorOf(project, deps), body))),
)

const remove = handle(views.remove, async ({ project, params: { viewId } }, deps) => {
  const isDeleted = await deleteSavedView(inProject(deps.relational, project.projectId), authorOf(project, deps), viewId)
  if (!isDeleted) throw new AppError('not_found', 'The saved view does not exist in this project.')
  return reply(204)
})

export const savedViews = [list, save, remove]
