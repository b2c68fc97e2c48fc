// Starts the API on a real relational store with two projects.
import { createKeyStore } from '@svc-server/relational/key-store'
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { type ApiTestOptions, basic, startApi, type TestApi } from './api.ts'

type Sent = Parameters<TestApi['send']>[2]
type Answered = Awaited<ReturnType<TestApi['send']>>

export interface OpenedResources extends AsyncDisposable {
  readonly api: TestApi
  readonly store: RelationalStore
  /** The credentials of `project-0`. */
  readonly authorization: string
  send(method: string, path: string, body?: unknown, options?: Sent): Promise<Answered>
  sendOther(method: string, path: string, body?: unknown): Promise<Answered>
  sendAsOrganization(method: string, path: string, body?: unknown, options?: Sent): Promise<Answered>
  /** Returns the audit log's entries about a resource, oldest first. */
  audit(resourceId: string): Promise<readonly string[]>
}

interface ResourceOptions extends Pick<ApiTestOptions, 'columnStore' | 'env' | 'blobs' | 'outboundAllowed'> {
  /** The relational store. Default: a database of the shared PostgreSQL server. */
  readonly store?: RelationalStore
}

export async function openResources({ store: given, ...options }: ResourceOptions = {}): Promise<OpenedResources> {
  const store = given ?? (await openTestStore())
  const keys = createKeyStore(store, { salt: 'a-salt-of-sixteen-characters' })
  await keys.createOrganization({ id: 'org', name: 'org' })
  const authorizationOf = async (projectId: string) => {
    await keys.createProject({ id: projectId, orgId: 'org', name: projectId })
    const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId } })
    return basic(publicKey, secretKey)
  }
  const [own, other] = [await authorizationOf('project-0'), await authorizationOf('project-other')]
  const organization = await keys.createKeyPair({ owner: { orgId: 'org' } })
  const api = await startApi({ relational: store, keys, ...options })
  const sendBy =
    (authorization: string) =>
    (method: string, path: string, body?: unknown, sent: Sent = {}) =>
      api.send(method, `/api/public${path}`, { authorization, ...(body !== undefined && { body }), ...sent })
  return {
    api,
    store,
    authorization: own,
    send: sendBy(own),
    sendOther: sendBy(other),
    sendAsOrganization: sendBy(basic(organization.publicKey, organization.secretKey)),
    async audit(resourceId) {
      const of = store.db.selectFrom('audit_logs').select(['resource_type', 'action']).where('resource_id', '=', resourceId)
      const rows = await of.orderBy('created_at').execute()
      return rows.map(({ resource_type, action }) => `${action} ${resource_type}`)
    },
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await store.close()
    },
  }
}

/** Names that must stay unchanged in paths, queries and bodies. */
export const awkwardNames = [
  'plain',
  'folder/with/slashes',
  '100% sure',
  'a%2Fb',
  '%',
  '%25',
  'Ünïcödé 名前 🙂',
  'a b+c&d=e?f#g',
  'quote"\'`\\',
  '__proto__',
  'x'.repeat(200),
]
