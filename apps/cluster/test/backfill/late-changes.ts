// During the backfill, clients change old traces through the public API. These clients update traces and observations, and delete traces.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestCluster } from '../cluster.ts'

interface Known {
  readonly traceId: string
  readonly spanId: string
  readonly timestamp: string
  readonly startTime: string
}

export interface LateChanges {
  readonly updated: ReadonlySet<string>
  readonly deleted: ReadonlySet<string>
  readonly broken: readonly string[]
  stop(): Promise<void>
}

/** The clients delete traces only in one of this many rounds, because each deletion is a mutation of every table. */
const roundsPerDeletion = 6
const deletedAtOnce = 4

/** Returns a sample of the project's traces. Each trace has a row in `traces` and an observation, but no dataset run item. */
export const knownTraces = ({ query, running }: TestCluster, count: number): Promise<Known[]> =>
  query<Known>(`SELECT t.id AS traceId, o.id AS spanId, toString(t.timestamp) AS timestamp, toString(o.start_time) AS startTime FROM traces AS t FINAL
    INNER ANY JOIN (SELECT trace_id, id, start_time FROM observations FINAL WHERE project_id = '${running.projectId}' AND cityHash64(trace_id) % 7 = 0) AS o ON o.trace_id = t.id
    WHERE t.project_id = '${running.projectId}' AND cityHash64(t.id) % 7 = 0 AND t.id NOT IN (SELECT trace_id FROM dataset_run_items_rmt)
    ORDER BY cityHash64(t.id, 1) LIMIT ${count}`)

export function startLateChanges({ running }: TestCluster, known: readonly Known[], roundMs: number): LateChanges {
  const authorization = `Basic ${Buffer.from(`${running.publicKey}:${running.secretKey}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/json', 'x-svc-sdk-name': 'svc-js', 'x-svc-sdk-version': '3.39.2' }
  const updated = new Set<string>()
  const deleted = new Set<string>()
  const broken: string[] = []
  const middle = Math.floor(known.length / 2)
  let stopped = false

  async function ask(method: string, path: string, body: unknown): Promise<void> {
    for (;;) {
      const answer = await fetch(`${running.apis[0]!.url}${path}`, { method, headers, body: JSON.stringify(body) }).catch(() => null)
      const text = (await answer?.text()) ?? ''
      if (answer?.ok && (method === 'DELETE' || (JSON.parse(text) as { errors: unknown[] }).errors.length === 0)) return
      if (answer && answer.status < 500 && answer.status !== 429) return void broken.push(`${method} ${path}: ${answer.status} ${text}`)
      await sleep(200)
    }
  }

  async function update({ traceId, spanId, timestamp, startTime }: Known, round: number): Promise<void> {
    updated.add(traceId)
    const iso = (time: string) => `${time.replace(' ', 'T')}Z`
    const event = (type: string, body: object) => ({ id: `${type} ${traceId} ${round}`, type, timestamp: new Date().toISOString(), body })
    await ask('POST', '/api/public/ingestion', {
      batch: [
        event('trace-create', { id: traceId, timestamp: iso(timestamp), name: `late ${round}`, userId: 'late user', tags: ['late'] }),
        event('span-update', { id: spanId, traceId, startTime: iso(startTime), output: 'late' }),
      ],
    })
  }

  async function remove(traces: readonly Known[]): Promise<void> {
    if (traces.length === 0) return
    const traceIds = traces.map(({ traceId }) => traceId)
    for (const id of traceIds) deleted.add(id)
    await ask('DELETE', '/api/public/traces', { traceIds })
  }

  async function lane(): Promise<void> {
    for (let round = 0; !stopped; round++) {
      const each = known[round % Math.max(1, middle)]
      if (each !== undefined) await update(each, round)
      const first = middle + (round / roundsPerDeletion) * deletedAtOnce
      if (round % roundsPerDeletion === 0) await remove(known.slice(first, first + deletedAtOnce))
      await sleep(roundMs)
    }
  }

  const done = lane().catch((error: unknown) => void broken.push(String(error)))
  return {
    updated,
    deleted,
    broken,
    async stop() {
      stopped = true
      await done
    },
  }
}
