// Views of the observations table that users save under a name.
import { operation } from '../operation.ts'
import { SavedView, SavedViews, SaveViewRequest } from './types.ts'

const path = '/api/ui/projects/{projectId}/views'
const common = { auth: 'project', surface: 'private', bucket: 'none' } as const

export const list = operation({
  id: 'webViews.list',
  method: 'GET',
  path,
  ...common,
  responses: { 200: SavedViews },
  summary: 'List the saved views of a project, sorted by name.',
})

export const save = operation({
  id: 'webViews.save',
  method: 'PUT',
  path,
  ...common,
  body: SaveViewRequest,
  responses: { 200: SavedView },
  errors: ['bad_request'],
  summary: 'Save a view under its name. A view with the same name is replaced.',
})

export const remove = operation({
  id: 'webViews.remove',
  method: 'DELETE',
  path: `${path}/{viewId}`,
  ...common,
  responses: { 204: null },
  errors: ['not_found'],
  summary: 'Delete a saved view.',
})
