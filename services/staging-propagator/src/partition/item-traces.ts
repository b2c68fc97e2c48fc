// Decides which windows of traces with run items must be published again. This module reads all staged records of these traces, and
// compares each window with the window's last publication.
import { fillHash, fillOf } from '@svc-server/observations/trace'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import { parseTraceKey } from '@svc-server/schema/trace-key'
import { type TraceWindow, unassigned } from '@svc-server/schema/trace-window'
import { type Assigned, type Assignment, assignmentOf } from '../windows/assignment.ts'
import { assignedHash } from '../windows/items.ts'
import { keyText } from '../windows/window.ts'
import type { OwnerDeps } from './deps.ts'
import { type RunItemFills, runItemFillsOf } from './run-item-fills.ts'
import { createStagedItems } from './staged-items.ts'
import { type LinksAt, type PendingTrace, readLinks } from './trace-links.ts'

export interface ItemTrace {
  readonly fill: TraceAttributes
  /** After the publication, the field `fill` of every window of the trace has this value. */
  readonly hash: string
  readonly assignedAt: number
  /** Returns false if a new publication of the window would not change its rows. */
  changes(window: TraceWindow): boolean
  readonly runItemsAt: RunItemFills
}

export interface ItemTraces {
  /** Traces by `keyText`. The map is empty if the owner has lost the partition. */
  readonly traces: ReadonlyMap<string, ItemTrace>
  readonly readBytes: number
}

type Deps = Pick<OwnerDeps, 'log' | 'partition' | 'config' | 'metrics' | 'readLinks'> & { readonly signal: AbortSignal }

export async function readItemTraces(deps: Deps, pending: readonly PendingTrace[]): Promise<ItemTraces> {
  if (pending.length === 0) return { traces: new Map(), readBytes: 0 }
  const { links, readBytes: linkBytes } = await readLinks(deps, pending)
  if (deps.signal.aborted) return { traces: new Map(), readBytes: linkBytes }
  const stagedItems = createStagedItems(deps)
  const wanted = new Set<number>()
  const traces = new Map<string, ItemTrace>()
  for (const { traceKey, windows } of pending) {
    const newest = windows.at(-1)!
    const known = createKnown(traceKey, windows, links)
    const { assignment, fill } = known.upTo(newest.firstOffset)!
    const itemsAt = (offset: number) => (links.get(offset) ?? []).map(({ id }) => assignment.of(id))
    for (const { offsets } of windows) {
      for (const offset of offsets) for (const assigned of itemsAt(offset)) if (assigned !== null) wanted.add(assigned.item.offset)
    }
    traces.set(keyText(traceKey), {
      fill,
      hash: assignedHash(fillHash(fill), newest.firstOffset),
      assignedAt: newest.firstOffset,
      changes: window => !isPublishedAs(window, known, { assignment, fill }, links),
      runItemsAt: runItemFillsOf({ links, assignment, stagedItems, metrics: deps.metrics }),
    })
  }
  const itemBytes = await stagedItems.load([...wanted].sort((a, b) => a - b))
  return { traces, readBytes: linkBytes + itemBytes }
}

interface Publication {
  readonly fill: TraceAttributes
  /** The run items of the trace's spans. Null if the publication assigned no run items to the spans. */
  readonly assignment: Assignment | null
}

/** Computes the attributes and run items that were known about a trace at the end of each of its windows. */
function createKnown(traceKey: Buffer, windows: readonly TraceWindow[], links: LinksAt) {
  const made = new Map<number, { readonly fill: TraceAttributes; readonly assignment: Assignment } | null>()

  function make(firstOffset: number) {
    const at = windows.findIndex(window => window.firstOffset === firstOffset)
    if (at < 0) return null
    const { candidates, items } = windows[at]!
    const fill = fillOf(candidates)
    const known = windows.slice(0, at + 1).flatMap(({ offsets }) => offsets.flatMap(offset => links.get(offset) ?? []))
    return {
      fill,
      assignment: assignmentOf({ traceId: parseTraceKey(traceKey)!.traceId, rootSpanId: fill.rootSpanId, items, links: known }),
    }
  }

  return {
    /** Returns null if the window that begins at the offset has expired. */
    upTo(firstOffset: number) {
      const known = made.get(firstOffset)
      if (known !== undefined) return known
      const publication = make(firstOffset)
      made.set(firstOffset, publication)
      return publication
    },
  }
}

function isPublishedAs(window: TraceWindow, known: ReturnType<typeof createKnown>, now: Publication, links: LinksAt): boolean {
  const hashNow = fillHash(now.fill)
  const before = window.assignedAt === null ? null : known.upTo(window.assignedAt)
  if (window.assignedAt !== null && before === null) return false
  const fillBefore =
    before !== null ? fillHash(before.fill) : window.fill === unassigned ? fillHash(fillOf(window.candidates)) : window.fill
  if (fillBefore !== hashNow) return false
  return window.offsets.every(offset =>
    (links.get(offset) ?? []).every(({ id }) => isSame(before?.assignment.of(id) ?? null, now.assignment!.of(id))),
  )
}

const isSame = (a: Assigned | null, b: Assigned | null): boolean =>
  a === null || b === null ? a === b : a.item.offset === b.item.offset && a.rootSpanId === b.rootSpanId
