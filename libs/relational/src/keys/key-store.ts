import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { createOrganization } from '../organizations/repository.ts'
import { softDeleteProject } from '../projects/deletion.ts'
import { requireId } from '../projects/ids.ts'
import { createProject, listProjects, type ProjectRefusal } from '../projects/repository.ts'
import type { Author } from '../tenancy/audit.ts'
import { isConflict } from '../tenancy/conflicts.ts'
import { inProject, instance, type Store } from '../tenancy/handles.ts'
import { createEnsureProject } from './first-project.ts'
import { derivedSecret } from './hashes.ts'
import { createKeyPairs } from './key-pairs.ts'
import type { KeyChange, KeyStore, NewKeyPair } from './key-types.ts'
import { createVerify, createVerifyPublicKey } from './verify.ts'

export interface KeyStoreOptions {
  /**
   * The deployment's SALT. After a change of the SALT, the first use of each key that this server created is slow, because it needs the
   * slow hash. Keys that v3 created become invalid after the change, because they have a bcrypt hash and no slow hash, and this server does
   * not verify bcrypt hashes.
   */
  readonly salt: string
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

function creationError(
  { refused }: { readonly refused: ProjectRefusal },
  { id, orgId, name }: { readonly id: string; readonly orgId: string; readonly name: string },
) {
  const messages: Readonly<Record<ProjectRefusal, string>> = {
    not_found: `There is no organization ${orgId}.`,
    name_taken: `Organization ${orgId} already has a project named ${name}. Choose a different name.`,
    id_taken: `Project ${id} already exists.`,
    id_deleted: `Project ${id} has been deleted and its id cannot be reused. Choose a different id.`,
  }
  return new AppError('bad_request', messages[refused], { id, orgId })
}

export function createKeyStore(store: Store, { salt, clock = Date.now }: KeyStoreOptions): KeyStore {
  const all = instance(store)
  const operator = (): Author => ({ actor: 'operator', at: new Date(clock()) })
  const pairs = createKeyPairs(all, salt)
  const listeners = new Set<(change: KeyChange) => void>()
  const announce = (change: KeyChange) => {
    for (const listener of listeners) listener(change)
  }
  const createKeyPair = async (pair: NewKeyPair) => {
    const created = await pairs.create(pair)
    announce({ kind: 'created', apiKeyId: created.id })
    return created
  }
  const ensureProject = createEnsureProject(all, createKeyPair, operator)

  return {
    async createOrganization({ id = randomUUID(), name }) {
      requireId('an organization', id)
      try {
        const made = await createOrganization(all, operator(), { id, name })
        return { id: made.id, name: made.name, createdAt: made.createdAt }
      } catch (error) {
        if (!isConflict(error)) throw error
        throw new AppError('bad_request', `Organization ${id} already exists.`, {}, { cause: error })
      }
    },
    async createProject({ id = randomUUID(), orgId, name }) {
      const made = await createProject(all, operator(), { id, orgId, name })
      if ('refused' in made) throw creationError(made, { id, orgId, name })
      return { id: made.id, orgId: made.orgId, name: made.name, createdAt: made.createdAt }
    },
    listProjects: () => listProjects(all),
    createKeyPair,
    listKeys: pairs.list,
    async revoke(idOrPublicKey, by) {
      const apiKeyId = await pairs.revoke(idOrPublicKey, clock(), by)
      if (apiKeyId !== undefined) announce({ kind: 'revoked', apiKeyId })
      return apiKeyId !== undefined
    },
    forget(apiKeyIds) {
      for (const apiKeyId of apiKeyIds) announce({ kind: 'revoked', apiKeyId })
    },
    async deleteProject({ projectId, orgId, actor, at }) {
      const apiKeyIds = await softDeleteProject(inProject(store, projectId), { actor, at }, orgId)
      for (const apiKeyId of apiKeyIds ?? []) announce({ kind: 'revoked', apiKeyId })
      return apiKeyIds !== undefined
    },
    pairOf: purpose => ({
      // A different salt gives a different secret key. The public key also depends on the salt, because `ensureProject` rejects a stored
      // public key that is given with a different secret key.
      publicKey: `pk-svc-${purpose}-${derivedSecret(salt, `public key of ${purpose}`).slice(0, 12)}`,
      secretKey: `sk-svc-${derivedSecret(salt, `secret key of ${purpose}`)}`,
    }),
    async ensureProject(project) {
      requireId('an organization', project.orgId)
      requireId('a project', project.projectId)
      return ensureProject(project)
    },
    verify: createVerify(all, { salt, now: clock }),
    verifyPublicKey: createVerifyPublicKey(all, clock),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
