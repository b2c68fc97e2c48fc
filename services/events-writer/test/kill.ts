// Simulates a writer that is killed. The writer gets no more responses. The log and the engine keep everything that they received.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EmbeddedLog } from '@svc-server/log/embedded'

export type Point = 'before intent' | 'after intent' | 'before insert' | 'after insert' | 'before acknowledgement' | 'after acknowledgement'

export interface Killed {
  readonly log: EmbeddedLog
  readonly columnStore: ColumnStore
  /**
   * Resolves after the writer has reached the point and the store has finished all running inserts. In production, the store usually
   * finishes these inserts before the next process starts. If the store finished such an insert after the probe of the next writer, each
   * row of the insert would be stored twice.
   */
  readonly reached: Promise<void>
}

/** Kills the writer at `point`. With `table`, only inserts into this table can reach the points `before insert` and `after insert`. */
export function killAt(point: Point, log: EmbeddedLog, columnStore: ColumnStore, table?: string): Killed {
  const reached = Promise.withResolvers<void>()
  const onTheWay = new Set<Promise<unknown>>()
  let dead = false
  async function sent<T>(asked: Promise<T>): Promise<T> {
    onTheWay.add(asked)
    return asked.finally(() => onTheWay.delete(asked))
  }
  async function settled(): Promise<void> {
    while (onTheWay.size > 0) await Promise.allSettled(onTheWay)
  }
  const never = <T>(): Promise<T> => {
    dead = true
    reached.resolve()
    return new Promise<T>(() => undefined)
  }
  const around = async <T>(before: Point, after: Point, action: () => Promise<T>): Promise<T> => {
    if (dead || point === before) return never()
    const result = await action()
    return point === after ? never() : result
  }
  const commit = (metadata: string, action: () => Promise<void>) =>
    metadata === '' ? around('before acknowledgement', 'after acknowledgement', action) : around('before intent', 'after intent', action)

  return {
    reached: reached.promise.then(settled),
    log: {
      ...log,
      // The kill also stops the deletion executor. The next writer takes over the partitions of this executor.
      own: options =>
        log.own({
          ...options,
          onFatal: error => (dead ? undefined : options.onFatal(error)),
          work: async owned => (dead ? { kind: 'pause', afterMs: 1_000 } : options.work(owned)),
        }),
      consume: options =>
        log.consume({
          ...options,
          onFatal: error => (dead ? undefined : options.onFatal(error)),
          onBatch: (batch, context) =>
            Promise.race([
              // This promise rejects when the writer dies. Otherwise, the log would wait forever for the dead writer's batch.
              reached.promise.then(() => Promise.reject(new Error('killed'))),
              options.onBatch(batch, {
                signal: context.signal,
                committed: context.committed,
                heartbeat: () => context.heartbeat(),
                commit: (offset, metadata) => commit(metadata, () => context.commit(offset, metadata)),
                commitWith: (offset, metadata, appends) => commit(metadata, () => context.commitWith(offset, metadata, appends)),
              }),
            ]),
        }),
    },
    columnStore: {
      ...columnStore,
      async insert(request) {
        if (dead) return never()
        if (table !== undefined && request.table !== table) return sent(columnStore.insert(request))
        return around('before insert', 'after insert', () => sent(columnStore.insert(request)))
      },
      command: (sql, params) => sent(columnStore.command(sql, params)),
    },
  }
}

export const withInsert = (columnStore: ColumnStore, insert: ColumnStore['insert']): ColumnStore => ({ ...columnStore, insert })
