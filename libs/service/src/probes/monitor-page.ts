// GET /api/health and /api/ready for the monitors of existing deployments (contract §4.6). A report states whether a part of the server is
// stuck. The query parameters of a request select reports. The check fails if a selected report states “stuck”. In
// `failIf<Name>Stuck=true`, `<Name>` is the name of a log reader or of a service's report.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseTarget } from '@svc-server/http/listeners'
import type { Health } from '../health/health.ts'

/** The names of the fields must not change, because existing monitors read them. */
export type Report = { readonly stuck: boolean }

export interface MonitorPageOptions {
  readonly health: Health
  /** Reports by name. Only requested reports are called. */
  readonly reports: () => Readonly<Record<string, () => Promise<Report>>>
  /** Returns undefined until the store is open. Absent in a process without this store. */
  readonly database?: () => { ping(): Promise<unknown> } | undefined
}

type Reply = readonly [status: number, body: Readonly<Record<string, unknown>>]

const progressOfReaders = 'queueConsumption'
const parameter = /^failIf([A-Z][A-Za-z]{0,60})Stuck$/

/**
 * Maximum names in one request. All services together have fewer log readers and reports, so one request can name every reader and report.
 */
const maxNames = 32

// According to the contract, a service outside this process counts as not stuck.
const notHere = { enabled: false, stuck: false }

const sentenceOf = (name: string): string => `${name[0]}${name.slice(1).replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)} stuck`

/** Returns each name only once. Anybody can send this request, and each report takes work, so a repeated name must cost nothing. */
function namesIn(query: URLSearchParams): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [key, value] of query) {
    const name = value === 'true' ? parameter.exec(key)?.[1] : undefined
    if (name !== undefined && names.size < maxNames) names.add(name)
  }
  return names
}

/** The handler serves only /api/health and /api/ready. For any other path, the handler returns false. */
export function createMonitorPage({ health, reports, database }: MonitorPageOptions) {
  async function reportOf(field: string): Promise<Report> {
    if (field === progressOfReaders) {
      const { status, body } = await health.evaluate('progress')
      return { stuck: status !== 200, ...{ checks: body.checks } }
    }
    const known = reports()
    return Object.hasOwn(known, field) ? known[field]!() : notHere
  }

  const isReachable = async (): Promise<boolean> => {
    if (database === undefined) return true
    const store = database()
    if (store === undefined) return false
    return store.ping().then(
      () => true,
      () => false,
    )
  }

  async function answer(path: string, query: URLSearchParams): Promise<Reply> {
    if (path === '/api/ready' && health.draining) return [500, { status: 'SIGTERM / SIGINT received, shutting down' }]
    if (!(await isReachable())) return [500, { status: 'error' }]
    const reasons: string[] = []
    const details: Record<string, unknown> = {}
    for (const name of namesIn(query)) {
      const field = `${name[0]!.toLowerCase()}${name.slice(1)}`
      const report = await reportOf(field)
      details[field] = report
      if (report.stuck) reasons.push(sentenceOf(name))
    }
    return reasons.length === 0 ? [200, { status: 'ok', ...details }] : [503, { status: reasons.join('; '), ...details }]
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { path, query } = parseTarget(request.url)
    if (path !== '/api/health' && path !== '/api/ready') return false
    answer(path, query)
      .then(([status, body]) => response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`))
      .catch(() => response.destroy())
    return true
  }
}
