// GET /api/ui/projects/{projectId}/rows/tail sends new rows while they arrive.
import { setTimeout as wait } from 'node:timers/promises'
import { tail } from '@svc-server/api/web-rows/operations'
import type { TailEvent } from '@svc-server/api/web-rows/types'
import { listRows } from '@svc-server/query/observations'
import { completeness } from '../../request/completeness.ts'
import { handleTail } from '../../request/handler.ts'

const everyMs = 1_000
/** Maximum rows that the tail reads at once. The tail reads about once per second. A person could not follow more rows per second. */
const mostOfALook = 20
/** Number of sent rows that the tail remembers, so that it does not send them again. */
const mostKnown = 5_000

export const tailRows = handleTail(tail, async function* ({ project: { projectId }, query }, { turn, signal }, deps) {
  const known = new Set<string>()
  for (;;) {
    const asked = { projectId, query: { ...query, limit: mostOfALook }, signal }
    const until = await completeness(deps, 'spans')
    const { data } = await turn(() => listRows(deps.columnStore, asked, deps.pricesOf))
    const rows = data.filter(({ traceId, id }) => !known.has(`${traceId}:${id}`))
    // Sends the event even if it contains no rows, because it shows that the connection still works.
    yield { rows, isCut: rows.length === mostOfALook, completeUntil: until['x-svc-complete-until'] ?? null } satisfies TailEvent<
      (typeof rows)[number]
    >
    for (const { traceId, id } of rows) known.add(`${traceId}:${id}`)
    for (const oldest of known) {
      if (known.size <= mostKnown) break
      known.delete(oldest)
    }
    await wait(everyMs, undefined, { signal })
  }
})
