// Behaves like a client behind a load balancer. Sends a request to one process after the other until a process accepts the request.
import type { RunningCluster } from '../../src/cluster.ts'
import type { Mode, Processes } from './processes.ts'

interface Answer {
  readonly status: number
  readonly text: string
  readonly mode: Mode | null
}

type Targets = RunningCluster['gateways']

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Credentials of the request. By default, these are the credentials of the cluster's first project. */
  readonly authorization?: string
  readonly mayRefuse?: readonly number[]
}

export interface Client {
  send(targets: Targets, path: string, sent: Sent): Promise<Answer>
  json(path: string, body: object, sent?: Sent): Promise<Answer>
  readonly broken: string[]
}

const retryMs = 100

export const basic = (publicKey: string, secretKey: string) => `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`

export function createClient(running: RunningCluster, processes: Processes): Client {
  const own = basic(running.publicKey, running.secretKey)
  const broken: string[] = []
  let turn = 0

  async function once(
    target: Targets[number],
    path: string,
    { method = 'POST', headers, body, authorization = own }: Sent,
  ): Promise<Answer> {
    const before = processes.modeOf(target)
    try {
      const response = await fetch(`${target.url}${path}`, {
        method,
        headers: { authorization, ...headers },
        ...(body !== undefined && { body: body as string }),
      })
      const text = await response.text()
      return { status: response.status, text, mode: processes.modeOf(target) === before ? before : null }
    } catch {
      return { status: 0, text: '', mode: null }
    }
  }

  const client: Client = {
    broken,
    /**
     * Sends a request. An attempt can fail although the process has accepted the request. After a retry, the client therefore does not know
     * which processes accepted the request, and in which write modes.
     */
    async send(targets, path, sent) {
      for (let attempt = turn++; ; attempt++) {
        const answer = await once(targets[attempt % targets.length]!, path, sent)
        if (answer.status >= 200 && answer.status < 300) return answer
        if (sent.mayRefuse?.includes(answer.status)) return answer
        if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
          broken.push(`${sent.method ?? 'POST'} ${path} ${answer.status} ${answer.text.slice(0, 200)}`)
          return answer
        }
        await new Promise(resume => setTimeout(resume, retryMs))
      }
    },
    json: (path, body, sent = {}) =>
      client.send(running.apis, path, {
        ...sent,
        headers: { 'content-type': 'application/json', ...sent.headers },
        body: JSON.stringify(body),
      }),
  }
  return client
}
