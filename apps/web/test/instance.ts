// Starts the whole service on embedded stores, as `npm start` does.
import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { instanceDirectory } from '@svc-server/standalone/test-directory'

const root = resolve(import.meta.dirname, '../../..')
const publicKey = 'pk-svc-web-test'
const secretKey = 'sk-svc-web-test'

export interface Instance extends AsyncDisposable {
  /** URL of the instance. The URL includes the base path and has no trailing slash. */
  readonly url: string
  /** Sign-in link, which works only once. */
  readonly link: string
  readonly authorization: string
  /** Sends spans to the project. Resolves when the server has accepted them. */
  send(spans: readonly object[], headers?: Readonly<Record<string, string>>): Promise<void>
  readable(count: number): Promise<void>
  sql(statement: string): Promise<string>
}

const ports = ['PORT', 'SVC_OTLP_PORT', 'SVC_OTLP_GRPC_PORT', 'SVC_WORKER_PORT', 'COLUMNSTORE_PORT']

function banner(child: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        said += bytes.toString()
        if (/Operators: /.test(said)) resolve(said)
      })
    }
    child.once('exit', code => reject(new Error(`npm start ended with ${code}:\n${said}`)))
  })
}

export async function startInstance(settings: Readonly<Record<string, string>> = {}): Promise<Instance> {
  const directory = await instanceDirectory()
  const { SVC_WEB_DIR: _, ...env } = process.env
  const child = spawn(process.execPath, [join(root, 'bootstrap/run.mjs'), 'start'], {
    cwd: root,
    env: {
      ...env,
      ...Object.fromEntries(ports.map(name => [name, '0'])),
      SVC_DATA_DIR: directory.path,
      SVC_INIT_PROJECT_PUBLIC_KEY: publicKey,
      SVC_INIT_PROJECT_SECRET_KEY: secretKey,
      SVC_LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const said = await banner(child)
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
  const link = /http\S*\/setup\?token=\S+/.exec(said)?.[0]
  const [, store, password] = /SQL\s+(http\S+)\s+user svc, password ([^\s,]+)/.exec(said) ?? []
  if (url === undefined || link === undefined) throw new Error(`npm start printed no address or no link:\n${said}`)
  const base = link.slice(0, link.indexOf('/setup?'))
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  return {
    url: base,
    link,
    authorization,
    async send(spans, more = { 'x-svc-ingestion-version': '4' }) {
      const body = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'test' }, spans }] }] }
      const response = await fetch(`${base}/api/public/otel/v1/traces`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`The spans were answered ${response.status}: ${await response.text()}`)
    },
    async readable(count) {
      for (;;) {
        const response = await fetch(`${base}/api/public/v2/observations?limit=1000`, { headers: { authorization } })
        const { data } = (await response.json()) as { readonly data: readonly unknown[] }
        if (data.length >= count) return
        await new Promise(resolve => setTimeout(resolve, 200))
      }
    },
    async sql(statement) {
      const headers = { authorization: `Basic ${Buffer.from(`svc:${password}`).toString('base64')}` }
      const response = await fetch(`${store}/?database=svc`, { method: 'POST', headers, body: statement })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      await directory.remove()
    },
  }
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })

/** Returns the two spans of a trace: an agent and its generation. The trace started `minutesAgo` minutes ago. Every fifth trace fails. */
export function traceOf(at: number, minutesAgo = at + 1): readonly object[] {
  const traceId = hex(at + 1, 32)
  const root = hex(2 * at + 1, 16)
  const startNs = BigInt(Date.now() - minutesAgo * 60_000) * 1_000_000n
  const ns = (ms: number) => String(startNs + BigInt(ms) * 1_000_000n)
  const fails = at % 5 === 4
  const status = fails ? { code: 2, message: 'upstream timeout' } : {}
  const common = [attribute('svc.user.id', `user-${at % 3}`), attribute('svc.session.id', `session-${at % 4}`)]
  return [
    {
      ...{ traceId, spanId: root, name: fails ? 'refund' : 'answer', kind: 1, status },
      ...{ startTimeUnixNano: ns(0), endTimeUnixNano: ns(900 + at * 100) },
      attributes: [
        ...common,
        attribute('svc.observation.type', 'agent'),
        attribute('svc.observation.input', `question ${at}`),
        attribute('svc.observation.metadata.plan', at % 2 === 0 ? 'free' : 'pro'),
      ],
    },
    {
      ...{ traceId, spanId: hex(2 * at + 2, 16), parentSpanId: root, name: 'chat', kind: 3, status },
      ...{ startTimeUnixNano: ns(100), endTimeUnixNano: ns(800) },
      attributes: [
        ...common,
        attribute('svc.observation.type', 'generation'),
        attribute('svc.observation.model.name', 'gpt-5'),
        attribute('svc.observation.output', `answer ${at}`),
        attribute('svc.observation.cost_details', '{"total":0.25}'),
        attribute('svc.observation.usage_details', '{"input":30,"output":12}'),
      ],
    },
  ]
}
