// A small client of a Kubernetes API server for tests.
import { once } from 'node:events'
import { Agent, request as send } from 'node:https'
import type { Manifest } from './helm.ts'

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface KubernetesClient {
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>
  /** Sends the object to the server as a dry run. Unknown and duplicate fields are errors. */
  tryOut(manifest: Manifest, namespace: string): Promise<Answer>
  /** Returns the `kind/name` of all objects with the labels, in sorted order. Events are left out. */
  list(namespace: string, labels: string): Promise<readonly string[]>
  close(): Promise<void>
}

interface Resource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

const rootOf = (apiVersion: string) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`)

export function createKubernetesClient(to: {
  readonly url: string
  readonly certificate: string
  readonly token: string
}): KubernetesClient {
  const agent = new Agent({ keepAlive: true, ca: to.certificate })

  async function request(method: string, path: string, body?: unknown, contentType = 'application/json'): Promise<Answer> {
    const headers = { authorization: `Bearer ${to.token}`, accept: 'application/json', 'content-type': contentType }
    const outgoing = send(`${to.url}${path}`, { method, agent, headers, signal: AbortSignal.timeout(60_000) })
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    const [incoming] = await once(outgoing, 'response')
    const text = (await (incoming as NodeJS.ReadableStream & { toArray(): Promise<Buffer[]> }).toArray()).map(String).join('')
    const isJson = text.startsWith('{')
    return { status: (incoming as { readonly statusCode: number }).statusCode, body: isJson ? JSON.parse(text) : { text } }
  }

  async function resourcesOf(apiVersion: string): Promise<readonly Resource[]> {
    const { status, body } = await request('GET', rootOf(apiVersion))
    return status === 200 ? (body['resources'] as readonly Resource[]) : []
  }

  return {
    request,
    async tryOut(manifest, namespace) {
      const found = (await resourcesOf(manifest.apiVersion)).find(({ name, kind }) => kind === manifest.kind && !name.includes('/'))
      if (!found) return { status: 404, body: { message: `No kind ${manifest.kind} of ${manifest.apiVersion} here` } }
      const path = `${rootOf(manifest.apiVersion)}/namespaces/${namespace}/${found.name}?dryRun=All&fieldValidation=Strict`
      return request('POST', path, manifest)
    },
    async list(namespace, labels) {
      const groups = (await request('GET', '/apis')).body['groups'] as readonly { preferredVersion: { groupVersion: string } }[]
      const found: string[] = []
      for (const apiVersion of ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)]) {
        for (const { name, kind, namespaced, verbs } of await resourcesOf(apiVersion)) {
          if (!namespaced || !verbs.includes('list') || kind === 'Event') continue
          const path = `${rootOf(apiVersion)}/namespaces/${namespace}/${name}?labelSelector=${encodeURIComponent(labels)}`
          const { items = [] } = (await request('GET', path)).body as { readonly items?: readonly Manifest[] }
          found.push(...items.map(({ metadata }) => `${kind}/${metadata.name}`))
        }
      }
      return found.sort()
    },
    async close() {
      agent.destroy()
    },
  }
}
