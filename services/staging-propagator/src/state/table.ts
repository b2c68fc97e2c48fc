// What a partition's table holds, read. Everything here is synchronous: a lookup is asked once per trace and
// window.
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

interface ExpiredWindow {
  readonly endMs: number
  readonly place: number
  readonly traceKey: Buffer
}

export interface Table {
  /** Null: nothing has been applied yet. */
  numbers(): Numbers | null
  /** Windows of a trace, ascending by first offset. */
  entries(id: Buffer): Entry[]
  newest(traceKey: Uint8Array): Buffer | null
  /**
   * The record of a window as it came from the changelog. Throws when the table lacks what its index names:
   * the file is damaged.
   */
  record(entry: Pick<Entry, 'endMs' | 'place'>): Buffer
  /** Oldest first. */
  windowsBefore(endMs: number, limit: number): ExpiredWindow[]
  /** Keys of traces that wait for a repair. */
  pending(limit: number): Buffer[]
  projectTraces(projectId: string): number
}

export function createTable(database: Database<Buffer, Buffer>): Table {
  const record: Table['record'] = entry => {
    const bytes = database.getBinary(keys.window(entry))
    if (bytes === undefined) throw new Error(`The window at ${entry.endMs}/${entry.place} is missing.`)
    return parseStoredWindow(bytes).record
  }
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

    windowsBefore: (endMs, limit) =>
      [...database.getRange({ ...keys.windowsBefore(endMs), limit })].map(({ key, value }) => ({
        ...parseWindowKey(key),
        traceKey: parseStoredWindow(value).traceKey,
      })),

    pending: limit => [...database.getRange({ ...keys.allPending, limit })].map(({ value }) => value),

    projectTraces(projectId) {
      const bytes = database.getBinary(keys.project(projectId))
      return bytes === undefined ? 0 : decodeCount(bytes)
    },
  }
}
