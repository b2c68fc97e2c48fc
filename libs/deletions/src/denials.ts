// Denied projects and traces. Callers first call `concerns`. For a project without deletions, the call of `concerns` is enough.
import { createDenyTable, type DenyTable, readShared } from './deny-table.ts'

/** Null for a whole project. */
export interface Denied {
  readonly projectId: string
  readonly traceId: string | null
}

export interface Denials {
  concerns(projectId: string): boolean
  /**
   * `traceId` is null for an item without a trace, which is deleted only with its project. `happenedUs` is the time of the row's event in
   * microseconds since the epoch. A caller that checks whether a row may be absent must pass `happenedUs`. The method then also denies rows
   * that are older than the project's retention.
   */
  denies(projectId: string, traceId: string | null, happenedUs?: number): boolean
}

// Project ids never contain NUL.
const anyOf = (projectId: string) => `any\0${projectId}`
const allOf = (projectId: string) => `all\0${projectId}`
const traceOf = (projectId: string, traceId: string) => `trace\0${projectId}\0${traceId}`

export const nothingDenied: Denials = { concerns: () => false, denies: () => false }

const denialsIn = (has: (text: string) => boolean): Denials => ({
  concerns: projectId => has(anyOf(projectId)),
  denies: (projectId, traceId) => has(allOf(projectId)) || (traceId !== null && has(traceOf(projectId, traceId))),
})

/** Returns the denials in shared memory. Entries that other threads add take effect immediately. */
export const sharedDenials = (shared: SharedArrayBuffer): Denials => denialsIn(readShared(shared))

export function denialsOf(list: readonly Denied[]): Denials {
  const texts = new Set(list.flatMap(textsOf))
  return denialsIn(text => texts.has(text))
}

const textsOf = ({ projectId, traceId }: Denied): readonly string[] => [
  anyOf(projectId),
  traceId === null ? allOf(projectId) : traceOf(projectId, traceId),
]

export interface GrowingDenials extends Denials {
  readonly shared: SharedArrayBuffer
  /** Number of denied traces and denied whole projects. */
  readonly size: number
  readonly bytes: number
  add(denied: Denied): void
}

export function createDenials(): GrowingDenials {
  const table: DenyTable = createDenyTable()
  let size = 0
  return {
    ...denialsIn(table.has),
    get shared() {
      return table.shared
    },
    get size() {
      return size
    },
    get bytes() {
      return table.shared.byteLength
    },
    add(denied) {
      const [any, one] = textsOf(denied)
      // The marker of the project is added last. Callers look up a trace only after they have found this marker. The table then already
      // contains the denied trace.
      if (table.add(one!)) size += 1
      table.add(any!)
    },
  }
}

export interface FrozenDenials extends Denials {
  /**
   * The denials that look-ups in this copy have found: denied traces, and projects that are denied as a whole. If the rows of a chunk are
   * made with this copy, the rows depend on exactly these denials.
   */
  readonly matched: readonly Denied[]
}

/**
 * Returns a copy in which each result stays fixed after the first look-up. Without such a copy, an entry added during a chunk could remove
 * only some rows of a trace.
 */
export function frozenDenials(denials: Denials): FrozenDenials {
  const matched: Denied[] = []
  const projects = new Map<string, { readonly isWhole: boolean; readonly traces: Map<string, boolean> } | null>()

  function ofProject(projectId: string) {
    const known = projects.get(projectId)
    if (known !== undefined) return known
    const asked = denials.concerns(projectId) ? { isWhole: denials.denies(projectId, null), traces: new Map<string, boolean>() } : null
    projects.set(projectId, asked)
    return asked
  }

  return {
    matched,
    concerns: projectId => ofProject(projectId) !== null,
    denies(projectId, traceId) {
      const project = ofProject(projectId)
      if (project === null || (traceId === null && !project.isWhole)) return false
      // All traces of a denied project share one entry.
      const key = project.isWhole || traceId === null ? '' : `trace ${traceId}`
      const known = project.traces.get(key)
      if (known !== undefined) return known
      const answer = project.isWhole || denials.denies(projectId, traceId)
      project.traces.set(key, answer)
      if (answer) matched.push({ projectId, traceId: project.isWhole ? null : traceId })
      return answer
    },
  }
}
