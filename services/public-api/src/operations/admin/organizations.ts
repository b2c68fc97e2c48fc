// Operations with which the instance's administrator manages organizations and their keys (contract §19.7).
import * as admin from '@svc-server/api/admin/operations'
import { AppError } from '@svc-server/errors'
import { storableJson } from '@svc-server/relational/json'
import {
  createOrganization as create,
  listOrganizations as list,
  type OrganizationDetails,
  readOrganization as read,
  deleteOrganization as remove,
  updateOrganization as update,
} from '@svc-server/relational/organizations'
import { instance } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { projectView } from '../organizations/lists.ts'
import { keyView } from '../projects/keys.ts'

const byAdministrator = (deps: Dependencies) => authorOf({ actor: 'operator' }, deps)
const absent = () => new AppError('not_found', 'Organization not found')

const viewOf = ({ id, name, metadata, createdAt, projects }: OrganizationDetails) => ({
  ...{ id, name, createdAt: createdAt.toISOString(), metadata: (metadata ?? {}) as Readonly<Record<string, unknown>> },
  projects: projects.map(projectView),
})

const changeOf = ({ name, metadata }: { readonly name: string; readonly metadata?: unknown }) => {
  const text = storableJson(metadata)
  return { name, ...(text !== null && { metadata: text }) }
}

async function required(id: string, { relational }: Dependencies): Promise<OrganizationDetails> {
  const organization = await read(instance(relational), id)
  if (organization === undefined) throw absent()
  return organization
}

const listOrganizations = handle(admin.listOrganizations, async (_, { relational }) =>
  reply(200, { organizations: (await list(instance(relational))).map(viewOf) }),
)

const createOrganization = handle(admin.createOrganization, async ({ body }, deps) => {
  const made = await create(instance(deps.relational), byAdministrator(deps), changeOf(body))
  return reply(201, viewOf({ ...made, projects: [] }))
})

const getOrganization = handle(admin.getOrganization, async ({ params: { organizationId } }, deps) =>
  reply(200, viewOf(await required(organizationId, deps))),
)

const updateOrganization = handle(admin.updateOrganization, async ({ params: { organizationId }, body }, deps) => {
  if (!(await update(instance(deps.relational), byAdministrator(deps), organizationId, changeOf(body)))) throw absent()
  return reply(200, viewOf(await required(organizationId, deps)))
})

const keysOf = async (orgId: string, { keys }: Dependencies) =>
  (await keys.listKeys({ orgId })).filter(key => key.projectId === null && key.revokedAt === null)

const deleteOrganization = handle(admin.deleteOrganization, async ({ params: { organizationId } }, deps) => {
  await required(organizationId, deps)
  const keys = await keysOf(organizationId, deps)
  const removed = await remove(instance(deps.relational), byAdministrator(deps), organizationId)
  if (removed === 'has_projects')
    throw new AppError('bad_request', 'The organization has projects, or data of deleted projects is not completely deleted yet.')
  if (!removed) throw absent()
  deps.keys.forget(keys.map(({ id }) => id))
  return reply(200, { success: true })
})

const getOrganizationApiKeys = handle(admin.getOrganizationApiKeys, async ({ params: { organizationId } }, deps) => {
  await required(organizationId, deps)
  return reply(200, { apiKeys: (await keysOf(organizationId, deps)).map(keyView) })
})

const createOrganizationApiKey = handle(admin.createOrganizationApiKey, async ({ params: { organizationId: orgId }, body }, deps) => {
  await required(orgId, deps)
  const { note } = body
  const made = await deps.keys.createKeyPair({ owner: { orgId }, by: byAdministrator(deps), ...(typeof note === 'string' && { note }) })
  const { id, createdAt, publicKey, secretKey, displaySecretKey } = made
  return reply(201, { id, createdAt: createdAt.toISOString(), note: made.note, publicKey, secretKey, displaySecretKey })
})

const deleteOrganizationApiKey = handle(admin.deleteOrganizationApiKey, async ({ params: { organizationId, apiKeyId } }, deps) => {
  await required(organizationId, deps)
  const isOwn = (await keysOf(organizationId, deps)).some(({ id }) => id === apiKeyId)
  if (!isOwn || !(await deps.keys.revoke(apiKeyId, byAdministrator(deps)))) throw new AppError('not_found', 'API key not found')
  return reply(200, { success: true })
})

const changeApiKeys = handle(admin.changeApiKeys, async ({ body: { action, projectIds } }, deps) => {
  const all = await deps.keys.listKeys()
  const named = new Set(projectIds ?? [])
  const concerned = action === 'invalidate-all' ? all : all.filter(({ projectId }) => projectId !== null && named.has(projectId))
  const valid = concerned.filter(({ revokedAt }) => revokedAt === null)
  if (action === 'delete') for (const { id } of valid) await deps.keys.revoke(id, byAdministrator(deps))
  else deps.keys.forget(valid.map(({ id }) => id))
  return reply(200, { message: `${valid.length} API keys ${action === 'delete' ? 'deleted' : 'invalidated'}` })
})

export const administration = [
  ...[listOrganizations, createOrganization, getOrganization, updateOrganization, deleteOrganization],
  ...[getOrganizationApiKeys, createOrganizationApiKey, deleteOrganizationApiKey, changeApiKeys],
]
