// What is denied, as whoever makes rows asks it: of a record its project first, so that projects of which
// nothing was ever deleted pay one question a record.
import { createDenyTable, type DenyTable, readShared } from './deny-table.ts'

/** Null: all of the project. */
export interface Denied {
  readonly projectId: string
  readonly traceId: string | null
}

export interface Denials {
  /** Whether anything of the project is denied. */
  concerns(projectId: string): boolean
  /**
   * Null: what belongs to no trace, which goes with its project alone. `happenedUs`, microseconds since the epoch, where it is asked
   * whether a row may be gone: of what its project no longer keeps, too.
   */
  denies(projectId: string, traceId: string | null, happenedUs?: number): boolean
}

// No id of a project has a NUL.
const anyOf = (projectId: string) => `any\0${projectId}`
const allOf = (projectId: string) => `all\0${projectId}`
const traceOf = (projectId: string, traceId: string) => `trace\0${projectId}\0${traceId}`

export const nothingDenied: Denials = { concerns: () => false, denies: () => false }

const denialsIn = (has: (text: string) => boolean): Denials => ({
  concerns: projectId => has(anyOf(projectId)),
  denies: (projectId, traceId) => has(allOf(projectId)) || (traceId !== null && has(traceOf(projectId, traceId))),
})

/** What another thread adds meanwhile is denied from then on. */
export const sharedDenials = (shared: SharedArrayBuffer): Denials => denialsIn(readShared(shared))

/** These and no others. */
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
  /** Traces and whole projects. */
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
      // The project last: who is told that nothing of it is denied does not ask on.
      if (table.add(one!)) size += 1
      table.add(any!)
    },
  }
}

export interface FrozenDenials extends Denials {
  /** What was asked for and is denied: a rule of what was made. */
  readonly matched: readonly Denied[]
}

/** Answers as `denials`, and once: what is added meanwhile must not divide a trace. */
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
      // A project that is denied whole is one entry, whatever comes of it.
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
