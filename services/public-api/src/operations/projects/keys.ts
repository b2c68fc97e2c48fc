// Keys of a project, managed by its organization (contract §19.4). A key's secret is only in the response to the request that creates the
// key.
import { microsOf } from '@svc-server/api/fields/times'
import * as projects from '@svc-server/api/projects/operations'
import { AppError, isAppError } from '@svc-server/errors'
import type { KeySummary } from '@svc-server/relational/key-types'
import { readProject } from '@svc-server/relational/projects'
import { instance } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import type { Administrator } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { absent } from './projects.ts'

const iso = (time: Date | null) => time?.toISOString() ?? null

export const keyView = ({ id, createdAt, expiresAt, lastUsedAt, note, publicKey, displaySecretKey }: KeySummary) => ({
  ...{ id, createdAt: createdAt.toISOString(), expiresAt: iso(expiresAt), lastUsedAt: iso(lastUsedAt) },
  ...{ name: note, note, publicKey, displaySecretKey },
})

export const isOwnProject = async ({ orgId }: Administrator, projectId: string, { relational }: Dependencies): Promise<boolean> =>
  (await readProject(instance(relational), projectId))?.orgId === orgId

/** Throws `not_found` also for a project of another organization. */
export async function requireOwn(organization: Administrator, projectId: string, deps: Dependencies): Promise<void> {
  if (!(await isOwnProject(organization, projectId, deps))) throw absent()
}

export const getApiKeys = handle(projects.getApiKeys, async ({ organization, params: { projectId } }, deps) => {
  await requireOwn(organization, projectId, deps)
  const keys = await deps.keys.listKeys({ projectId })
  return reply(200, { apiKeys: keys.filter(({ revokedAt }) => revokedAt === null).map(keyView) })
})

export const createApiKey = handle(projects.createApiKey, async ({ organization, params: { projectId }, body }, deps) => {
  await requireOwn(organization, projectId, deps)
  const { name, note, expiresAt, publicKey, secretKey } = body
  const expires = typeof expiresAt === 'string' ? new Date(Math.floor(microsOf(expiresAt)! / 1000)) : undefined
  if (expires !== undefined && expires.getTime() <= deps.clock()) throw new InvalidBody(refused('Must be in the future.', ['expiresAt']))
  const said = name ?? note
  try {
    const { secretKey: secret, ...made } = await deps.keys.createKeyPair({
      owner: { projectId },
      by: authorOf(organization, deps),
      ...(typeof said === 'string' && { note: said }),
      ...(expires !== undefined && { expiresAt: expires }),
      ...(typeof publicKey === 'string' && { publicKey }),
      ...(typeof secretKey === 'string' && { secretKey }),
    })
    const { lastUsedAt: _, ...view } = keyView(made)
    return reply(201, { ...view, secretKey: secret })
  } catch (error) {
    if (isAppError(error) && isAppError(error.cause) && error.cause.code === 'conflict') throw new AppError('conflict', error.message)
    throw error
  }
})

export const deleteApiKey = handle(projects.deleteApiKey, async ({ organization, params: { projectId, apiKeyId } }, deps) => {
  await requireOwn(organization, projectId, deps)
  const keys = await deps.keys.listKeys({ projectId })
  const isOwn = keys.some(({ id }) => id === apiKeyId)
  if (!isOwn || !(await deps.keys.revoke(apiKeyId, authorOf(organization, deps)))) throw new AppError('not_found', 'API key not found')
  return reply(200, { success: true })
})
