// If the first project was deleted, or if its key was revoked, the server logs a warning and starts without this project or key.
import type { EnsuredProject } from '@svc-server/relational/key-types'
import type { Logger } from '@svc-server/service/logs'

/** @param publicKey the configured public key; undefined if the first start generated the key pair */
export function warnOfTakenAway(
  { projectId, takenAway }: EnsuredProject,
  publicKey: string | undefined,
  logger: Pick<Logger, 'warn'>,
): void {
  if (takenAway === 'project')
    logger.warn(
      { projectId },
      `Project ${projectId} was deleted, and its id cannot be reused, so no first project is created. To create a different first project, set SVC_INIT_PROJECT_ID to a new id and SVC_INIT_PROJECT_PUBLIC_KEY and SVC_INIT_PROJECT_SECRET_KEY to a new pair`,
    )
  if (takenAway === 'key')
    logger.warn(
      { projectId },
      publicKey === undefined
        ? `The key pair that was created at the first start has been revoked. svc keys create --project ${projectId} creates a new key pair`
        : `SVC_INIT_PROJECT_PUBLIC_KEY: key ${publicKey} was revoked and gives no access. Set this variable and SVC_INIT_PROJECT_SECRET_KEY to a new key pair, or remove both`,
    )
}
