// Reads a partition's table. Reads are synchronous, because the propagator looks up every trace of every window.
import type { Database } from 'lmdb'
import {
  decodeCount,
  decodeEntries,
  type Entry,
  idOf,
  keys,
  type Numbers,
  newestEntry,
  parseStoredWindow,
  parseWindowKey,
} from './layout.ts'

export interface WindowPlace {
  readonly endMs: number
  readonly place: number
}

interface ExpiredWindow extends WindowPlace {
  readonly traceKey: Buffer
}

export interface Table {
  /** Returns null if no record has been applied yet. */
  numbers(): Numbers | null
  /** Returns the windows of a trace, ascending by first offset. */
  entries(id: Buffer): Entry[]
  newest(traceKey: Uint8Array): Buffer | null
  /**
   * Returns the changelog record of a window. Throws if the index lists the window but the table lacks it: the file is then damaged.
   */
  record(entry: Pick<Entry, 'endMs' | 'place'>): Buffer
  /** Returns the windows that ended before `endMs`, oldest first. */
  windowsBefore(endMs: number, limit: number): ExpiredWindow[]
  /** Returns the windows after the given place, oldest first. If the place is null, the result begins with the oldest window. */
  windowsAfter(after: WindowPlace | null, limit: number): ExpiredWindow[]
  pending(limit: number): Buffer[]
  projectTraces(projectId: string): number
}

const lastMs = 2 ** 48 - 1

export function createTable(database: Database<Buffer, Buffer>): Table {
  const record: Table['record'] = entry => {
    const bytes = database.getBinary(keys.window(entry))
    if (bytes === undefined) throw new Error(`The window at ${entry.endMs}/${entry.place} is missing.`)
    return parseStoredWindow(bytes).record
  }
  const windowsIn = (range: { readonly start: Buffer; readonly end: Buffer; readonly limit: number }): ExpiredWindow[] =>
    [...database.getRange(range)].map(({ key, value }) => ({ ...parseWindowKey(key), traceKey: parseStoredWindow(value).traceKey }))
  return {
    numbers() {
      const bytes = database.getBinary(keys.numbers)
      return bytes === undefined ? null : (JSON.parse(bytes.toString()) as Numbers)
    },

    entries(id) {
      const bytes = database.getBinary(keys.trace(id))
      return bytes === undefined ? [] : decodeEntries(bytes)
    },

    newest(traceKey) {
      const bytes = database.getBinary(keys.trace(idOf(traceKey)))
      return bytes === undefined ? null : record(newestEntry(bytes))
    },

    record,

    windowsBefore: (endMs, limit) => windowsIn({ ...keys.windowsBefore(endMs), limit }),

    windowsAfter(after, limit) {
      const { start, end } = keys.windowsBefore(lastMs)
      return windowsIn({ start: after === null ? start : Buffer.concat([keys.window(after), Buffer.of(0)]), end, limit })
    },

    pending: limit => [...database.getRange({ ...keys.allPending, limit })].map(({ value }) => value),

    projectTraces(projectId) {
      const bytes = database.getBinary(keys.project(projectId))
      return bytes === undefined ? 0 : decodeCount(bytes)
    },
  }
}
