// Denied projects and traces, as queried by code that makes rows. Callers check a record's project first, so that
// projects without deletions cost one query per record.
import { createDenyTable, type DenyTable, readShared } from './deny-table.ts'

/** Null for the whole project. */
export interface Denied {
  readonly projectId: string
  readonly traceId: string | null
}

export interface Denials {
  /** Returns whether any trace of the project, or the project itself, is denied. */
  concerns(projectId: string): boolean
  /**
   * `traceId` is null for items without a trace, which are deleted only with their project. `happenedUs`, in
   * microseconds since the epoch, is given when the caller checks whether a row may be deleted: rows beyond the
   * project's retention then count, too.
   */
  denies(projectId: string, traceId: string | null, happenedUs?: number): boolean
}

// No project id contains a NUL.
const anyOf = (projectId: string) => `any\0${projectId}`
const allOf = (projectId: string) => `all\0${projectId}`
const traceOf = (projectId: string, traceId: string) => `trace\0${projectId}\0${traceId}`

export const nothingDenied: Denials = { concerns: () => false, denies: () => false }

const denialsIn = (has: (text: string) => boolean): Denials => ({
  concerns: projectId => has(anyOf(projectId)),
  denies: (projectId, traceId) => has(allOf(projectId)) || (traceId !== null && has(traceOf(projectId, traceId))),
})

/** Additions by another thread take effect at once. */
export const sharedDenials = (shared: SharedArrayBuffer): Denials => denialsIn(readShared(shared))

/** Denies exactly the entries of the list. */
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
  /** Number of traces and whole projects. */
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
      // The project is added last: a caller that finds nothing denied for the project queries no further.
      if (table.add(one!)) size += 1
      table.add(any!)
    },
  }
}

export interface FrozenDenials extends Denials {
  /** The queried entries that are denied, as a deletion rule for the rows made. */
  readonly matched: readonly Denied[]
}

/** Returns the same results as `denials`, fixed at the first query, so that an addition cannot split a trace. */
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
      // A project that is denied as a whole is one entry, whatever its traces are.
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
