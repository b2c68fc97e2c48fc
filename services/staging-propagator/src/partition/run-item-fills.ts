// Selects the run-item data of a filled record, and cuts data that does not fit.
import { contentBytes, type RunItemFill, runItemSpanBytes } from '@svc-server/schema/run-item-fill'
import type { StagedRunItem } from '@svc-server/schema/staged-run-item'
import type { Assigned, Assignment } from '../windows/assignment.ts'
import type { OwnerDeps } from './deps.ts'
import type { StagedItems } from './staged-items.ts'
import type { LinksAt } from './trace-links.ts'

export interface RecordRunItems {
  /** The run items of the record's spans; null if no span belongs to a run item. */
  readonly fills: readonly RunItemFill[] | null
  /** Number of run items whose staged records no longer exist. */
  readonly gone: number
}

export type RunItemFills = (offset: number) => Promise<RecordRunItems>

/** Maximum bytes of run-item data in one record. The attributes of the trace do not count toward this maximum. */
const maxFillBytes = 320 * 1024
/** Number of bytes that one span's index (`RunItemFill.spans`) adds to the record. */
const placeBytes = 3

interface Found {
  readonly assigned: Assigned
  readonly spans: number[]
  hasRoot: boolean
}

interface FillDeps {
  readonly links: LinksAt
  readonly assignment: Assignment
  readonly stagedItems: StagedItems
  readonly metrics: Pick<OwnerDeps['metrics'], 'runItemCuts'>
}

export function runItemFillsOf({ links, assignment, stagedItems, metrics }: FillDeps): RunItemFills {
  function foundAt(offset: number): { readonly found: readonly Found[]; readonly spans: number } {
    const found = new Map<number, Found>()
    const ofRecord = links.get(offset) ?? []
    for (const { id, index } of ofRecord) {
      const assigned = assignment.of(id)
      if (assigned === null) continue
      const known = found.get(assigned.item.offset) ?? { assigned, spans: [], hasRoot: false }
      known.spans.push(index)
      if (id === assigned.rootSpanId) known.hasRoot = true
      found.set(assigned.item.offset, known)
    }
    return { found: [...found.values()], spans: ofRecord.length }
  }

  return async offset => {
    const { found, spans } = foundAt(offset)
    let left = maxFillBytes
    let gone = 0
    const fills: RunItemFill[] = []
    for (const each of found) {
      const said = await stagedItems.at(each.assigned.item.offset, each.hasRoot)
      if (said === null) {
        gone++
        continue
      }
      const fill = fillOf(said, each, spans)
      left -= runItemSpanBytes(fill) + placeBytes * (fill.spans?.length ?? 0)
      if (left < 0) {
        metrics.runItemCuts.inc({ what: 'fields' })
        break
      }
      fills.push(fill)
    }
    return { fills: fills.length === 0 ? null : withContents(fills, left), gone }
  }

  /** The names of runs and items always fit into the record. The contents of items get the remaining space. */
  function withContents(fills: readonly RunItemFill[], room: number): readonly RunItemFill[] {
    let left = room
    return fills.map(fill => {
      const bytes = contentBytes(fill)
      if (bytes <= left) {
        left -= bytes
        return fill
      }
      metrics.runItemCuts.inc({ what: 'contents' })
      return { ...fill, ...noContents }
    })
  }
}

const noContents = { runDescription: null, runMetadata: null, expectedOutput: null, itemMetadata: null }

function fillOf(said: StagedRunItem, { assigned, spans, hasRoot }: Found, ofRecord: number): RunItemFill {
  const { runId, runName, datasetId, itemId, itemVersionMs, runDescription, runMetadata, expectedOutput, itemMetadata } = said
  return {
    ...{ runId, runName, datasetId, itemId, itemVersionMs },
    rootSpanId: assigned.rootSpanId,
    ...(hasRoot ? { runDescription, runMetadata, expectedOutput, itemMetadata } : noContents),
    spans: spans.length === ofRecord ? null : spans,
  }
}
