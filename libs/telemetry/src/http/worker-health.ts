// GET /api/health and /api/ready of the worker container (contract §4.6), which existing deployments probe on port 3030.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Health } from '../health/health.ts'

export interface WorkerHealthDeps {
  readonly health: Health
  /** Rejects when the relational store does not answer. */
  readonly checkDatabase: () => Promise<unknown>
}

type Reply = readonly [status: number, body: Readonly<Record<string, unknown>>]

// Staged spans are not read by this version, so there is nothing that could be stuck: the check passes, as the contract asks.
const eventPropagation = { enabled: false, stuck: false }

/** Answers the two paths; false when the request is for somebody else, which is then untouched. */
export function createWorkerHealth({ health, checkDatabase }: WorkerHealthDeps) {
  async function answer(path: string, query: URLSearchParams): Promise<Reply> {
    if (path === '/api/ready' && health.draining) return [500, { status: 'SIGTERM / SIGINT received, shutting down' }]
    const reachable = await checkDatabase().then(
      () => true,
      () => false,
    )
    if (!reachable) return [500, { status: 'error' }]
    const details = query.get('failIfEventPropagationStuck') === 'true' ? { eventPropagation } : {}
    if (query.get('failIfQueueConsumptionStuck') !== 'true') return [200, { status: 'ok', ...details }]
    const { status, body } = await health.evaluate('progress')
    const queueConsumption = { stuck: status !== 200, checks: body.checks }
    return [status, { status: status === 200 ? 'ok' : 'Queue consumption stuck', ...details, queueConsumption }]
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://worker')
    if (pathname !== '/api/health' && pathname !== '/api/ready') return false
    answer(pathname, searchParams).then(
      ([status, body]) => response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`),
      () => response.destroy(),
    )
    return true
  }
}
