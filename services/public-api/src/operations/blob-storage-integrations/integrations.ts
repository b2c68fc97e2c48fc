// Manages exports of projects to buckets (contract §19.6). The caller needs the organization's key. No response contains a secret.
import * as integrations from '@svc-server/api/blob-storage-integrations/operations'
import type { BlobStorageIntegrationResponse } from '@svc-server/api/blob-storage-integrations/types'
import { AppError } from '@svc-server/errors'
import {
  deleteIntegration,
  getIntegration,
  hasProject,
  type Integration,
  listIntegrations,
  upsertIntegration,
} from '@svc-server/relational/blob-storage-integrations'
import { inProject } from '@svc-server/relational/tenancy'
import type { z } from 'zod'
import { authorOf } from '../../request/author.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { requireBody, settingsOf, sourceOf } from './settings.ts'
import { syncStatusOf } from './status.ts'

type Wire = z.input<typeof BlobStorageIntegrationResponse>

const isoOf = (time: Date | null) => time?.toISOString() ?? null

function viewOf({ projectId, hasSecret: _, runStartedAt: __, ...integration }: Integration): Wire {
  const { exportStartDate, exportSource, nextSyncAt, lastSyncAt, lastErrorAt, createdAt, updatedAt, ...rest } = integration
  return {
    ...(rest as unknown as Wire),
    ...{ id: projectId, projectId, exportSource: sourceOf(exportSource), exportStartDate: isoOf(exportStartDate) },
    ...{ nextSyncAt: isoOf(nextSyncAt), lastSyncAt: isoOf(lastSyncAt), lastErrorAt: isoOf(lastErrorAt) },
    ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
  }
}

const none = () => new AppError('not_found', 'Blob storage integration not found')

/** Throws `not_found` if the project does not belong to the organization. */
async function projectOf(orgId: string, projectId: string, { relational }: Dependencies, missing: () => AppError) {
  if (!(await hasProject(relational, orgId, projectId))) throw missing()
  return inProject(relational, projectId)
}

export const getBlobStorageIntegrations = handle(
  integrations.getBlobStorageIntegrations,
  async ({ organization: { orgId } }, { relational }) => reply(200, { data: (await listIntegrations(relational, orgId)).map(viewOf) }),
)

export const upsertBlobStorageIntegration = handle(integrations.upsertBlobStorageIntegration, async ({ organization, body }, deps) => {
  const { encryption, outbound, writeMode, clock } = deps
  requireBody(body)
  const project = await projectOf(organization.orgId, body.projectId, deps, () => new AppError('not_found', 'Project not found'))
  const stored = await getIntegration(project)
  if (typeof body.endpoint === 'string' && body.endpoint !== stored?.endpoint) await outbound.check(body.endpoint)
  const integration = await upsertIntegration(project, authorOf(organization, deps), {
    settings: before => settingsOf(body, { before, writeMode, nowMs: clock() }),
    encryptedSecret: typeof body.secretAccessKey === 'string' ? encryption.encrypt(body.secretAccessKey) : undefined,
  })
  return reply(200, viewOf(integration))
})

export const getBlobStorageIntegrationStatus = handle(
  integrations.getBlobStorageIntegrationStatus,
  async ({ organization: { orgId }, params: { id } }, deps) => {
    const integration = await getIntegration(await projectOf(orgId, id, deps, none))
    if (integration === undefined) throw none()
    const { enabled, lastSyncAt, nextSyncAt, lastError, lastErrorAt } = integration
    return reply(200, {
      ...{ id, projectId: id, syncStatus: syncStatusOf(integration, deps.clock()), enabled, lastError },
      ...{ lastSyncAt: isoOf(lastSyncAt), nextSyncAt: isoOf(nextSyncAt), lastErrorAt: isoOf(lastErrorAt) },
    })
  },
)

export const deleteBlobStorageIntegration = handle(
  integrations.deleteBlobStorageIntegration,
  async ({ organization, params: { id } }, deps) => {
    const project = await projectOf(organization.orgId, id, deps, none)
    if (!(await deleteIntegration(project, authorOf(organization, deps)))) throw none()
    return reply(200, { message: 'Blob storage integration successfully deleted' })
  },
)
