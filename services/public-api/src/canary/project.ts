// The canary's project belongs to an organization without members. No list shows the project, and retention deletes its rows (ADR 0033).
import { AppError } from '@svc-server/errors'
import { canaryProject } from '@svc-server/modes/names'
import type { KeyStore } from '@svc-server/relational/key-types'
import { keepFor } from '@svc-server/relational/projects'
import type { RelationalStore } from '@svc-server/relational/store'
import { inProject } from '@svc-server/relational/tenancy'

const retentionDays = 3

/**
 * Creates the project and its key if they are missing. Every replica gets the same credential. Throws `config_invalid` if an operator has
 * revoked the key or deleted the project. Throws `relational_unavailable` if the relational store does not respond.
 */
export async function ensureCanaryProject(
  relational: Pick<RelationalStore, 'db'>,
  keys: Pick<KeyStore, 'ensureProject' | 'pairOf'>,
): Promise<string> {
  const pair = keys.pairOf('canary')
  const project = { orgId: canaryProject, projectId: canaryProject, ...pair, note: 'Key of the canary (SVC_CANARY_URL)' }
  const { takenAway } = await keys.ensureProject(project)
  if (takenAway !== null)
    throw new AppError(
      'config_invalid',
      `The canary's ${takenAway} (${takenAway === 'key' ? pair.publicKey : canaryProject}) was deleted or revoked and cannot be restored. Unset SVC_CANARY_URL.`,
    )
  await keepFor(inProject(relational, canaryProject), retentionDays)
  return `Basic ${Buffer.from(`${pair.publicKey}:${pair.secretKey}`).toString('base64')}`
}
