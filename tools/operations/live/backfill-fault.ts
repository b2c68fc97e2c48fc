// A fault that prevents the backfill from copying some chunks.
import { waitFor } from '../../../libs/dev-servers/src/index.ts'
import { type ColumnStoreFault, type ProxiedRequest, v3Store } from '../../../libs/testkit/src/index.ts'
import { operate } from './acts.ts'
import type { Fault } from './watched.ts'

const size = { observations: 600, traces: 60, runItems: 20, months: 1, tinyProjects: 5 }
/** Time limit of the backfill. On a busy machine, the backfill pauses after every chunk, because new data has priority. */
const finishesWithinMs = 900_000

const memory: ColumnStoreFault = { kind: 'exception', code: 241, type: 'MEMORY_LIMIT_EXCEEDED', message: 'Memory limit (total) exceeded' }

/**
 * Makes the inserts of the backfill fail. After the first failure, the backfill sends a query to split the chunk, and this query fails,
 * too.
 */
function outOfMemory(): (request: ProxiedRequest) => ColumnStoreFault | null {
  let hasFailed = false
  return ({ query, isInsert }) => {
    const isOfChunk = isInsert && query.includes('svc backfill:')
    hasFailed ||= isOfChunk
    return isOfChunk || (hasFailed && query.includes(' AS key FROM ')) ? memory : null
  }
}

export const failingHistory: Fault = {
  what: 'a backfill whose inserts the column store refuses',
  alerts: ['SvcBackfillFailed'],
  async begin(watched) {
    const { cluster, columnStore, command } = watched
    const { backfillRunners, projectId } = cluster.running
    const runner = backfillRunners[0]!
    for (const statement of v3Store({ ...size, endMs: Date.now() - 3_600_000, projectId })) await command(statement)
    columnStore.onRequest(outOfMemory())
    await runner.stop()
    const all = ['ENABLE_HISTORIC_BACKFILL', 'DROP_PID_TID_SORTING_TABLES'].map(name => [`SVC_BACKGROUND_MIGRATION_V4_${name}`, 'true'])
    await runner.start(Object.fromEntries(all))
    return async () => {
      columnStore.heal()
      await operate(watched, 'backfill', 'retry-failed')
      const isFinished = async () => (await cluster.metric('svc_backfill_state{state="finished"}', [runner.probeUrl])) === 1
      await waitFor(isFinished, { what: 'the backfill to be finished', timeoutMs: finishesWithinMs, everyMs: 1_000 })
    }
  },
}
