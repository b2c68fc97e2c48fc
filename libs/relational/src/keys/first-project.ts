// Creates the project that the SVC_INIT_ variables describe. Every replica runs this code at every start. If the configured secret differs
// from the stored one, the start fails. If the project was deleted or the key was revoked, the start succeeds without recreating the
// project or the key, so that a restart causes no outage.
import { AppError, isAppError } from '@svc-server/errors'
import { ensureOrganization } from '../organizations/repository.ts'
import { createProject } from '../projects/repository.ts'
import type { Author } from '../tenancy/audit.ts'
import type { Instance } from '../tenancy/handles.ts'
import { verifySlowHash } from './hashes.ts'
import type { CreatedKeyPair, EnsuredProject, FirstProject, NewKeyPair } from './key-types.ts'

const invalid = (variable: string, message: string) => new AppError('config_invalid', `${variable}: ${message}`, { variable })

/** True if this call created the project, false if the project already existed, and null if the project was deleted. */
async function ensureRows(all: Instance, by: Author, project: FirstProject): Promise<boolean | null> {
  const { orgId, projectId, orgName = orgId, projectName = projectId } = project
  const found = async () => {
    const row = await all.find('projects', projectId)
    if (row !== undefined && row.org_id !== orgId)
      throw invalid('SVC_INIT_ORG_ID', `project ${projectId} belongs to organization ${row.org_id}, not to ${orgId}.`)
    return row
  }
  const row = await found()
  if (row !== undefined) return row.deleted_at === null ? false : null
  await ensureOrganization(all, by, { id: orgId, name: orgName })
  const made = await createProject(all, by, { orgId, id: projectId, name: projectName })
  if (!('refused' in made)) return true
  if (made.refused === 'name_taken')
    throw invalid(
      'SVC_INIT_PROJECT_NAME',
      `organization ${orgId} has a different project named ${projectName}. Choose a different name, or use the id of that project.`,
    )
  // Another replica may have created the project.
  const there = made.refused === 'id_taken' ? await found() : undefined
  return there === undefined || there.deleted_at !== null ? null : false
}

interface GivenKeys {
  readonly publicKey: string
  readonly secretKey: string
}

const givenKeys = ({ publicKey, secretKey }: FirstProject): GivenKeys | null => {
  if (publicKey === undefined && secretKey === undefined) return null
  if (publicKey === undefined)
    throw invalid('SVC_INIT_PROJECT_PUBLIC_KEY', 'is not set, but SVC_INIT_PROJECT_SECRET_KEY is. Set both, or neither.')
  if (secretKey === undefined)
    throw invalid('SVC_INIT_PROJECT_SECRET_KEY', 'is not set, but SVC_INIT_PROJECT_PUBLIC_KEY is. Set both, or neither.')
  return { publicKey, secretKey }
}

type Presence = 'missing' | 'valid' | 'revoked'

/** Throws if an existing key differs from the configured key. */
const presenceOf = async (all: Instance, projectId: string, { publicKey, secretKey }: GivenKeys): Promise<Presence> => {
  const row = await all.select('api_keys').selectAll().where('public_key', '=', publicKey).executeTakeFirst()
  if (row === undefined) return 'missing'
  const complain = (variable: string, message: string) => invalid(variable, `key ${publicKey} ${message}`)
  if (row.project_id !== projectId) throw complain('SVC_INIT_PROJECT_PUBLIC_KEY', 'belongs to a different project. Choose a different key.')
  if (row.revoked_at !== null) return 'revoked'
  if (await verifySlowHash(secretKey, row.hashed_secret_key)) return 'valid'
  throw complain(
    'SVC_INIT_PROJECT_SECRET_KEY',
    'exists with a different secret. Set the secret with which the key was created, or choose a different key pair.',
  )
}

export const createEnsureProject =
  (all: Instance, create: (pair: NewKeyPair) => Promise<CreatedKeyPair>, operator: () => Author) =>
  async (project: FirstProject): Promise<EnsuredProject> => {
    const { orgId, projectId } = project
    const keys = givenKeys(project)
    const createdProject = await ensureRows(all, operator(), project)
    if (createdProject === null) return { orgId, projectId, createdProject: false, createdKey: false, takenAway: 'project' }
    const ensured = (createdKey: boolean, presence: Presence = 'valid'): EnsuredProject => {
      return { orgId, projectId, createdProject, createdKey, takenAway: presence === 'revoked' ? 'key' : null }
    }
    if (keys === null) return ensured(false)
    const presence = await presenceOf(all, projectId, keys)
    if (presence !== 'missing') return ensured(false, presence)
    try {
      await create({ owner: { projectId }, note: project.note ?? 'Created from the SVC_INIT_ variables', ...keys })
      return ensured(true)
    } catch (error) {
      if (!isAppError(error) || error.code !== 'bad_request') throw error
      // Another replica may have just created the key. A key that is still missing has one of two causes: the configured key is malformed,
      // or a different key already uses its secret.
      const presence = await presenceOf(all, projectId, keys)
      if (presence !== 'missing') return ensured(false, presence)
      throw new AppError(
        'config_invalid',
        `SVC_INIT_PROJECT_PUBLIC_KEY, SVC_INIT_PROJECT_SECRET_KEY: ${error.message}`,
        {},
        { cause: error },
      )
    }
  }
