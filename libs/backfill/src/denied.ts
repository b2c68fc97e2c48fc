// Prevents the backfill from restoring deleted traces and projects. Before each chunk, this module copies the new deletions to the
// column store. The chunk's insert then leaves out the rows of deleted traces and projects.
import { literal } from '@svc-server/column-store/literal'
import { type Denial, readDeletedProjects, readDeletions } from '@svc-server/relational/denials'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'

export interface DeniedTraces {
  /** Copies the deletions since the previous refresh from the relational store to the column store. */
  refresh(): Promise<void>
}

const pageSize = 5_000
/**
 * The refreshes overlap: each refresh rereads the deletions from this period before the newest known deletion. A deletion becomes visible
 * only when its transaction commits. An older deletion can therefore become visible after a newer deletion.
 */
const overlapMs = 120_000

type Pair = Pick<Denial, 'projectId' | 'traceId'>

export function readDenied(relational: Pick<RelationalStore, 'db'>, session: Session): DeniedTraces {
  /** Maps the ids of copied deletions to their times. The next refresh reads these deletions again, but does not copy them again. */
  const recent = new Map<string, number>()
  const projects = new Set<string>()
  let newestMs = 0

  async function deny(pairs: readonly Pair[]): Promise<void> {
    if (pairs.length === 0) return
    const rows = pairs.map(({ projectId, traceId }) => `(${literal(projectId)}, ${literal(traceId)})`)
    await session.run(
      `INSERT INTO ${session.dialect.table(scratchNames.denied)} (project_id, trace_id)
SELECT each.1, each.2 FROM (SELECT arrayJoin([${rows.join(', ')}]) AS each) WHERE ${session.unfenced}`,
    )
  }

  async function refreshTraces(): Promise<void> {
    let from = { atMs: newestMs - overlapMs, id: '' }
    for (;;) {
      const page = await readDeletions(instance(relational), from, pageSize)
      await deny(page.filter(({ id }) => !recent.has(id)))
      for (const { id, atMs } of page) {
        recent.set(id, atMs)
        newestMs = Math.max(newestMs, atMs)
      }
      if (page.length < pageSize) break
      from = page.at(-1)!
    }
    for (const [id, atMs] of recent) if (atMs < newestMs - overlapMs) recent.delete(id)
  }

  return {
    async refresh() {
      const fresh = (await readDeletedProjects(instance(relational))).filter(id => !projects.has(id))
      await deny(fresh.map(projectId => ({ projectId, traceId: '' })))
      for (const id of fresh) projects.add(id)
      await refreshTraces()
    },
  }
}
