// The project of the SVC_INIT_ variables. Runs at every start of every replica, so it must be idempotent and
// must not guess: a secret that changed in the environment is a mistake to be told, never a key to be
// replaced.
import { AppError, isAppError } from '@svc-server/errors'
import type { Kysely } from 'kysely'
import type { Database } from '../store/database.ts'
import { verifySlowHash } from './hashes.ts'
import type { CreatedKeyPair, EnsuredProject, FirstProject, NewKeyPair } from './key-types.ts'

const invalid = (variable: string, message: string) => new AppError('config_invalid', `${variable}: ${message}`, { variable })

/** Its id is never used again: what comes under it is denied. */
export async function wasDeleted(db: Kysely<Database>, projectId: string): Promise<boolean> {
  return (await db.selectFrom('deleted_projects').select('id').where('id', '=', projectId).executeTakeFirst()) !== undefined
}

const deleted = (projectId: string) => invalid('SVC_INIT_PROJECT_ID', `project ${projectId} was deleted. Choose another id.`)

const ensureRows = (db: Kysely<Database>, project: FirstProject): Promise<boolean> =>
  db.transaction().execute(async transaction => {
    const { orgId, projectId, orgName = orgId, projectName = projectId } = project
    if (await wasDeleted(transaction, projectId)) throw deleted(projectId)
    await transaction
      .insertInto('organizations')
      .values({ id: orgId, name: orgName })
      .onConflict(conflict => conflict.column('id').doNothing())
      .execute()
    const created = await transaction
      .insertInto('projects')
      .values({ id: projectId, org_id: orgId, name: projectName })
      .onConflict(conflict => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    const row = await transaction.selectFrom('projects').selectAll().where('id', '=', projectId).executeTakeFirstOrThrow()
    if (row.org_id !== orgId)
      throw invalid('SVC_INIT_ORG_ID', `project ${projectId} belongs to organization ${row.org_id}, not to ${orgId}.`)
    if (row.deleted_at !== null) throw deleted(projectId)
    return created !== undefined
  })

interface GivenKeys {
  readonly publicKey: string
  readonly secretKey: string
}

const givenKeys = ({ publicKey, secretKey }: FirstProject): GivenKeys | null => {
  if (publicKey === undefined && secretKey === undefined) return null
  if (publicKey === undefined)
    throw invalid('SVC_INIT_PROJECT_PUBLIC_KEY', 'is not set, but SVC_INIT_PROJECT_SECRET_KEY is. Set both or none.')
  if (secretKey === undefined)
    throw invalid('SVC_INIT_PROJECT_SECRET_KEY', 'is not set, but SVC_INIT_PROJECT_PUBLIC_KEY is. Set both or none.')
  return { publicKey, secretKey }
}

/** True when the key is there and is the one that is wanted; throws when it is there and is another one. */
const isThere = async (db: Kysely<Database>, projectId: string, { publicKey, secretKey }: GivenKeys): Promise<boolean> => {
  const row = await db.selectFrom('api_keys').selectAll().where('public_key', '=', publicKey).executeTakeFirst()
  if (row === undefined) return false
  const complain = (variable: string, message: string) => invalid(variable, `key ${publicKey} ${message}`)
  if (row.project_id !== projectId) throw complain('SVC_INIT_PROJECT_PUBLIC_KEY', 'belongs to another project. Choose another key.')
  if (row.revoked_at !== null) throw complain('SVC_INIT_PROJECT_PUBLIC_KEY', 'was revoked. Choose another key pair.')
  if (await verifySlowHash(secretKey, row.hashed_secret_key)) return true
  throw complain('SVC_INIT_PROJECT_SECRET_KEY', 'exists with another secret. Set the secret it was made with, or choose another key pair.')
}

export const createEnsureProject =
  (db: Kysely<Database>, create: (pair: NewKeyPair) => Promise<CreatedKeyPair>) =>
  async (project: FirstProject): Promise<EnsuredProject> => {
    const { orgId, projectId } = project
    const keys = givenKeys(project)
    const createdProject = await ensureRows(db, project)
    if (keys === null || (await isThere(db, projectId, keys))) return { orgId, projectId, createdProject, createdKey: false }
    try {
      await create({ owner: { projectId }, note: project.note ?? 'Made from the SVC_INIT_ variables', ...keys })
      return { orgId, projectId, createdProject, createdKey: true }
    } catch (error) {
      if (!isAppError(error) || error.code !== 'bad_request') throw error
      // Another replica may have been faster; otherwise the key is malformed, or its secret is taken.
      if (await isThere(db, projectId, keys)) return { orgId, projectId, createdProject, createdKey: false }
      throw new AppError(
        'config_invalid',
        `SVC_INIT_PROJECT_PUBLIC_KEY, SVC_INIT_PROJECT_SECRET_KEY: ${error.message}`,
        {},
        { cause: error },
      )
    }
  }
