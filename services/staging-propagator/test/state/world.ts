// Opens a real log and a real state. Tests compare the state with a model, which keeps the same windows in a plain map.
import { join } from 'node:path'
import type { NewRecord } from '@svc-server/log'
import { type EmbeddedLog, type EmbeddedLogOptions, openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { topicSpecs } from '@svc-server/schema/topics'
import { encodeTraceWindow, type TraceWindow, traceWindowKey } from '@svc-server/schema/trace-window'
import { manualClock, temporaryDirectory } from '@svc-server/testkit'
import { onTestFinished } from 'vitest'
import { openTraceState, type TraceState, type TraceStateOptions } from '../../src/state/index.ts'

export const topic = topicNames.traceAttributes
export const hour = 3_600_000
export const startMs = 1_750_000_000_000

export interface Line {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export const specs = (partitions = 2) =>
  topicSpecs({ embedded: true, enabledReaders: [groupNames.propagator], partitions: { staging: partitions } })

/**
 * Makes the key of a trace. The id of the trace is the parameter `above`, followed by the parameter `trace` as 32 hexadecimal digits. The
 * parameter `above` can be any text, because a client of the legacy API can choose any text as an id.
 */
export const traceKeyOf = (project: string, trace: number, above = ''): Buffer =>
  Buffer.from(`${project}/${above}${trace.toString(16).padStart(32, '0')}`)

export const windowOf = (firstOffset: number, changes: Partial<TraceWindow> = {}): TraceWindow => ({
  firstOffset,
  lastOffset: firstOffset + 99,
  endMs: startMs,
  candidates: { winners: [], tags: [], rootSeen: false },
  offsets: [firstOffset],
  spans: 1,
  totalSpans: 1,
  generation: 0,
  fill: '0123456789abcdef',
  items: [],
  assignedAt: null,
  ...changes,
})

export const put = (traceKey: Buffer, window: TraceWindow, partition = 0): NewRecord => ({
  key: traceWindowKey(traceKey, window.firstOffset),
  value: encodeTraceWindow(window),
  partition,
})

export const tombstone = (traceKey: Buffer, firstOffset: number, partition = 0): NewRecord => ({
  key: traceWindowKey(traceKey, firstOffset),
  value: null,
  partition,
})

export async function openWorld(options: Partial<EmbeddedLogOptions> = {}) {
  const root = await temporaryDirectory()
  onTestFinished(() => root.remove())
  const clock = manualClock(startMs)
  const lines: Line[] = []
  const say = (level: Line['level']) => (fields: unknown, message?: string) =>
    void lines.push({ level, message: message!, fields: fields as Line['fields'] })
  const logger = { info: say('info'), warn: say('warn'), error: say('error') }
  const closers: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closers.reverse()) await close()
  })

  const openLog = async (name = 'log'): Promise<EmbeddedLog> => {
    const directory = join(root.path, name)
    const log = await openEmbeddedLog({ directory, topics: specs(), clock: clock.now, maintenanceIntervalMs: hour, ...options })
    closers.push(() => log.close())
    return log
  }
  const log = await openLog()
  const openState = async (changes: Partial<TraceStateOptions> = {}): Promise<TraceState> => {
    const state = await openTraceState({ directory: join(root.path, 'state'), log, logger, ...changes })
    let closed: Promise<void> | undefined
    const close = () => (closed ??= state.close())
    closers.push(close)
    return { ...state, close }
  }
  return { directory: root.path, stateDirectory: join(root.path, 'state'), clock, lines, log, openLog, openState }
}

/**
 * Creates a model of the trace state. The model and the trace state must give the same answers if they have the same windows. A window
 * expires when the retention time has passed since the window's end. As the current time, the model uses the latest of all window ends.
 */
export function createModel(retentionMs: number) {
  const windows = new Map<string, { readonly traceKey: Buffer; readonly window: TraceWindow }>()
  let newestEndMs = Number.NEGATIVE_INFINITY
  const live = () => [...windows.values()].filter(({ window }) => window.endMs >= newestEndMs - retentionMs)
  const windowsOf = (traceKey: Buffer): TraceWindow[] =>
    live()
      .filter(one => one.traceKey.equals(traceKey))
      .map(({ window }) => window)
      .sort((a, b) => a.firstOffset - b.firstOffset)
  return {
    put(traceKey: Buffer, window: TraceWindow): void {
      windows.set(`${traceKey}/${window.firstOffset}`, { traceKey, window })
      newestEndMs = Math.max(newestEndMs, window.endMs)
    },
    remove: (traceKey: Buffer, firstOffset: number): boolean => windows.delete(`${traceKey}/${firstOffset}`),
    answers(traceKeys: readonly Buffer[], projects: readonly string[]) {
      const pending = traceKeys.filter(key => {
        const all = windowsOf(key)
        return all.some(({ fill }) => fill !== all.at(-1)!.fill)
      })
      const alive = traceKeys.filter(key => windowsOf(key).length > 0)
      return {
        windows: traceKeys.map(windowsOf),
        newest: traceKeys.map(key => windowsOf(key).at(-1) ?? null),
        pending: pending.map(String).sort(),
        pendingCount: pending.length,
        projects: projects.map(project => alive.filter(key => key.toString().startsWith(`${project}/`)).length),
        size: { traces: alive.length, windows: live().length, pending: pending.length },
      }
    },
  }
}

export function answersOf(state: TraceState, partition: number, traceKeys: readonly Buffer[], projects: readonly string[]) {
  const { bytesOnDisk: _, ...size } = state.size()
  return {
    windows: traceKeys.map(key => state.windows(partition, key)),
    newest: traceKeys.map(key => state.newest(partition, key)),
    pending: state.pending(partition, 1_000_000).map(String).sort(),
    pendingCount: state.pendingCount(partition),
    projects: projects.map(project => state.projectTraces(partition, project)),
    size,
  }
}
