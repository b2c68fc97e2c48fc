// Organisations, projects and keys behind one interface, whose errors are classified.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { softDeleteProject, wasDeleted } from '../projects/delete-project.ts'
import type { RelationalStore } from '../store/store.ts'
import { classified, isForeignKeyViolation, isUniqueViolation } from '../store/store-errors.ts'
import { createEnsureProject } from './first-project.ts'
import { derivedSecret } from './hashes.ts'
import { createKeyPairs } from './key-pairs.ts'
import type { KeyChange, KeyStore, NewKeyPair, Project } from './key-types.ts'
import { createVerify, createVerifyPublicKey } from './verify.ts'

export interface KeyStoreOptions {
  /** SALT of the deployment. Another one makes every first use of a key slow once, and no key invalid. */
  readonly salt: string
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

interface ProjectRow {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly created_at: Date
}

const projectOf = (row: ProjectRow): Project => ({ id: row.id, orgId: row.org_id, name: row.name, createdAt: row.created_at })

/**
 * Ids of organisations and projects stand in keys of the log, in paths and URLs, and in file names of blob storage: none of them may end, leave or
 * widen one of those.
 */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/

const requireId = (what: string, id: string): void => {
  if (!idPattern.test(id))
    throw new AppError('bad_request', `An id of ${what} has 1 to 64 letters, digits, - and _.`, { id: id.slice(0, 80) })
}

const namingConflict = (what: string, id: string, error: unknown): unknown => {
  if (isUniqueViolation(error)) return new AppError('bad_request', `${what} ${id} exists already.`, {}, { cause: error })
  return error
}

/** Its data are on their way out: no list shows it any more, and its id is not free, now or later. */
const isBeingDeleted = async (db: RelationalStore['db'], id: string): Promise<boolean> =>
  (await db.selectFrom('projects').select('id').where('id', '=', id).where('deleted_at', 'is not', null).executeTakeFirst()) !== undefined

export const createKeyStore = (store: Pick<RelationalStore, 'db'>, { salt, clock = Date.now }: KeyStoreOptions): KeyStore => {
  const { db } = store
  const pairs = createKeyPairs(db, salt)
  const verify = createVerify(db, { salt, now: clock })
  const verifyPublicKey = createVerifyPublicKey(db, clock)
  const listeners = new Set<(change: KeyChange) => void>()
  const announce = (change: KeyChange) => {
    for (const listener of listeners) listener(change)
  }
  const createKeyPair = async (pair: NewKeyPair) => {
    const created = await pairs.create(pair)
    announce({ kind: 'created', apiKeyId: created.id })
    return created
  }
  const ensureProject = createEnsureProject(db, createKeyPair)

  return {
    createOrganization: ({ id = randomUUID(), name }) =>
      classified(async () => {
        requireId('an organisation', id)
        try {
          const row = await db.insertInto('organizations').values({ id, name }).returningAll().executeTakeFirstOrThrow()
          return { id: row.id, name: row.name, createdAt: row.created_at }
        } catch (error) {
          throw namingConflict('Organisation', id, error)
        }
      }),
    createProject: ({ id = randomUUID(), orgId, name }) =>
      classified(async () => {
        requireId('a project', id)
        if ((await wasDeleted(db, id)) || (await isBeingDeleted(db, id)))
          throw new AppError('bad_request', `There was a project ${id}, which is deleted. Choose another id.`, { id })
        try {
          return projectOf(await db.insertInto('projects').values({ id, org_id: orgId, name }).returningAll().executeTakeFirstOrThrow())
        } catch (error) {
          if (isForeignKeyViolation(error))
            throw new AppError('bad_request', `There is no organisation ${orgId}.`, { orgId }, { cause: error })
          throw namingConflict('Project', id, error)
        }
      }),
    listProjects: () =>
      classified(async () => {
        const rows = await db
          .selectFrom('projects')
          .selectAll()
          .where('deleted_at', 'is', null)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
        return rows.map(projectOf)
      }),
    createKeyPair: pair => classified(() => createKeyPair(pair)),
    listKeys: owner => classified(() => pairs.list(owner)),
    revoke: idOrPublicKey =>
      classified(async () => {
        const apiKeyId = await pairs.revoke(idOrPublicKey, clock())
        if (apiKeyId !== undefined) announce({ kind: 'revoked', apiKeyId })
        return apiKeyId !== undefined
      }),
    async deleteProject(deletion) {
      const apiKeyIds = await softDeleteProject(store, deletion)
      for (const apiKeyId of apiKeyIds ?? []) announce({ kind: 'revoked', apiKeyId })
      return apiKeyIds !== undefined
    },
    pairOf: purpose => ({
      // Another salt makes another secret: the public key must be another one, too.
      publicKey: `pk-svc-${purpose}-${derivedSecret(salt, `public key of ${purpose}`).slice(0, 12)}`,
      secretKey: `sk-svc-${derivedSecret(salt, `secret key of ${purpose}`)}`,
    }),
    ensureProject: project =>
      classified(async () => {
        requireId('an organisation', project.orgId)
        requireId('a project', project.projectId)
        return ensureProject(project)
      }),
    verify: (publicKey, secretKey) => classified(() => verify(publicKey, secretKey)),
    verifyPublicKey: publicKey => classified(() => verifyPublicKey(publicKey)),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
