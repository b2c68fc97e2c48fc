// Counts accepted and refused requests by SDK and day. A request's header can contain any SDK name and version, so this module limits
// how many counts are in memory.
import type { SdkUsage } from '@svc-server/schema/sdk-usage'

/** A counted request. If parts of a request take different paths, each part is a separate `Use`. */
export interface Use extends Pick<SdkUsage, 'projectId' | 'sdkName' | 'sdkVersion' | 'path'> {
  readonly spans?: number
  readonly events?: number
  readonly scores?: number
}

export interface CountLimits {
  /** Maximum number of combinations of SDK version and path, per project and day. */
  readonly perProject: number
  /** Maximum for all projects together. */
  readonly inAll: number
}

export interface Counts {
  count(use: Use, atMs: number): void
  /** Returns the entries that have changed since the previous call of `take`. */
  take(): readonly SdkUsage[]
  /** The caller calls this method when the taken entries are on the log. */
  settle(): void
  /** The caller calls this method if it could not append the taken entries. The next `take` then returns them again. */
  giveBack(): void
}

type Entry = { -readonly [K in keyof SdkUsage]: SdkUsage[K] }

const other = 'other'
const maxName = 60
const maxVersion = 40
const dayMs = 86_400_000

/** Control characters are removed, because a terminal would interpret them. */
function shown(text: string, length: number): string {
  const cut = text.length <= length ? text : text.slice(0, length)
  return /^[ -~]*$/.test(cut) ? cut : cut.replaceAll(/[^ -~]/g, '?')
}

/** `source` identifies the run of the process. Within a run, a day's counts only grow. */
export function createCounts(source: string, { perProject, inAll }: CountLimits): Counts {
  const entries = new Map<string, Entry>()
  const ofProject = new Map<string, number>()
  const changed = new Set<Entry>()
  let taken: ReadonlySet<Entry> = new Set()
  let today = 0

  const keyOf = ({ day, projectId, path, sdkName, sdkVersion }: Pick<Entry, 'day' | 'projectId' | 'path' | 'sdkName' | 'sdkVersion'>) =>
    `${day}\n${projectId}\n${path}\n${sdkName}\n${sdkVersion}`

  /** Begins a new day. The entries of earlier days no longer change, so those that are already on the log are deleted. */
  function begin(day: number): void {
    today = day
    ofProject.clear()
    for (const [key, entry] of entries) if (!changed.has(entry) && !taken.has(entry)) entries.delete(key)
  }

  function known(name: Pick<Entry, 'day' | 'projectId' | 'path' | 'sdkName' | 'sdkVersion'>, mayBeMade: boolean): Entry | undefined {
    const key = keyOf(name)
    const found = entries.get(key)
    if (found !== undefined || !mayBeMade) return found
    const made: Entry = { ...name, source, requests: 0, spans: 0, events: 0, scores: 0, lastSeenMs: 0 }
    entries.set(key, made)
    ofProject.set(name.projectId, (ofProject.get(name.projectId) ?? 0) + 1)
    return made
  }

  function entryOf({ projectId, path, ...use }: Use, day: number): Entry {
    const sdkName = shown(use.sdkName, maxName)
    const sdkVersion = shown(use.sdkVersion, maxVersion)
    const hasRoom = entries.size < inAll
    return (
      known({ day, projectId, path, sdkName, sdkVersion }, hasRoom && (ofProject.get(projectId) ?? 0) < perProject) ??
      known({ day, projectId, path, sdkName: other, sdkVersion: other }, hasRoom) ??
      known({ day, projectId: '', path, sdkName: other, sdkVersion: other }, true)!
    )
  }

  return {
    count(use, atMs) {
      // If the clock is set back, the current day continues. The counts of an earlier day would begin at 0 again, and replace the larger
      // counts that are already stored.
      const day = Math.max(today, Math.floor(atMs / dayMs))
      if (day !== today) begin(day)
      const entry = entryOf(use, day)
      entry.requests += 1
      entry.spans += use.spans ?? 0
      entry.events += use.events ?? 0
      entry.scores += use.scores ?? 0
      entry.lastSeenMs = Math.max(entry.lastSeenMs, atMs)
      changed.add(entry)
    },
    take() {
      taken = new Set(changed)
      changed.clear()
      return [...taken].map(entry => ({ ...entry }))
    },
    settle() {
      for (const entry of taken) if (entry.day !== today && !changed.has(entry)) entries.delete(keyOf(entry))
      taken = new Set()
    },
    giveBack() {
      for (const entry of taken) changed.add(entry)
      taken = new Set()
    },
  }
}
