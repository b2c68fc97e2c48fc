// For each trace that has run items, step 4 writes all spans of the trace to the events tables.

import { randomUUID } from 'node:crypto'
import type { Chunk } from './chunks.ts'
import { type Batch, findTrees, rangeOf, rootsInsert, spansInserts } from './experiment-batch.ts'
import { scratchNames } from './scratch.ts'
import { experimentsSource, rowsIn } from './sources.ts'
import type { Phase, Scope } from './step.ts'
import { writeEvents } from './write-events.ts'

export const createExperiments: Phase = {
  name: 'events of experiments',
  source: experimentsSource,
  async bring(scope: Scope, chunk: Chunk, inDoubt: boolean) {
    const { session } = scope
    const table = session.dialect.table(scratchNames.experiments)
    const batch: Batch = {
      id: randomUUID(),
      pairs: `SELECT project_id, trace_id FROM ${table} WHERE ${rowsIn(experimentsSource, chunk)}`,
      after: chunk.after,
      upTo: chunk.upTo,
    }
    const range = await rangeOf(scope, batch)
    if (range === null) return
    await findTrees(session, batch)
    await writeEvents(session, [...spansInserts(scope, batch, range), rootsInsert(scope, batch, range, false)], inDoubt)
  },
}
