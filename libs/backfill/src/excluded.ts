// SQL conditions that exclude the rows that a chunk must not write: rows of deleted traces, rows of traces with run items (step 4 writes
// them), and virtual roots of traces that have a root from OTel.
import type { KeyColumn, KeyRange } from './key-range.ts'
import { inPrefix } from './key-range.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'

const project: KeyColumn = { sql: 'project_id', type: 'String' }
const first = (range: KeyRange): KeyRange => ({ after: range.after?.slice(0, 1) ?? null, upTo: range.upTo?.slice(0, 1) ?? null })

/** SQL condition that is true if a row's `project_id` is in the key range. The other key columns are not compared. */
export const ofProjects = (range: KeyRange) => inPrefix([project], first(range))

export const notExperiment = ({ dialect }: Session, pair: string, range: KeyRange): string =>
  `${pair} NOT IN (SELECT project_id, trace_id FROM ${dialect.table(scratchNames.experiments)} WHERE ${ofProjects(range)})`

export const notDenied = ({ dialect }: Session, projectId: string, traceId: string, range: KeyRange): string => {
  const denied = dialect.table(scratchNames.denied)
  return `(${projectId}, ${traceId}) NOT IN (SELECT project_id, trace_id FROM ${denied} WHERE ${ofProjects(range)})
    AND ${projectId} NOT IN (SELECT project_id FROM ${denied} WHERE trace_id = '' AND ${ofProjects(range)})`
}

export const withoutOtelRoot = ({ dialect }: Session, pair: string, range: KeyRange): string =>
  `${pair} NOT IN (SELECT project_id, trace_id FROM ${dialect.table(scratchNames.roots)} WHERE ${ofProjects(range)})`
