// GET /api/health and /api/ready of the worker container (contract §4.6), which existing deployments probe on port 3030.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Health } from '../health/health.ts'
import { parseTarget } from '../http/target.ts'

/** How far propagation is; field names as monitors of existing deployments know them. */
export interface EventPropagationReport {
  readonly enabled: boolean
  /** Time of the last publication, ISO 8601; null before the first one. */
  readonly lastRunStartedAt: string | null
  readonly secondsSinceLastRun: number | null
  /** Age of the oldest staged span that is not published. */
  readonly propagationDelaySeconds: number | null
  /** End of the last window that was published, ISO 8601. Of several log partitions the one that is furthest behind. */
  readonly lastProcessedPartition: string | null
  readonly thresholdSeconds: number | null
  readonly stuck: boolean
  /** Of `stuck`: what stands still, in a sentence. */
  readonly reason?: string
}

export interface WorkerHealthDeps {
  readonly health: Health
  /** Rejects when the relational store does not answer. Absent: this process has none. */
  readonly checkDatabase?: () => Promise<unknown>
  /** Absent, or undefined: no propagator runs in this process. */
  readonly eventPropagation?: () => Promise<EventPropagationReport | undefined>
}

type Reply = readonly [status: number, body: Readonly<Record<string, unknown>>]

// Nothing is staged here, so nothing can be stuck: the check passes, as the contract asks.
const noPropagation: EventPropagationReport = {
  enabled: false,
  lastRunStartedAt: null,
  secondsSinceLastRun: null,
  propagationDelaySeconds: null,
  lastProcessedPartition: null,
  thresholdSeconds: null,
  stuck: false,
}

/** Answers the two paths; false when the request is for somebody else, which is then untouched. */
export function createWorkerHealth({ health, checkDatabase, eventPropagation }: WorkerHealthDeps) {
  async function answer(path: string, query: URLSearchParams): Promise<Reply> {
    if (path === '/api/ready' && health.draining) return [500, { status: 'SIGTERM / SIGINT received, shutting down' }]
    const reachable = await (checkDatabase?.() ?? Promise.resolve()).then(
      () => true,
      () => false,
    )
    if (!reachable) return [500, { status: 'error' }]
    const reasons: string[] = []
    const details: Record<string, unknown> = {}
    if (query.get('failIfEventPropagationStuck') === 'true') {
      const report = (await eventPropagation?.()) ?? noPropagation
      details['eventPropagation'] = report
      if (report.stuck) reasons.push('Event propagation stuck')
    }
    if (query.get('failIfQueueConsumptionStuck') === 'true') {
      const { status, body } = await health.evaluate('progress')
      details['queueConsumption'] = { stuck: status !== 200, checks: body.checks }
      if (status !== 200) reasons.push('Queue consumption stuck')
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
